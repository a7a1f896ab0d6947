package partition

import (
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
)

// Graph is an undirected graph in compressed rows: the neighbours of v are Adj[Start[v]:Start[v+1]].
//
// Invariant: every row is strictly ascending, no vertex is its own neighbour, and u is in the row of v exactly
// when v is in the row of u. The constructors check it; the rest of the package relies on it.
type Graph struct {
	Start []int32 // N()+1 entries; Start[0] = 0
	Adj   []int32 // 2·Edges() entries: each edge is in the rows of both its vertices
}

// verticesPerWorker is how many vertices are worth a goroutine.
const verticesPerWorker = 20_000

// N is the number of vertices.
func (g Graph) N() int { return max(len(g.Start)-1, 0) }

// Edges is the number of undirected edges.
func (g Graph) Edges() int { return len(g.Adj) / 2 }

// Degree is the number of neighbours of v.
func (g Graph) Degree(v int32) int32 { return g.Start[v+1] - g.Start[v] }

// Neighbours is the row of v, ascending. The caller must not modify it.
func (g Graph) Neighbours(v int32) []int32 { return g.Adj[g.Start[v]:g.Start[v+1]] }

// FromNeighbours builds the dual graph of a triangle mesh from the neighbour of each cell across each of its three
// edges, -1 for none. It refuses ids out of range and lists that contradict each other.
func FromNeighbours(neighbours [][3]int32) (Graph, error) {
	n := len(neighbours)
	if n > math.MaxInt32/3 {
		return Graph{}, fmt.Errorf("a mesh of %d cells is too large: at most %d can be numbered", n, math.MaxInt32/3)
	}
	parts := parallel.Parts(n, verticesPerWorker)
	starts := parallel.Offsets(n, parts, func(v int) (degree int) {
		for _, u := range neighbours[v] {
			if u != -1 {
				degree++
			}
		}
		return degree
	})
	g := Graph{Start: make([]int32, n+1), Adj: make([]int32, starts[parts])}
	parallel.Ranges(n, parts, func(part, lo, hi int) {
		next := starts[part]
		for v := lo; v < hi; v++ {
			first := next
			for _, u := range neighbours[v] {
				if u != -1 {
					g.Adj[next] = u
					next++
				}
			}
			slices.Sort(g.Adj[first:next])
			g.Start[v+1] = int32(next)
		}
	})
	return g, g.check()
}

// FromEdges builds the graph of n vertices whose edges are given once each, in either direction and any order.
// It refuses ids out of range, loops, and edges given twice.
func FromEdges(n int, edges [][2]int32) (Graph, error) {
	if n < 0 || n >= math.MaxInt32 || len(edges) > math.MaxInt32/2 {
		return Graph{}, fmt.Errorf("a graph of %d vertices and %d edges cannot be numbered with 32 bits", n, len(edges))
	}
	start := make([]int32, n+1)
	for _, e := range edges {
		for _, v := range e {
			if v < 0 || int(v) >= n {
				return Graph{}, fmt.Errorf("edge %d-%d: vertex %d is not in 0..%d", e[0], e[1], v, n-1)
			}
			start[v+1]++
		}
	}
	for v := range n {
		start[v+1] += start[v]
	}
	g := Graph{Start: start, Adj: make([]int32, 2*len(edges))}
	next := slices.Clone(start[:n])
	for _, e := range edges {
		for k, v := range e {
			g.Adj[next[v]] = e[1-k]
			next[v]++
		}
	}
	for v := range int32(n) {
		slices.Sort(g.Neighbours(v))
	}
	return g, g.check()
}

// check verifies the invariant of Graph, given sorted rows. The verification is parallel; the serial firstFault
// describes what is wrong, so that the error does not depend on the number of threads.
func (g Graph) check() error {
	if parallel.All(g.N(), verticesPerWorker, func(v int) bool { return g.validRow(int32(v)) }) {
		return nil
	}
	return g.firstFault()
}

// validRow reports whether the row of v satisfies the invariant.
func (g Graph) validRow(v int32) bool {
	row := g.Neighbours(v)
	for k, u := range row {
		if u < 0 || int(u) >= g.N() || u == v || k > 0 && row[k-1] == u {
			return false
		}
		if !contains(g.Neighbours(u), v) {
			return false
		}
	}
	return true
}

// contains reports whether a vertex is in a row, which must be ascending.
func contains(row []int32, v int32) bool {
	if len(row) > 8 {
		_, found := slices.BinarySearch(row, v)
		return found
	}
	return slices.Contains(row, v)
}

// firstFault returns an error with the first entry that violates the invariant. It takes linear time.
func (g Graph) firstFault() error {
	n := int32(g.N())
	for v := range n {
		row := g.Neighbours(v)
		for k, u := range row {
			switch {
			case u < 0 || u >= n:
				return fmt.Errorf("cell %d has neighbour %d, which is not in 0..%d (-1 stands for none)", v, u, n-1)
			case u == v:
				return fmt.Errorf("cell %d is its own neighbour", v)
			case k > 0 && row[k-1] == u:
				return fmt.Errorf("cell %d has neighbour %d twice", v, u)
			}
		}
	}
	// As v ascends, so do the entries v in each row: next[u] is the first entry of row u that has not been matched. An
	// entry that is skipped has no counterpart.
	next := slices.Clone(g.Start[:n])
	for v := range n {
		for _, u := range g.Neighbours(v) {
			i := next[u]
			if i == g.Start[u+1] || g.Adj[i] > v {
				return asymmetryError(v, u)
			}
			if g.Adj[i] < v {
				return asymmetryError(u, g.Adj[i])
			}
			next[u]++
		}
	}
	for u := range n {
		if next[u] != g.Start[u+1] {
			return asymmetryError(u, g.Adj[next[u]])
		}
	}
	return nil
}

func asymmetryError(v, u int32) error {
	return fmt.Errorf("cell %d has neighbour %d, but cell %d does not have neighbour %d", v, u, u, v)
}

// subgraph is the graph of the given cells, in ascending order, and the edges between them. Its vertex i is cells[i].
func (g Graph) subgraph(cells []int32) Graph {
	set := newIDSet(cells)
	sub := Graph{Start: make([]int32, len(cells)+1), Adj: make([]int32, 0, 3*len(cells))}
	for i, v := range cells {
		for _, u := range g.Neighbours(v) {
			if j, ok := set.index(u); ok {
				sub.Adj = append(sub.Adj, j)
			}
		}
		sub.Start[i+1] = int32(len(sub.Adj))
	}
	return sub
}
