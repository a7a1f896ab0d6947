package kernels_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	. "github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// TestVectorsOfAnyNumbers proves that each kernel marked lanes has the bits of Go for cells with arbitrary values:
// empty, full, mixed, ±0, denormal, huge, infinite and NaN. make parity tests a million.
func TestVectorsOfAnyNumbers(t *testing.T) {
	cudatest.Vectors(t, func(t *testing.T, r cudatest.Runner) {
		t.Run("float32", func(t *testing.T) { anyPlane[float32](t, r, 0x1p-11); anySpace[float32](t, r, 0x1p-11) })
		t.Run("float64", func(t *testing.T) { anyPlane[float64](t, r, 0x1p-26); anySpace[float64](t, r, 0x1p-26) })
	})
}

// anyFractions returns arbitrary values, mostly 0 and 1, in runs of several cells.
func anyFractions[F num.Float](rng *rand.Rand, n int) []F {
	f := make([]F, n)
	kerneltest.FillEdgeCases[F](rng, f)
	for c := 0; c < n; {
		pure, next := F(rng.IntN(2)), min(n, c+1+rng.IntN(30))
		if rng.IntN(4) > 0 {
			for k := c; k < next; k++ {
				f[k] = pure
			}
		}
		c = next
	}
	return f
}

func anyPlane[F num.Float](t *testing.T, r cudatest.Runner, differenceStep F) {
	const nx, ny, g = 125, 64, 4
	rng := rand.New(rand.NewPCG(7, 8))
	lattice := Lattice{Origin: g*(nx+2*g) + g, SY: nx + 2*g}
	n, box := (nx+2*g)*(ny+2*g), abi.Box{Hi: [3]int{nx, ny, 1}}
	clock := &Clock[F]{Courant: [3]F{1, -1, .9}}
	for range kerneltest.Rounds(t, nx*ny) {
		axis, normal := int32(rng.IntN(2)), int32(rng.IntN(int(Heights)+1))
		u, old, start := make([]F, n), make([]geom.Line[F], n), anyFractions[F](rng, n)
		kerneltest.FillEdgeCases[F](rng, u)
		kerneltest.FillEdgeCases[F](rng, old)
		s := Sweep2[F]{Lattice: lattice, Axis: axis, Stride: []int32{1, lattice.SY}[axis], Method: int32(rng.IntN(3)),
			Normal: normal, Stored: normal == ELVIRA || normal == LVIRA, DifferenceStep: differenceStep,
			RoundOff: differenceStep * differenceStep,
			F:        anyFractions[F](rng, n), Start: start, U: u}
		var out, sizes [2][]F
		var planes [2][]geom.Line[F]
		alias := rng.IntN(2) == 0
		for k := range 2 {
			sweep := s
			out[k], sizes[k], planes[k] = slices.Clone(start), make([]F, n), slices.Clone(old)
			sweep.Out, sweep.Planes = out[k], planes[k]
			if alias {
				sweep.Start = sweep.Out
			}
			m := &Survey[F]{H: [3]F{.1, .3, 1}}
			for _, l := range []loop{NewReconstruct2Loop(box, &sweep), NewSize2Loop(box, m, &sweep, sizes[k]),
				NewAdvance2Loop(box, &sweep, clock)} {
				if k == 0 {
					l.Range(0, nx*ny)
				} else {
					r.Run(t, l, 0, nx*ny)
				}
			}
		}
		kerneltest.Same(t, "Reconstruct2", planes[0], planes[1], nil)
		kerneltest.Same(t, "Size2", sizes[0], sizes[1], func(c int) any { return s.F[c] })
		kerneltest.Same(t, "Advance2", out[0], out[1], func(c int) any { return s.F[c] })
	}
}

func anySpace[F num.Float](t *testing.T, r cudatest.Runner, differenceStep F) {
	const nx, ny, nz, g = 29, 18, 16, 4
	rng := rand.New(rand.NewPCG(9, 10))
	lattice := Lattice{SY: nx + 2*g, SZ: (nx + 2*g) * (ny + 2*g)}
	lattice.Origin = g * (1 + lattice.SY + lattice.SZ)
	n, box := (nx+2*g)*(ny+2*g)*(nz+2*g), abi.Box{Hi: [3]int{nx, ny, nz}}
	clock := &Clock[F]{Courant: [3]F{1, -1, .9}}
	for range kerneltest.Rounds(t, nx*ny*nz) {
		axis, normal := int32(rng.IntN(3)), int32(rng.IntN(int(Heights)+1))
		u, old, start := make([]F, n), make([]geom.Plane[F], n), anyFractions[F](rng, n)
		kerneltest.FillEdgeCases[F](rng, u)
		kerneltest.FillEdgeCases[F](rng, old)
		s := Sweep3[F]{Lattice: lattice, Axis: axis, Stride: []int32{1, lattice.SY, lattice.SZ}[axis],
			Normal: normal, Stored: normal == ELVIRA || normal == LVIRA, DifferenceStep: differenceStep,
			RoundOff: differenceStep * differenceStep,
			F:        anyFractions[F](rng, n), Start: start, U: u}
		var out, sizes [2][]F
		var planes [2][]geom.Plane[F]
		alias := rng.IntN(2) == 0
		for k := range 2 {
			sweep := s
			out[k], sizes[k], planes[k] = slices.Clone(start), make([]F, n), slices.Clone(old)
			sweep.Out, sweep.Planes = out[k], planes[k]
			if alias {
				sweep.Start = sweep.Out
			}
			m := &Survey[F]{H: [3]F{.1, .3, .2}}
			for _, l := range []loop{NewReconstruct3Loop(box, &sweep), NewSize3Loop(box, m, &sweep, sizes[k]),
				NewAdvance3Loop(box, &sweep, clock)} {
				if k == 0 {
					l.Range(0, nx*ny*nz)
				} else {
					r.Run(t, l, 0, nx*ny*nz)
				}
			}
		}
		kerneltest.Same(t, "Reconstruct3", planes[0], planes[1], nil)
		kerneltest.Same(t, "Size3", sizes[0], sizes[1], func(c int) any { return s.F[c] })
		kerneltest.Same(t, "Advance3", out[0], out[1], func(c int) any { return s.F[c] })
	}
}
