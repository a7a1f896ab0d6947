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

// TestStages compares the kernels that process many cells with those that process one, in Go and translated, bit by
// bit.
func TestStages(t *testing.T) {
	cudatest.Parity(t, ".", func(t *testing.T, l cudatest.Runner) {
		t.Run("float32", func(t *testing.T) { stages[float32](t, l, 0x1p-22) })
		t.Run("float64", func(t *testing.T) { stages[float64](t, l, 0x1p-52) })
	})
}

func stages[F num.Float](t *testing.T, l cudatest.Runner, tolerance F) {
	const nx, ny, g = 71, 64, 5
	const n = (nx + 2*g) * (ny + 2*g)
	lattice := Lattice{Origin: g*(nx+2*g) + g, SY: nx + 2*g}
	rng := rand.New(rand.NewPCG(7, 8))
	h := [3]F{.01, .03, 1}
	box := abi.Box{Lo: [3]int{-1, 0, 0}, Hi: [3]int{nx + 1, ny, 1}}
	squares, count := NewSquares([2]int{-1, 0}, [2]int{nx + 1, ny})

	// All ways of a stage begin with the same arrays and must end with the same.
	compare := func(name string, plain loop, size int, first, second []F, others func(a, b []F) (loop, int)) {
		t.Helper()
		plain.Range(0, size)
		for _, translated := range []bool{false, true} {
			a, b := make([]F, len(first)), make([]F, len(second))
			of, size := others(a, b)
			if translated {
				l.Run(t, of, 0, size)
			} else {
				of.Range(0, size)
			}
			kerneltest.Same(t, name, first, a, nil)
			kerneltest.Same(t, name, second, b, nil)
		}
	}

	for _, levels := range []int32{0, 1, 3, 5} {
		for range 6 {
			disk := &Ball[F]{Lattice: lattice, First: [3]int32{3, 4, 0}, Lo: [3]F{.1, .2}, H: h, Levels: levels,
				Centre: [3]F{F(rng.Float64()), F(2 * rng.Float64())}, Radius: F(rng.Float64())}
			out, none := make([]F, n), []F{}
			compare("FillDisk2", NewFillDisk2Loop(box, disk, out), box.Size(), out, none, func(a, _ []F) (loop, int) {
				return NewSquareDisk2Loop(disk, squares, a), count
			})
			compare("FillDisk2", NewFillDisk2Loop(box, disk, out), box.Size(), out, none, func(a, _ []F) (loop, int) {
				return NewCountDisk2Loop(box, disk, a), box.Size()
			})
		}
	}

	f := noisy[F](rng, n, nx+2*g)
	dx, dy := make([]F, n), make([]F, n)
	plain := &Gradients[F]{Lattice: lattice, H: h, F: f, DX: dx, DY: dy}
	compare("Gradient2", NewGradient2Loop(box, plain), box.Size(), dx, dy, func(a, b []F) (loop, int) {
		rows := box
		rows.Hi[1] /= GradientRows
		return NewGradientRows2Loop(rows, &Gradients[F]{Lattice: lattice, H: h, F: f, DX: a, DY: b}), rows.Size()
	})

	box.Hi[1] -= 3 // patches that reach over the edge
	squares, count = NewSquares([2]int{-1, 0}, [2]int{nx + 1, ny - 3})
	for _, all := range []bool{false, true} {
		matching := func(rho []F, iterations []int32) *Matching[F] {
			return &Matching[F]{Lattice: lattice, H: h, Tolerance: tolerance, Cases: Cases(), F: f, DX: dx, DY: dy, Rho: rho,
				Iterations: iterations, All: all}
		}
		rho, iterations, other := make([]F, n), make([]int32, n), make([]int32, n)
		compare("Match2", NewMatch2Loop(box, matching(rho, iterations)), box.Size(), rho, nil, func(a, _ []F) (loop, int) {
			clear(other)
			return NewSquareMatch2Loop(matching(a, other), squares), count
		})
		kerneltest.Same(t, "iterations of Match2", iterations, other, nil)
		if found := slices.ContainsFunc(rho, func(x F) bool { return x != 0 }); !found {
			t.Error("no line was found")
		}
	}

	sweep := func(planes []geom.Line[F]) *Sweep2[F] {
		return &Sweep2[F]{Lattice: lattice, Stride: 1, Normal: Youngs, RoundOff: tolerance, F: f, Planes: planes}
	}
	planes := make([]geom.Line[F], n)
	NewReconstruct2Loop(box, sweep(planes)).Range(0, box.Size())
	for _, translated := range []bool{false, true} {
		others := make([]geom.Line[F], n)
		if of := NewSquareReconstruct2Loop(sweep(others), squares); translated {
			l.Run(t, of, 0, count)
		} else {
			of.Range(0, count)
		}
		kerneltest.Same(t, "Reconstruct2", planes, others, nil)
	}
}
