package mesh

import (
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh/boxes"
)

// hangingNodes finds hanging nodes: boundary vertices in the interior of a boundary edge. There, cells do not share
// whole edges, and the boundary forms a slit of zero width. nb is the result of Neighbours.
func (m *Mesh) hangingNodes(nb [][3]int32) *fault {
	f := &fault{what: "vertex inside a boundary edge", many: "vertices inside boundary edges",
		advice: "cells must meet at whole edges: merge vertices that are nearly the same (atoll mesh convert " +
			"--merge-duplicates), or mesh the domain again without hanging nodes"}
	edges, cells := m.boundary(nb)
	boxed := m.boxVertices(edges)
	reported := make(map[int32]bool)
	at := func(v int32) [2]float64 { return [2]float64{m.X[v], m.Y[v]} }
	for e, edge := range edges {
		a, b := at(edge[0]), at(edge[1])
		boxed.Along(a[0], a[1], b[0], b[1], func(box int) {
			for _, v := range boxed.list[boxed.start[box]:boxed.start[box+1]] {
				if v == edge[0] || v == edge[1] || reported[v] || !boxes.OnEdge(a, b, at(v)) {
					continue
				}
				reported[v] = true
				f.add(func() string {
					return fmt.Sprintf("%s on edge %d-%d of %s", m.describeVertex(int(v)), edge[0], edge[1], m.describe(cells[e]))
				})
			}
		})
	}
	return f
}

// boundary returns the boundary edges and their cells, in the order of cells.
func (m *Mesh) boundary(nb [][3]int32) (edges [][2]int32, cells []int32) {
	byPart := make([][]int32, parallel.Parts(len(nb), itemsPerWorker)) // half-edges
	parallel.Ranges(len(nb), len(byPart), func(part, lo, hi int) {
		for c := lo; c < hi; c++ {
			for k, other := range nb[c] {
				if other < 0 {
					byPart[part] = append(byPart[part], int32(3*c+k))
				}
			}
		}
	})
	for _, h := range slices.Concat(byPart...) {
		v, k := m.Cells[h/3], h%3
		edges, cells = append(edges, [2]int32{v[k], v[(k+1)%3]}), append(cells, h/3)
	}
	return edges, cells
}

// boxedVertices has the first vertices of edges by the box of a grid that they are in: those of box k are
// list[start[k]:start[k+1]].
type boxedVertices struct {
	boxes.Grid
	start, list []int32
}

// boxVertices sorts the first vertices of edges into a grid of about as many boxes.
func (m *Mesh) boxVertices(edges [][2]int32) *boxedVertices {
	left, bottom, right, top := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, e := range edges {
		v := e[0]
		left, right = min(left, m.X[v]), max(right, m.X[v])
		bottom, top = min(bottom, m.Y[v]), max(top, m.Y[v])
	}
	b := &boxedVertices{Grid: boxes.New(int64(len(edges)), left, bottom, right, top)}
	b.start = make([]int32, b.N*b.N+1)
	for _, e := range edges {
		b.start[b.Of(m.X[e[0]], m.Y[e[0]])+1]++
	}
	for k := range b.N * b.N {
		b.start[k+1] += b.start[k]
	}
	b.list = make([]int32, len(edges))
	next := append([]int32{}, b.start...)
	for _, e := range edges {
		k := b.Of(m.X[e[0]], m.Y[e[0]])
		b.list[next[k]] = e[0]
		next[k]++
	}
	return b
}
