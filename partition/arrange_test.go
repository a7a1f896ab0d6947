package partition

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawPartition draws a graph and parts of it, some of them empty.
func drawPartition(t *rapid.T) (g Graph, parts []int32, n int) {
	g, _ = drawGraph(t)
	n = rapid.IntRange(1, 8).Draw(t, "parts")
	parts = rapid.SliceOfN(rapid.Int32Range(0, int32(n-1)), g.N(), g.N()).Draw(t, "part of each cell")
	return g, parts, n
}

func TestArrange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, parts, n := drawPartition(t)
		coordinate := rapid.SliceOfN(rapid.Float64Range(0, 1), g.N(), g.N())
		x, y := coordinate.Draw(t, "x"), coordinate.Draw(t, "y")
		split, err := Split(parts, n)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range Orderings {
			for part, cells := range split {
				core, boundary, err := Arrange(g, parts, cells, kind, x, y, 3)
				if err != nil {
					t.Fatal(err)
				}
				isBoundary := func(v int32) bool {
					return slices.ContainsFunc(g.Neighbours(v), func(u int32) bool { return parts[u] != int32(part) })
				}
				if slices.ContainsFunc(core, isBoundary) {
					t.Fatalf("part %d: core %v has foreign neighbours", part, core)
				}
				for _, v := range boundary {
					if !isBoundary(v) {
						t.Fatalf("part %d: cell %d of the boundary has no foreign neighbour", part, v)
					}
				}
				if kind == Natural && (!slices.IsSorted(core) || !slices.IsSorted(boundary)) {
					t.Fatalf("part %d: the natural order %v %v does not ascend", part, core, boundary)
				}
				all := slices.Concat(core, boundary)
				slices.Sort(all)
				if !slices.Equal(all, cells) {
					t.Fatalf("part %d: arranged %v, want the cells %v", part, all, cells)
				}
			}
		}
	})
}

// A mesh in one part is all core, and its order is that of the whole graph.
func TestArrangeOnePart(t *testing.T) {
	g, x, y := lattice(9, 7, 4).dual(t)
	parts := make([]int32, g.N())
	for _, kind := range Orderings {
		want, err := Order(kind, g, x, y, 8)
		if err != nil {
			t.Fatal(err)
		}
		core, boundary, err := Arrange(g, parts, identity(g.N()), kind, x, y, 8)
		if err != nil || len(boundary) != 0 || !slices.Equal(core, want) {
			t.Errorf("order %s: core %v, boundary %v, error %v, want the core %v", kind, core, boundary, err, want)
		}
	}
}

// Random parts of one seed are shuffled differently.
func TestArrangeRandomDependsOnPart(t *testing.T) {
	g := fromEdges(t, 40, nil)
	parts := make([]int32, 40)
	for i := range parts {
		parts[i] = int32(i / 20)
	}
	first, _, err1 := Arrange(g, parts, identity(40)[:20], Random, nil, nil, 1)
	second, _, err2 := Arrange(g, parts, identity(40)[20:], Random, nil, nil, 1)
	for i := range second {
		second[i] -= 20
	}
	if err1 != nil || err2 != nil || slices.Equal(first, second) {
		t.Errorf("%v, %v, %v, %v", first, second, err1, err2)
	}
}

func TestGhosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, parts, n := drawPartition(t)
		depth := rapid.IntRange(0, 4).Draw(t, "depth")
		split, err := Split(parts, n)
		if err != nil {
			t.Fatal(err)
		}
		for part, cells := range split {
			// Brute force: spread from the part one edge at a time, over all cells.
			near := make([]bool, g.N())
			for _, v := range cells {
				near[v] = true
			}
			for range depth {
				next := slices.Clone(near)
				for v := range int32(g.N()) {
					for _, u := range g.Neighbours(v) {
						next[v] = next[v] || near[u]
					}
				}
				near = next
			}
			var want []Neighbour
			for owner := range int32(n) {
				var theirs []int32
				for v := range int32(g.N()) {
					if near[v] && parts[v] == owner && owner != int32(part) {
						theirs = append(theirs, v)
					}
				}
				if theirs != nil {
					want = append(want, Neighbour{owner, theirs})
				}
			}
			got, err := Ghosts(g, parts, cells, depth)
			same := func(a, b Neighbour) bool { return a.Part == b.Part && slices.Equal(a.Cells, b.Cells) }
			if err != nil || !slices.EqualFunc(got, want, same) {
				t.Fatalf("ghosts of part %d at depth %d: %v, %v, want %v", part, depth, got, err, want)
			}
		}
	})
}

func TestArrangeAndGhostsRefusals(t *testing.T) {
	g := grid(t, 2, 2)
	parts := []int32{0, 0, 1, 1}
	for _, test := range []struct {
		parts, cells []int32
		want         string
	}{
		{parts[:3], []int32{0}, "a partition of 3 cells for a graph of 4"},
		{parts, []int32{1, 0}, "cell 0 follows cell 1"},
		{parts, []int32{0, 0}, "cell 0 follows cell 0"},
		{parts, []int32{1, 2}, "cell 2 is in part 1, but cell 1, in the same list, in part 0"},
		{parts, []int32{0, 4}, "cell 4 is not in 0..3"},
		{parts, []int32{-1}, "cell -1 is not in 0..3"},
	} {
		_, _, err := Arrange(g, test.parts, test.cells, RCM, nil, nil, 0)
		_, err2 := Ghosts(g, test.parts, test.cells, 1)
		for _, err := range []error{err, err2} {
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("parts %v, cells %v: error %v, want %q", test.parts, test.cells, err, test.want)
			}
		}
	}
	if _, err := Ghosts(g, parts, []int32{0, 1}, -1); err == nil {
		t.Error("a ghost layer of depth -1 was made")
	}
	for _, cells := range [][]int32{{0, 1}, nil} {
		if _, _, err := Arrange(g, parts, cells, "rmc", nil, nil, 0); err == nil {
			t.Errorf("an unknown order was taken for cells %v", cells)
		}
	}
	if _, _, err := Arrange(g, parts, []int32{0, 1}, Hilbert, []float64{1}, nil, 0); err == nil {
		t.Error("missing coordinates were taken")
	}
}
