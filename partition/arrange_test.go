package partition

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawPartition draws a random graph and the part, of n, of each vertex. Parts may be empty.
func drawPartition(t *rapid.T) (g Graph, partOf []int32, n int) {
	g, _ = drawGraph(t)
	n = rapid.IntRange(1, 8).Draw(t, "parts")
	partOf = rapid.SliceOfN(rapid.Int32Range(0, int32(n-1)), g.N(), g.N()).Draw(t, "part of each cell")
	return g, partOf, n
}

func TestArrange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, partOf, n := drawPartition(t)
		coordinate := rapid.SliceOfN(rapid.Float64Range(0, 1), g.N(), g.N())
		x, y := coordinate.Draw(t, "x"), coordinate.Draw(t, "y")
		split, err := Split(partOf, n)
		if err != nil {
			t.Fatal(err)
		}
		for _, ordering := range Orderings {
			for part, cells := range split {
				core, boundary, err := Arrange(g, partOf, cells, ordering, x, y, 3)
				if err != nil {
					t.Fatal(err)
				}
				isBoundary := func(v int32) bool {
					return slices.ContainsFunc(g.Neighbours(v), func(u int32) bool { return partOf[u] != int32(part) })
				}
				if slices.ContainsFunc(core, isBoundary) {
					t.Fatalf("part %d: core %v has foreign neighbours", part, core)
				}
				for _, v := range boundary {
					if !isBoundary(v) {
						t.Fatalf("part %d: cell %d of the boundary has no foreign neighbour", part, v)
					}
				}
				if ordering == Natural && (!slices.IsSorted(core) || !slices.IsSorted(boundary)) {
					t.Fatalf("part %d: the natural order %v %v does not ascend", part, core, boundary)
				}
				arranged := slices.Concat(core, boundary)
				slices.Sort(arranged)
				if !slices.Equal(arranged, cells) {
					t.Fatalf("part %d: arranged %v, want the cells %v", part, arranged, cells)
				}
			}
		}
	})
}

// In a partition with one part, all cells are core cells, in the order that Order gives the whole graph.
func TestArrangeOnePart(t *testing.T) {
	g, x, y := lattice(9, 7, 4).dual(t)
	partOf := make([]int32, g.N())
	for _, ordering := range Orderings {
		want, err := Order(ordering, g, [][]float64{x, y}, 8)
		if err != nil {
			t.Fatal(err)
		}
		core, boundary, err := Arrange(g, partOf, identity(g.N()), ordering, x, y, 8)
		if err != nil || len(boundary) != 0 || !slices.Equal(core, want) {
			t.Errorf("order %s: core %v, boundary %v, error %v, want the core %v", ordering, core, boundary, err, want)
		}
	}
}

// Random shuffles two parts differently for the same seed.
func TestArrangeRandomDependsOnPart(t *testing.T) {
	g := fromEdges(t, 40, nil)
	partOf := make([]int32, 40)
	for i := range partOf {
		partOf[i] = int32(i / 20)
	}
	first, _, err1 := Arrange(g, partOf, identity(40)[:20], Random, nil, nil, 1)
	second, _, err2 := Arrange(g, partOf, identity(40)[20:], Random, nil, nil, 1)
	for i := range second {
		second[i] -= 20
	}
	if err1 != nil || err2 != nil || slices.Equal(first, second) {
		t.Errorf("parts ordered %v and %v, want different orders; errors %v and %v", first, second, err1, err2)
	}
}

func TestGhosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, partOf, n := drawPartition(t)
		depth := rapid.IntRange(0, 4).Draw(t, "depth")
		split, err := Split(partOf, n)
		if err != nil {
			t.Fatal(err)
		}
		for part, cells := range split {
			// Brute force: spread from the part one edge at a time, over all cells.
			reached := make([]bool, g.N())
			for _, v := range cells {
				reached[v] = true
			}
			for range depth {
				next := slices.Clone(reached)
				for v := range int32(g.N()) {
					for _, u := range g.Neighbours(v) {
						next[v] = next[v] || reached[u]
					}
				}
				reached = next
			}
			var want []Neighbour
			for owner := range int32(n) {
				var ghosts []int32
				for v := range int32(g.N()) {
					if reached[v] && partOf[v] == owner && owner != int32(part) {
						ghosts = append(ghosts, v)
					}
				}
				if ghosts != nil {
					want = append(want, Neighbour{owner, ghosts})
				}
			}
			got, err := Ghosts(g, partOf, cells, depth)
			same := func(a, b Neighbour) bool { return a.Part == b.Part && slices.Equal(a.Cells, b.Cells) }
			if err != nil || !slices.EqualFunc(got, want, same) {
				t.Fatalf("ghosts of part %d at depth %d: %v, %v, want %v", part, depth, got, err, want)
			}
		}
	})
}

func TestArrangeAndGhostsRefusals(t *testing.T) {
	g := grid(t, 2, 2)
	partOf := []int32{0, 0, 1, 1}
	for _, test := range []struct {
		partOf, cells []int32
		want          string
	}{
		{partOf[:3], []int32{0}, "the partition has 3 cells, the graph has 4"},
		{partOf, []int32{1, 0}, "cell 0 follows cell 1"},
		{partOf, []int32{0, 0}, "cell 0 follows cell 0"},
		{partOf, []int32{1, 2}, "cell 1 is in part 0, cell 2 in part 1"},
		{partOf, []int32{0, 4}, "cell 4 is not in 0..3"},
		{partOf, []int32{-1}, "cell -1 is not in 0..3"},
	} {
		_, _, err := Arrange(g, test.partOf, test.cells, RCM, nil, nil, 0)
		_, err2 := Ghosts(g, test.partOf, test.cells, 1)
		for _, err := range []error{err, err2} {
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("parts %v, cells %v: error %v, want %q", test.partOf, test.cells, err, test.want)
			}
		}
	}
	if _, err := Ghosts(g, partOf, []int32{0, 1}, -1); err == nil {
		t.Error("Ghosts accepted depth -1, want an error")
	}
	for _, cells := range [][]int32{{0, 1}, nil} {
		if _, _, err := Arrange(g, partOf, cells, "rmc", nil, nil, 0); err == nil {
			t.Errorf("Arrange accepted an unknown ordering for cells %v, want an error", cells)
		}
	}
	if _, _, err := Arrange(g, partOf, []int32{0, 1}, Hilbert, []float64{1}, nil, 0); err == nil {
		t.Error("Arrange accepted 1 x and 0 y coordinates for 4 cells, want an error")
	}
}
