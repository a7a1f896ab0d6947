package partition

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawGraph draws a graph of up to 40 vertices, from one without edges to a complete one, mostly disconnected.
func drawGraph(t *rapid.T) (g Graph, edges [][2]int32) {
	n := rapid.IntRange(0, 40).Draw(t, "n")
	random := splitMix(rapid.Uint64().Draw(t, "seed"))
	density := rapid.SampledFrom([]uint64{0, 1, 3, 6, 20, 100}).Draw(t, "percent")
	for v := range int32(n) {
		for u := range v {
			if random.below(100) < density {
				edges = append(edges, [2]int32{v, u})
			}
		}
	}
	for i, j := range shuffled(len(edges), uint64(random)) {
		edges[i], edges[j] = edges[j], edges[i]
	}
	return fromEdges(t, n, edges), edges
}

func TestGraphHasTheEdgesGiven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, edges := drawGraph(t)
		joined := map[[2]int32]bool{}
		for _, e := range edges {
			joined[e], joined[[2]int32{e[1], e[0]}] = true, true
		}
		if g.Edges() != len(edges) {
			t.Fatalf("%d edges, want %d", g.Edges(), len(edges))
		}
		for v := range int32(g.N()) {
			if int(g.Degree(v)) != len(g.Neighbours(v)) || !slices.IsSorted(g.Neighbours(v)) {
				t.Fatalf("row of %d: %v, degree %d", v, g.Neighbours(v), g.Degree(v))
			}
			for u := range int32(g.N()) {
				if slices.Contains(g.Neighbours(v), u) != joined[[2]int32{v, u}] {
					t.Fatalf("%d-%d is wrong", v, u)
				}
			}
		}
	})
}

func TestGraphRefusals(t *testing.T) {
	none := int32(-1)
	for _, test := range []struct {
		neighbours [][3]int32
		want       string
	}{
		{[][3]int32{{1, none, none}, {none, none, none}}, "cell 0 has neighbour 1, but cell 1 does not have neighbour 0"},
		{[][3]int32{{none, none, none}, {none, 0, none}}, "cell 1 has neighbour 0, but cell 0 does not have neighbour 1"},
		{[][3]int32{{0, none, none}}, "cell 0 is its own neighbour"},
		{[][3]int32{{1, 1, none}, {0, none, none}}, "cell 0 has neighbour 1 twice"},
		{[][3]int32{{1, none, none}, {0, 2, none}}, "cell 1 has neighbour 2, which is not in 0..1"},
		{[][3]int32{{-2, none, none}}, "cell 0 has neighbour -2, which is not in 0..0"},
		{[][3]int32{{1, none, none}, {2, none, none}, {0, none, none}}, "cell 0 has neighbour 1, but"},
		{[][3]int32{{2, none, none}, {2, none, none}, {1, none, none}}, "cell 0 has neighbour 2, but"},
	} {
		if _, err := FromNeighbours(test.neighbours); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: error %v, want %q", test.neighbours, err, test.want)
		}
	}
	for _, test := range []struct {
		n     int
		edges [][2]int32
		want  string
	}{
		{2, [][2]int32{{0, 2}}, "edge 0-2: vertex 2 is not in 0..1"},
		{2, [][2]int32{{-1, 0}}, "vertex -1 is not in"},
		{2, [][2]int32{{1, 1}}, "its own neighbour"},
		{2, [][2]int32{{0, 1}, {1, 0}}, "twice"},
		{-1, nil, "cannot be numbered"},
	} {
		if _, err := FromEdges(test.n, test.edges); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: error %v, want %q", test.edges, err, test.want)
		}
	}
}

func TestEmptyGraph(t *testing.T) {
	var zero Graph
	g, err := FromNeighbours(nil)
	if err != nil || g.N() != 0 || zero.N() != 0 {
		t.Fatal(g, err)
	}
	for _, ordering := range Orderings {
		for _, g := range []Graph{zero, g} {
			if perm, err := Order(ordering, g, [][]float64{nil, nil}, 0); err != nil || len(perm) != 0 {
				t.Errorf("order %s: %v, %v", ordering, perm, err)
			}
		}
	}
}

// The subgraph of any set of vertices has exactly the edges between them. The ids are spread out, so that words of
// the bitmap that finds them lie empty between.
func TestSubgraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		small, _ := drawGraph(t)
		stride := rapid.SampledFrom([]int{1, 7, 64, 100}).Draw(t, "stride")
		offset := rapid.IntRange(0, stride-1).Draw(t, "offset")
		var edges [][2]int32
		for v := range int32(small.N()) {
			for _, u := range small.Neighbours(v) {
				if u < v {
					edges = append(edges, [2]int32{v*int32(stride) + int32(offset), u*int32(stride) + int32(offset)})
				}
			}
		}
		g := fromEdges(t, small.N()*stride, edges)
		var cells []int32
		for v := range int32(small.N()) {
			if rapid.Bool().Draw(t, "in") {
				cells = append(cells, v*int32(stride)+int32(offset))
			}
		}
		sub := g.subgraph(cells)
		if err := sub.check(); err != nil || sub.N() != len(cells) {
			t.Fatal(sub.N(), err)
		}
		for i, v := range cells {
			for j, u := range cells {
				if slices.Contains(sub.Neighbours(int32(i)), int32(j)) != slices.Contains(g.Neighbours(v), u) {
					t.Fatalf("edge %d-%d is wrong in the subgraph", v, u)
				}
			}
		}
	})
}
