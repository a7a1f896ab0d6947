package kernels_test

import (
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	. "github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// TestVectorsOfAnyNumbers proves that each kernel marked lanes has the bits of Go for cells with arbitrary values:
// near the interface and far from it, ±0, denormal, huge, infinite and NaN. make parity tests a million.
func TestVectorsOfAnyNumbers(t *testing.T) {
	cudatest.Vectors(t, func(t *testing.T, r cudatest.Runner) {
		for _, dim := range []int{2, 3} {
			anyNumbers[float32](t, r, dim)
			anyNumbers[float64](t, r, dim)
		}
	})
}

func anyNumbers[F num.Float](t *testing.T, r cudatest.Runner, dim int) {
	b := newBlock[F](t, r, dim)
	cells := b.box.Size()
	field := func() []F {
		f := b.noise(2)
		for c := range f {
			if b.rng.IntN(16) == 0 {
				f[c] = kerneltest.EdgeCase[F](b.rng)
			}
		}
		return f
	}
	for range kerneltest.Rounds(t, cells) {
		b.flow.U, b.flow.V = field(), field()
		if dim == 3 {
			b.flow.W = field()
		}
		start, base, from, to := field(), field(), field(), field()
		var advected, relaxed [2][]F
		var limits [2]Limits
		s := &Relaxation[F]{Lattice: b.l, Step: .05, Band: 1.5, Start: start}
		for k := range 2 {
			advected[k], relaxed[k] = slices.Clone(to), slices.Clone(to)
			for _, l := range []loop{NewWENOStageLoop(b.box, b.flow, b.clock, 1, .25, base, from, advected[k]),
				NewRelaxLoop(b.box, s, &limits[k], .25, base, from, relaxed[k])} {
				if k == 0 {
					l.Range(0, cells)
				} else {
					r.Run(t, l, 0, cells)
				}
			}
		}
		kerneltest.Same(t, "WENOStage", advected[0], advected[1], nil)
		kerneltest.Same(t, "Relax", relaxed[0], relaxed[1], nil)
		kerneltest.Same(t, "limits", limits[:1], limits[1:], nil)
	}
}
