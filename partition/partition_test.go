package partition

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPartsCoverAndBalance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, _ := drawGraph(t)
		n := g.N()
		// Few distinct values, so that many cells lie on every cut.
		x := rapid.SliceOfN(rapid.SampledFrom([]float64{-1, 0, 1, 2.5}), n, n).Draw(t, "x")
		y := rapid.SliceOfN(rapid.Float64Range(-3, 3), n, n).Draw(t, "y")
		parts := rapid.IntRange(1, 60).Draw(t, "parts")
		for _, kind := range []Cut{HilbertCut, RCB, RandomCut} {
			of, err := Partition(kind, g, x, y, parts, 9)
			if err != nil {
				t.Fatal(err)
			}
			again, _ := Partition(kind, g, x, y, parts, 9)
			if !slices.Equal(of, again) {
				t.Fatalf("partition %s differs from call to call", kind)
			}
			split, err := Split(of, parts)
			if err != nil || len(of) != n {
				t.Fatalf("partition %s: %d cells of %d, %v", kind, len(of), n, err)
			}
			seen := 0
			for part, cells := range split {
				if len(cells) < n/parts || len(cells) > (n+parts-1)/parts {
					t.Fatalf("partition %s: part %d of %d has %d cells of %d", kind, part, parts, len(cells), n)
				}
				if !slices.IsSorted(cells) {
					t.Fatalf("the cells of part %d do not ascend: %v", part, cells)
				}
				for _, cell := range cells {
					if of[cell] != int32(part) {
						t.Fatalf("cell %d of part %d is listed in part %d", cell, of[cell], part)
					}
				}
				seen += len(cells)
			}
			if seen != n {
				t.Fatalf("Split lists %d cells of %d", seen, n)
			}
		}
	})
}

// bisectBySorting is recursive coordinate bisection as a reader would write it: sort, cut, recurse.
func bisectBySorting(x, y []float64, ids []int32, parts int, first int32, of []int32) {
	if parts == 1 {
		for _, id := range ids {
			of[id] = first
		}
		return
	}
	extent := func(c []float64) float64 {
		low, high := math.Inf(1), math.Inf(-1)
		for _, id := range ids {
			low, high = min(low, c[id]), max(high, c[id])
		}
		return high - low
	}
	along := x
	if len(ids) > 0 && extent(y) > extent(x) {
		along = y
	}
	slices.SortFunc(ids, func(a, b int32) int {
		return cmp.Or(cmp.Compare(along[a], along[b]), cmp.Compare(a, b))
	})
	at := len(ids) * (parts / 2) / parts
	bisectBySorting(x, y, ids[:at], parts/2, first, of)
	bisectBySorting(x, y, ids[at:], parts-parts/2, first+int32(parts/2), of)
}

// For powers of two, and cell counts that they divide, every rounding rule agrees, and the quick selection must give
// what sorting gives.
func TestBisectionAgreesWithSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := 1 << rapid.IntRange(0, 5).Draw(t, "log2 parts")
		n := parts * rapid.IntRange(0, 60).Draw(t, "cells a part")
		random := splitMix(rapid.Uint64().Draw(t, "seed"))
		values := rapid.SampledFrom([]uint64{1, 3, 20, 1 << 40}).Draw(t, "distinct values")
		x, y := make([]float64, n), make([]float64, n)
		for i := range n {
			x[i], y[i] = float64(random.below(values)), float64(random.below(values))
		}
		want := make([]int32, n)
		bisectBySorting(x, y, identity(n), parts, 0, want)
		if got := bisect(x, y, parts); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// A selection whose pivots are all bad ends by sorting; with sorted, reversed and organ-pipe input it never is slow.
func TestSelectionOfAwkwardInput(t *testing.T) {
	const n = 3000
	for name, value := range map[string]func(i int) float64{
		"ascending":  func(i int) float64 { return float64(i) },
		"descending": func(i int) float64 { return float64(-i) },
		"organ pipe": func(i int) float64 { return float64(min(i, n-i)) },
		"equal":      func(int) float64 { return 1 },
		"saw":        func(i int) float64 { return float64(i % 7) },
	} {
		for _, k := range []int{0, 1, n / 3, n - 1, n} {
			points := make([]point, n)
			for i := range points {
				points[i] = point{[2]float64{value(i), 0}, int32(i)}
			}
			selectPoints(points, k, 0)
			for _, p := range points[:k] {
				for _, q := range points[k:min(n, k+50)] {
					if !p.less(q, 0) {
						t.Fatalf("%s, k = %d: %v is not before %v", name, k, p, q)
					}
				}
			}
		}
	}
}

func TestPartitionRefusals(t *testing.T) {
	g := grid(t, 2, 2)
	four := []float64{0, 1, 2, 3}
	for _, test := range []struct {
		kind  Cut
		x     []float64
		parts int
		want  string
	}{
		{"hilber", four, 2, `unknown partition "hilber": choose one of hilbert, rcb, metis, random`},
		{HilbertCut, four, 0, "cannot make 0 parts"},
		{RCB, four, -3, "cannot make -3 parts"},
		{RCB, four[:2], 2, `partition "rcb": 2 coordinates x for 4 cells`},
		{HilbertCut, []float64{0, math.NaN(), 0, 0}, 2, "cell 1: coordinate x is NaN"},
	} {
		_, err := Partition(test.kind, g, test.x, four, test.parts, 0)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("partition %q: error %v, want %q", test.kind, err, test.want)
		}
	}
	for _, parts := range [][]int32{{0, 2}, {-1, 0}} {
		if _, err := Split(parts, 2); err == nil {
			t.Errorf("Split took the parts %v of 2", parts)
		}
	}
	if _, err := Split(nil, -1); err == nil {
		t.Error("Split took -1 parts")
	}
}

// Bisection of so many points that halves are bisected at the same time gives the parts of one goroutine, which are
// boxes of equal counts.
func TestBisectionOfMany(t *testing.T) {
	const n, parts = 250_000, 5
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], y[i] = float64(i*7919%n), float64(i*104729%n/3)
	}
	of := bisect(x, y, parts)
	count := make([]int, parts)
	for _, p := range of {
		count[p]++
	}
	for p, c := range count {
		if c != n/parts {
			t.Errorf("part %d has %d points of %d", p, c, n)
		}
	}
	if again := bisect(x, y, parts); !slices.Equal(of, again) {
		t.Error("points are in other parts the second time")
	}
}
