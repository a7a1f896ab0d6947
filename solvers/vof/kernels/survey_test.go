package kernels_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	. "github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// TestSurvey proves that a survey gives the results of an exact accumulator over all cells, on a GPU too.
func TestSurvey(t *testing.T) {
	cudatest.Parity(t, ".", func(t *testing.T, l cudatest.Runner) {
		for _, n := range [][3]int{{70, 45, 1}, {33, 9, 7}} {
			survey[float32](t, l, n, 0x1p-17)
			survey[float64](t, l, n, 0x1p-46)
		}
	})
}

func survey[F num.Float](t *testing.T, l cudatest.Runner, n [3]int, roundOff F) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	const ghosts = 3
	nx, rows := n[0]+2*ghosts, n[1]+2*ghosts
	layout := Lattice{Origin: int32(ghosts + ghosts*nx), SY: int32(nx)}
	size := nx * rows
	if n[2] > 1 {
		layout.SZ = int32(size)
		layout.Origin += ghosts * layout.SZ
		size *= n[2] + 2*ghosts
	}
	f, reference := noisy[F](rng, size, nx), make([]float64, n[0]*n[1]*n[2])
	h := [3]F{.1, .3, 1}
	if n[2] > 1 {
		h[2] = .2
	}
	invalid := 0
	at := func(cell int) int {
		return int(layout.Origin) + cell%n[0] + cell/n[0]%n[1]*int(layout.SY) + cell/n[0]/n[1]*int(layout.SZ)
	}
	for cell := range reference {
		reference[cell] = []float64{0, 1, float64(f[at(cell)]), rng.Float64()}[rng.IntN(4)]
	}
	for round := range 2 { // the second with cells that are not finite
		if round == 1 {
			invalid = 40 + n[0]
			f[at(invalid+5)], f[at(invalid)], f[at(len(reference)-1)] = F(math.NaN()), F(math.Inf(-1)), F(math.Inf(1))
		}
		var found [2][]int64
		var sizes [2][]F
		for k := range found {
			found[k] = make([]int64, SurveyWords)
			run := func(of loop, size int) { of.Range(0, size) }
			if k == 1 {
				run = func(of loop, size int) { l.Run(t, of, 0, size) }
			}
			m, tiles := NewSurvey(layout, n, h, roundOff, f, true, reference, found[k])
			sizes[k] = slices.Repeat([]F{-1}, size)
			box := abi.Box{Hi: n}
			if n[2] == 1 {
				s := &Sweep2[F]{Lattice: layout, Normal: Mixed, RoundOff: roundOff, F: f}
				run(NewSurvey2Loop(m, s), tiles)
				run(NewSize2Loop(box, m, s, sizes[k]), box.Size())
			} else {
				s := &Sweep3[F]{Lattice: layout, Normal: Youngs, RoundOff: roundOff, F: f}
				run(NewSurvey3Loop(m, s), tiles)
				run(NewSize3Loop(box, m, s, sizes[k]), box.Size())
			}
		}
		kerneltest.Same(t, "survey", found[0], found[1], nil)
		kerneltest.Same(t, "sizes", sizes[0], sizes[1], nil)
		cell, what := exact.FirstBroken(found[0][SurveyBroken])
		if round == 1 && (cell != invalid || !math.IsInf(what, -1)) || round == 0 && cell >= 0 {
			t.Errorf("%v cells: broken is cell %d with %v, want %d", n, cell, what, invalid)
		}
		if round == 0 {
			oracle(t, found[0], f, reference, at, func(c int) float64 {
				var want F
				if HasFaces(f, c, int(layout.SY), int(layout.SZ)) {
					want = 0
				} else if n[2] == 1 {
					p := PlaneOf2(f, c, layout, Mixed, 0)
					want = geom.Length(&p, h[0], h[1])
				} else {
					p := PlaneOf3(f, c, layout, Youngs, 0)
					want = geom.Section(&p, h[0], h[1], h[2])
				}
				if sizes[0][c] != want {
					t.Errorf("the length or area of the interface in cell %d is %v, want %v", c, sizes[0][c], want)
				}
				return float64(want)
			}, roundOff)
			faces(t, found[0], f, len(reference), at, layout)
		}
	}
}

// faces counts the faces between cells that are full and empty to 1e-3 one by one.
func faces[F num.Float](t *testing.T, found []int64, f []F, cells int, at func(int) int, l Lattice) {
	t.Helper()
	var want [3]int64
	for cell := range cells {
		for axis, stride := range []int{1, int(l.SY), int(l.SZ)} {
			for _, beside := range []int{at(cell) - stride, at(cell) + stride} {
				if f[at(cell)] >= 1-1e-3 && f[beside] <= 1e-3 {
					want[axis]++
				}
			}
		}
	}
	if got := [3]int64(found[SurveyFaces:]); got != want || want[0] == 0 || want[1] == 0 {
		t.Errorf("%v faces between full and empty cells, want %v", got, want)
	}
}

// oracle computes the results cell by cell. size returns the length or area of the interface in the cell at an index.
func oracle[F num.Float](t *testing.T, found []int64, f []F, reference []float64, at func(int) int,
	size func(int) float64, roundOff F) {
	t.Helper()
	var sums [3]dist.Accumulator
	mixed, excess := int64(0), 0.0
	for cell, was := range reference {
		c := at(cell)
		v := float64(f[c])
		sums[0].Add(v)
		sums[1].Add(math.Abs(v - was))
		excess = max(excess, -v, v-1)
		if f[c] > roundOff && f[c] < 1-roundOff {
			mixed++
			sums[2].Add(size(c))
		}
	}
	for k, from := range []int{SurveyVolume, SurveyChange, SurveySize} {
		var got dist.Accumulator
		got.AddWords((*[exact.Words]int64)(found[from:]))
		if a, b := got.Float64(), sums[k].Float64(); a != b {
			t.Errorf("sum %d is %v, want %v", k, a, b)
		}
	}
	if got := math.Float64frombits(uint64(found[SurveyExcess])); found[SurveyMixed] != mixed || got != excess {
		t.Errorf("%d mixed cells, excess %v; want %d, %v", found[SurveyMixed], got, mixed, excess)
	}
	if mixed == 0 || excess == 0 {
		t.Error("nothing is mixed or beyond")
	}
}
