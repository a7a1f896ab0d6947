package kernels

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
)

func TestMain(m *testing.M) { kerneltest.Main(m, ".") }

// TestParity proves that a step and a measurement give the same bits in Go and translated to CUDA, at walls, periodic
// boundaries and in between, in the plane and in space.
func TestParity(t *testing.T) {
	cudatest.Parity(t, ".", func(t *testing.T, r cudatest.Runner) {
		for _, n := range [][3]int{{5, 4, 1}, {3, 4, 3}} {
			l := &Lattice{Cells: n, Periodic: [3]bool{false, true, n[2] > 1}, Rate: [3]float64{.1, .2, .3}}
			l.Stride = [3]int{1, n[0] + 2, (n[0] + 2) * (n[1] + 2)}
			l.First = 1 + l.Stride[1] + l.Stride[2]
			random := rand.New(rand.NewPCG(1, 2))
			now := make([]float64, l.Stride[2]*(n[2]+2))
			for i := range now {
				now[i] = random.NormFloat64()
			}
			dt, box := []float64{.7}, abi.Box{Hi: n}
			var next, peak [2][]float64
			var found [2]Found
			for side := range 2 {
				next[side], peak[side] = slices.Clone(now), slices.Clone(now)
				step := NewConductLoop(box, l, dt, now, next[side], peak[side])
				measure := NewMeasureLoop(exact.Box(box), l, next[side], peak[side], &found[side])
				if side == 0 {
					step.Range(0, box.Size())
					measure.Range(0, ReduceChunks(box.Size()))
				} else {
					r.Run(t, step, 0, box.Size())
					r.Run(t, measure, 0, ReduceChunks(box.Size()))
				}
			}
			kerneltest.Same(t, "T", next[0], next[1], nil)
			kerneltest.Same(t, "peak", peak[0], peak[1], nil)
			if found[0] != found[1] || found[0].Cooling == 0 {
				t.Errorf("found %v and %v", found[0], found[1])
			}
		}
	})
}
