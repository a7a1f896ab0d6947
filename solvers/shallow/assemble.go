package shallow

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// assemble builds the edges and sites of a part. Edges between owned cells and at the boundary come first, in the
// order of their lower cell, those that touch a ghost last; inner counts the former. kind tells what a neighbour
// outside the mesh is, Wall or Open. An edge's geometry is computed from its left cell alone, so that both ranks
// that hold it get the same bits.
func assemble[F kernels.Float](p *mesh.Part, depth []float64, kind func(neighbour int32) int32) (m kernels.Mesh[F], inner int, err error) {
	n := len(p.Cells)
	m.Owned = int32(p.Owned)
	m.Sites = make([]kernels.Site[F], n)
	for i := range m.Sites {
		m.Sites[i] = kernels.Site[F]{Depth: F(depth[i]), Area: F(p.Area(i)), Edge: [3]int32{none, none, none}}
	}
	count := 0
	for i, nb := range p.Neighbour {
		for _, o := range nb {
			if o < 0 || o > int32(i) {
				count++
			}
		}
	}
	m.Edges = make([]kernels.Edge[F], 0, count)
	for _, ghost := range []bool{false, true} {
		for i := range p.Owned {
			for k := range 3 {
				o := p.Neighbour[i][k]
				if o >= 0 && (int(o) >= p.Owned) != ghost || o < 0 && ghost || o >= 0 && o < int32(i) {
					continue
				}
				id := int32(len(m.Edges))
				e, left := edge[F](p, int32(i), k, kind)
				m.Edges = append(m.Edges, e)
				m.Sites[i].Edge[k] = id
				if !left {
					m.Sites[i].Edge[k] = ^id
				}
				if o >= 0 && int(o) < p.Owned {
					slot, err := facing(p, o, int32(i))
					if err != nil {
						return m, 0, err
					}
					m.Sites[o].Edge[slot] = ^m.Sites[i].Edge[k]
				}
			}
		}
		if !ghost {
			inner = len(m.Edges)
		}
	}
	return m, inner, nil
}

// none marks an edge of a ghost that this rank does not hold.
const none = math.MinInt32

// edge makes the edge at slot k of cell i, and tells whether i is its left cell.
func edge[F kernels.Float](p *mesh.Part, i int32, k int, kind func(int32) int32) (e kernels.Edge[F], left bool) {
	a, b := p.Cells[i][k], p.Cells[i][(k+1)%3]
	e.Left, e.Right = i, p.Neighbour[i][k]
	left = true
	if e.Right < 0 {
		e.Right = kind(e.Right)
	} else if p.Global[e.Right] < p.Global[i] {
		// Seen from the neighbour, the edge runs the other way.
		e.Left, e.Right, a, b, left = e.Right, i, b, a, false
	}
	dx, dy := p.X[b]-p.X[a], p.Y[b]-p.Y[a]
	length := math.Hypot(dx, dy)
	e.Nx, e.Ny, e.Length = F(dy/length), F(-dx/length), F(length)
	return e, left
}

// facing returns the slot of cell o whose neighbour is i.
func facing(p *mesh.Part, o, i int32) (int, error) {
	for k, x := range p.Neighbour[o] {
		if x == i {
			return k, nil
		}
	}
	return 0, fmt.Errorf("cell %d has cell %d as a neighbour, but not the other way round", p.Global[i], p.Global[o])
}
