package mesh

import (
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
)

// grazing is the sine of the largest angle between two directions that count as equal.
const grazing = 1e-9

// hangingNodes finds hanging nodes: boundary vertices in the interior of a boundary edge. There, cells do not share
// whole edges, and the boundary forms a slit of zero width. nb is the result of Neighbours.
func (m *Mesh) hangingNodes(nb [][3]int32) *fault {
	f := &fault{what: "vertex inside a boundary edge", many: "vertices inside boundary edges",
		advice: "cells must meet at whole edges: merge vertices that are nearly the same (atoll mesh convert " +
			"--merge-duplicates), or mesh the domain again without hanging nodes"}
	edges, cells := m.boundary(nb)
	boxes := m.boxVertices(edges)
	reported := make(map[int32]bool)
	for e, edge := range edges {
		boxes.visitAlong(m, edge, func(v int32) {
			if v != edge[0] && v != edge[1] && !reported[v] && m.isOnEdge(edge, v) {
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

// isOnEdge reports whether a vertex lies on an edge up to round-off, strictly between its ends.
func (m *Mesh) isOnEdge(edge [2]int32, v int32) bool {
	a, b := edge[0], edge[1]
	dx, dy := m.X[b]-m.X[a], m.Y[b]-m.Y[a]
	ux, uy := m.X[v]-m.X[a], m.Y[v]-m.Y[a]
	wx, wy := m.X[b]-m.X[v], m.Y[b]-m.Y[v]
	if !(dx*ux+dy*uy > 0 && dx*wx+dy*wy > 0) {
		return false
	}
	distance, length := math.Abs(dx*uy-dy*ux), math.Hypot(dx, dy)
	rounding := 8 * 0x1p-53 * max(math.Abs(m.X[v]), math.Abs(m.Y[v])) // a few times the round-off of coordinates
	return distance <= length*max(rounding, grazing*min(math.Hypot(ux, uy), math.Hypot(wx, wy)))
}

// boxedVertices sorts the boundary vertices into the boxes of a grid over their bounding box: those of box k are
// list[start[k]:start[k+1]].
type boxedVertices struct {
	n             int     // boxes along each axis
	x, y          float64 // lower corner
	width, height float64 // of a box
	start, list   []int32
}

// boxVertices sorts the first vertices of edges into a grid of about as many boxes.
func (m *Mesh) boxVertices(edges [][2]int32) *boxedVertices {
	b := &boxedVertices{n: int(math.Ceil(math.Sqrt(float64(len(edges))))), x: math.Inf(1), y: math.Inf(1)}
	right, top := math.Inf(-1), math.Inf(-1)
	for _, e := range edges {
		v := e[0]
		b.x, right = min(b.x, m.X[v]), max(right, m.X[v])
		b.y, top = min(b.y, m.Y[v]), max(top, m.Y[v])
	}
	b.width, b.height = (right-b.x)/float64(b.n), (top-b.y)/float64(b.n)
	b.start = make([]int32, b.n*b.n+1)
	boxOf := func(v int32) int { return b.index(m.Y[v]-b.y, b.height)*b.n + b.index(m.X[v]-b.x, b.width) }
	for _, e := range edges {
		b.start[boxOf(e[0])+1]++
	}
	for k := range b.n * b.n {
		b.start[k+1] += b.start[k]
	}
	b.list = make([]int32, len(edges))
	next := append([]int32{}, b.start...)
	for _, e := range edges {
		k := boxOf(e[0])
		b.list[next[k]] = e[0]
		next[k]++
	}
	return b
}

// index is the index, along one axis, of the box at a distance from the lower corner; size is that of a box.
func (b *boxedVertices) index(distance, size float64) int {
	if !(distance > 0) {
		return 0
	}
	if k := distance / size; k < float64(b.n-1) {
		return int(k)
	}
	return b.n - 1 // also if size is 0 or infinite
}

// visitAlong visits the vertices in all boxes through which an edge passes.
func (b *boxedVertices) visitAlong(m *Mesh, e [2]int32, visit func(v int32)) {
	x0, y0, x1, y1 := m.X[e[0]]-b.x, m.Y[e[0]]-b.y, m.X[e[1]]-b.x, m.Y[e[1]]-b.y
	if x0 > x1 {
		x0, y0, x1, y1 = x1, y1, x0, y0
	}
	// Boxes are widened by more than the round-off with which vertices were assigned to them.
	wide, tall := 1e-6*b.width, 1e-6*b.height
	for i := b.index(x0-wide, b.width); i <= b.index(x1+wide, b.width); i++ {
		low, high := y0, y1 // of the edge, within this column of boxes
		if x1 > x0 {
			slope := (y1 - y0) / (x1 - x0)
			low = y0 + slope*(min(x1, max(x0, float64(i)*b.width-wide))-x0)
			high = y0 + slope*(max(x0, min(x1, float64(i+1)*b.width+wide))-x0)
		}
		low, high = min(low, high)-tall, max(low, high)+tall
		for j := b.index(low, b.height); j <= b.index(high, b.height); j++ {
			k := j*b.n + i
			for _, v := range b.list[b.start[k]:b.start[k+1]] {
				visit(v)
			}
		}
	}
}
