package grid

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawGrid draws a random grid with few cells.
func drawGrid(t *rapid.T, dim int) *Grid {
	n, lo, hi, periodic := [3]int{1, 1, 1}, [3]float64{}, [3]float64{}, [3]bool{}
	for a := range dim {
		n[a] = rapid.IntRange(1, 9).Draw(t, "cells")
		lo[a] = rapid.Float64Range(-10, 10).Draw(t, "lo")
		hi[a] = lo[a] + rapid.Float64Range(0.1, 20).Draw(t, "size")
		periodic[a] = rapid.Bool().Draw(t, "periodic")
	}
	g, err := New(dim, n, lo, hi, periodic)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// drawBlock draws a random block of a grid.
func drawBlock(t *rapid.T, g *Grid) *Block {
	var lo, n [3]int
	for a := range 3 {
		lo[a] = rapid.IntRange(0, g.N[a]-1).Draw(t, "first cell")
		n[a] = rapid.IntRange(1, g.N[a]-lo[a]).Draw(t, "owned cells")
	}
	b, err := g.Block(lo, n, rapid.IntRange(0, 3).Draw(t, "ghost layers"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestNewRefusesInvalidGrids(t *testing.T) {
	cells, unit := [3]int{4, 4, 1}, [3]float64{1, 1, 0}
	for name, c := range map[string]struct {
		dim      int
		n        [3]int
		lo, hi   [3]float64
		periodic [3]bool
		want     string
	}{
		"one dimension":       {1, cells, [3]float64{}, unit, [3]bool{}, "want 2 or 3"},
		"no cells":            {2, [3]int{4, 0, 1}, [3]float64{}, unit, [3]bool{}, "0 cells along y"},
		"too many cells":      {2, [3]int{MaxCells + 1, 1, 1}, [3]float64{}, unit, [3]bool{}, "cells along x"},
		"too many in total":   {3, [3]int{1 << 20, 1 << 20, 1 << 11}, [3]float64{}, [3]float64{1, 1, 1}, [3]bool{}, "total"},
		"reversed bounds":     {2, cells, unit, [3]float64{}, [3]bool{}, "ascending"},
		"bounds not a number": {2, cells, [3]float64{math.NaN()}, unit, [3]bool{}, "finite"},
		"infinite bounds":     {2, cells, [3]float64{}, [3]float64{math.Inf(1), 1, 0}, [3]bool{}, "finite"},
		"size overflows":      {2, cells, [3]float64{-1e308}, [3]float64{1e308, 1, 0}, [3]bool{}, "finite"},
		"cells too narrow":    {2, cells, [3]float64{1e16}, [3]float64{1e16 + 4, 1, 0}, [3]bool{}, "too narrow"},
		"layers in 2D":        {2, [3]int{4, 4, 2}, [3]float64{}, unit, [3]bool{}, "axis z"},
		"depth in 2D":         {2, cells, [3]float64{}, [3]float64{1, 1, 1}, [3]bool{}, "axis z"},
		"a period along z":    {2, cells, [3]float64{}, unit, [3]bool{false, false, true}, "axis z"},
		"no depth in 3D":      {3, cells, [3]float64{}, unit, [3]bool{}, "along z"},
	} {
		if _, err := New(c.dim, c.n, c.lo, c.hi, c.periodic); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

func TestBlockRefusesInvalidBlocks(t *testing.T) {
	g, err := New(3, [3]int{4, 5, MaxCells}, [3]float64{}, [3]float64{1, 1, 1}, [3]bool{})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		lo, n [3]int
		ghost int
		want  string
	}{
		"empty":           {[3]int{0, 0, 0}, [3]int{1, 0, 1}, 1, "0 cells from cell 0 along y"},
		"before the grid": {[3]int{-1, 0, 0}, [3]int{1, 1, 1}, 1, "along x"},
		"beyond the grid": {[3]int{2, 0, 0}, [3]int{3, 1, 1}, 1, "cells from 0 to 3"},
		"far beyond":      {[3]int{math.MaxInt, 0, 0}, [3]int{3, 1, 1}, 1, "along x"},
		"negative ghosts": {[3]int{}, [3]int{1, 1, 1}, -1, "ghost layers"},
		"too many ghosts": {[3]int{}, [3]int{1, 1, 1}, 1 << 25, "too large"},
	} {
		if _, err := g.Block(c.lo, c.n, c.ghost); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

// TestIndex: Index numbers the cells of a block, ghosts included, from 0 without gaps, and Cell is its inverse.
func TestIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBlock(t, drawGrid(t, rapid.IntRange(2, 3).Draw(t, "dimensions")))
		want := 0
		gx, gy, gz := b.GhostAlong(0), b.GhostAlong(1), b.GhostAlong(2)
		sx, sy, sz := b.Strides()
		for k := -gz; k < b.N[2]+gz; k++ {
			for j := -gy; j < b.N[1]+gy; j++ {
				for i := -gx; i < b.N[0]+gx; i++ {
					index := b.Index(i, j, k)
					if index != want || index != b.Index(0, 0, 0)+i*sx+j*sy+k*sz {
						t.Fatalf("cell (%d, %d, %d) has index %d, want %d", i, j, k, index, want)
					}
					if ci, cj, ck := b.Cell(index); ci != i || cj != j || ck != k {
						t.Fatalf("index %d is cell (%d, %d, %d), want (%d, %d, %d)", index, ci, cj, ck, i, j, k)
					}
					want++
				}
			}
		}
		if want != b.Len() {
			t.Fatalf("got Len %d, want %d", b.Len(), want)
		}
	})
}

// TestPositionsDoNotDependOnTheBlock: the positions of a cell have the same bits in any block as in the whole grid;
// centres lie between faces, and the outer faces are at the bounds.
func TestPositionsDoNotDependOnTheBlock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGrid(t, rapid.IntRange(2, 3).Draw(t, "dimensions"))
		b := drawBlock(t, g)
		whole, err := g.Whole(0)
		if err != nil {
			t.Fatal(err)
		}
		var cell [3]int
		for a := range 3 {
			cell[a] = rapid.IntRange(0, b.N[a]-1).Draw(t, "cell")
		}
		i, j, k := cell[0], cell[1], cell[2]
		gi, gj, gk, inside := b.Global(i, j, k)
		if !inside || gi != b.Lo[0]+i || gj != b.Lo[1]+j || gk != b.Lo[2]+k {
			t.Fatalf("owned cell %v has global index (%d, %d, %d), inside: %t", cell, gi, gj, gk, inside)
		}
		type position [3]float64
		p := func(x, y, z float64) position { return position{x, y, z} }
		if p(b.Centre(i, j, k)) != p(whole.Centre(gi, gj, gk)) || p(b.Vertex(i, j, k)) != p(whole.Vertex(gi, gj, gk)) {
			t.Fatalf("cell %v has another position in the whole grid", cell)
		}
		for a := range g.Dim {
			low := p(b.Face(a, i, j, k))
			if low != p(whole.Face(a, gi, gj, gk)) {
				t.Fatalf("face %d of cell %v has another position in the whole grid", a, cell)
			}
			next := cell
			next[a]++
			if c, high := p(b.Centre(i, j, k)), p(b.Face(a, next[0], next[1], next[2])); !(low[a] < c[a] && c[a] < high[a]) {
				t.Fatalf("centre %v is not between %v and %v", c, low, high)
			}
			if g.Face(a, 0) != g.Lo[a] || math.Abs(g.Face(a, g.N[a])-g.Hi[a]) > 1e-14*(math.Abs(g.Lo[a])+math.Abs(g.Hi[a])) {
				t.Fatalf("the outer faces along axis %d are at %g and %g, want %g and %g", a, g.Face(a, 0),
					g.Face(a, g.N[a]), g.Lo[a], g.Hi[a])
			}
		}
	})
}

func TestWrap(t *testing.T) {
	g, err := New(2, [3]int{3, 3, 1}, [3]float64{}, [3]float64{1, 1, 0}, [3]bool{true, false, false})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int]int{-4: 2, -1: 2, 0: 0, 2: 2, 3: 0, 7: 1} {
		if got, inside := g.Wrap(0, i); got != want || !inside {
			t.Errorf("periodic axis, cell %d: got %d, inside: %t; want %d, inside", i, got, inside, want)
		}
		if got, inside := g.Wrap(1, i); got != i || inside != (i >= 0 && i < 3) {
			t.Errorf("axis without period, cell %d: got %d, inside: %t", i, got, inside)
		}
	}
}

// TestCopyOwned: CopyOwned returns the owned cells with x fastest, and SetOwned sets them and keeps the ghosts.
func TestCopyOwned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBlock(t, drawGrid(t, rapid.IntRange(2, 3).Draw(t, "dimensions")))
		values := make([]int32, b.Len())
		for i := range values {
			values[i] = int32(i)
		}
		owned := CopyOwned(b, nil, values)
		if len(owned) != b.Cells() {
			t.Fatalf("got %d cells, want %d", len(owned), b.Cells())
		}
		for c, v := range owned {
			i, j, k := c%b.N[0], c/b.N[0]%b.N[1], c/b.N[0]/b.N[1]
			if int(v) != b.Index(i, j, k) {
				t.Fatalf("cell (%d, %d, %d) has the value %d, want %d", i, j, k, v, b.Index(i, j, k))
			}
			owned[c] = -v
		}
		SetOwned(b, values, owned)
		for index, v := range values {
			i, j, k := b.Cell(index)
			isOwned := i >= 0 && j >= 0 && k >= 0 && i < b.N[0] && j < b.N[1] && k < b.N[2]
			if want := int32(index); isOwned && v != -want || !isOwned && v != want {
				t.Fatalf("element %d, cell (%d, %d, %d), has the value %d", index, i, j, k, v)
			}
		}
	})
}
