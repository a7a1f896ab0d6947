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
		for _, method := range []Method{HilbertCut, RCB, RandomCut} {
			partOf, err := Partition(method, g, [][]float64{x, y}, parts, 9)
			if err != nil {
				t.Fatal(err)
			}
			again, _ := Partition(method, g, [][]float64{x, y}, parts, 9)
			if !slices.Equal(partOf, again) {
				t.Fatalf("partition %s: the second call gives %v, the first %v", method, again, partOf)
			}
			split, err := Split(partOf, parts)
			if err != nil || len(partOf) != n {
				t.Fatalf("partition %s: %d cells of %d, %v", method, len(partOf), n, err)
			}
			total := 0
			for part, cells := range split {
				if len(cells) < n/parts || len(cells) > (n+parts-1)/parts {
					t.Fatalf("partition %s: part %d of %d has %d cells of %d", method, part, parts, len(cells), n)
				}
				if !slices.IsSorted(cells) {
					t.Fatalf("the cells of part %d do not ascend: %v", part, cells)
				}
				for _, cell := range cells {
					if partOf[cell] != int32(part) {
						t.Fatalf("cell %d of part %d is listed in part %d", cell, partOf[cell], part)
					}
				}
				total += len(cells)
			}
			if total != n {
				t.Fatalf("Split lists %d cells of %d", total, n)
			}
		}
	})
}

// bisectBySorting is a plain implementation of recursive coordinate bisection: sort, cut, recurse.
func bisectBySorting(x, y []float64, ids []int32, parts int, first int32, partOf []int32) {
	if parts == 1 {
		for _, id := range ids {
			partOf[id] = first
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
	cut := len(ids) * (parts / 2) / parts
	bisectBySorting(x, y, ids[:cut], parts/2, first, partOf)
	bisectBySorting(x, y, ids[cut:], parts-parts/2, first+int32(parts/2), partOf)
}

// bisect agrees with sorting where the number of parts is a power of two that divides the number of cells: there, the
// result does not depend on how the size of a half is rounded.
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
		if got := bisect([][]float64{x, y}, parts); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// selectPoints puts the k least points first for inputs on which simple choices of a pivot are bad.
func TestSelectPointsOfStructuredInput(t *testing.T) {
	const n = 3000
	for name, value := range map[string]func(i int) float64{
		"ascending":  func(i int) float64 { return float64(i) },
		"descending": func(i int) float64 { return float64(-i) },
		"organ pipe": func(i int) float64 { return float64(min(i, n-i)) },
		"equal":      func(int) float64 { return 1 },
		"sawtooth":   func(i int) float64 { return float64(i % 7) },
	} {
		for _, k := range []int{0, 1, n / 3, n - 1, n} {
			points := make([]point, n)
			for i := range points {
				points[i] = point{[3]float64{value(i), 0}, int32(i)}
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
		method Method
		x      []float64
		parts  int
		want   string
	}{
		{"hilber", four, 2, `unknown partition "hilber": choose one of hilbert, rcb, metis, random`},
		{HilbertCut, four, 0, "cannot make 0 parts"},
		{RCB, four, -3, "cannot make -3 parts"},
		{RCB, four[:2], 2, `partition "rcb": 2 coordinates x for 4 cells`},
		{HilbertCut, []float64{0, math.NaN(), 0, 0}, 2, "cell 1: coordinate x is NaN"},
	} {
		_, err := Partition(test.method, g, [][]float64{test.x, four}, test.parts, 0)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("partition %q: error %v, want %q", test.method, err, test.want)
		}
	}
	for _, parts := range [][]int32{{0, 2}, {-1, 0}} {
		if _, err := Split(parts, 2); err == nil {
			t.Errorf("Split accepted the parts %v of 2, want an error", parts)
		}
	}
	if _, err := Split(nil, -1); err == nil {
		t.Error("Split accepted -1 parts, want an error")
	}
}

// With so many points that bisect uses several goroutines, parts have equal sizes and the result is reproducible.
func TestBisectionOfMany(t *testing.T) {
	const n, parts = 250_000, 5
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], y[i] = float64(i*7919%n), float64(i*104729%n/3)
	}
	partOf := bisect([][]float64{x, y}, parts)
	count := make([]int, parts)
	for _, p := range partOf {
		count[p]++
	}
	for p, c := range count {
		if c != n/parts {
			t.Errorf("part %d has %d points, want %d", p, c, n/parts)
		}
	}
	if again := bisect([][]float64{x, y}, parts); !slices.Equal(partOf, again) {
		t.Error("the second call gives another partition")
	}
}

// TestPartsOfSpaceAreCompact: in space, parts by all three coordinates have fewer edges between them than columns along
// the third. 64 cubes of a lattice of 32³ have 9·32² edges between them.
func TestPartsOfSpaceAreCompact(t *testing.T) {
	const n, parts = 32, 64
	var edges [][2]int32
	at := [][]float64{make([]float64, n*n*n), make([]float64, n*n*n), make([]float64, n*n*n)}
	for k := range n * n * n {
		for axis, stride := range []int{1, n, n * n} {
			position := k / stride % n
			at[axis][k] = float64(position)
			if position+1 < n {
				edges = append(edges, [2]int32{int32(k), int32(k + stride)})
			}
		}
	}
	g := fromEdges(t, n*n*n, edges)
	for _, method := range []Method{HilbertCut, RCB} {
		partOf, err := Partition(method, g, at, parts, 0)
		if err != nil {
			t.Fatal(err)
		}
		r, err := ReportParts(g, partOf, parts)
		if err != nil {
			t.Fatal(err)
		}
		if r.EdgeCut != 9*n*n {
			t.Errorf("%s: %d edges between parts, want %d", method, r.EdgeCut, 9*n*n)
		}
		if flat, err := Partition(method, g, at[:2], parts, 0); err != nil {
			t.Fatal(err)
		} else if r, err := ReportParts(g, flat, parts); err != nil || r.EdgeCut <= 9*n*n {
			t.Errorf("%s by two coordinates: %d edges between parts, %v", method, r.EdgeCut, err)
		}
	}
}
