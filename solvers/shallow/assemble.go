package shallow

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// assemble builds the edges and cells of a part. Edges between owned cells and at the boundary come first, in the
// order of their lower cell, those that touch a ghost last; inner counts the former. Edges at the boundary that are no
// walls become outlets. An edge's geometry is computed from its left cell alone, so that both ranks that hold it get
// the same bits.
func assemble[F num.Float](p *mesh.Part, depth []float64, out *outlets[F]) (m kernels.Mesh[F], inner int, err error) {
	n := len(p.Cells)
	m.Owned = int32(p.Owned)
	m.Beds, m.Links = make([]kernels.Bed[F], n), make([]kernels.Links, p.Owned)
	for i := range m.Beds {
		m.Beds[i] = kernels.Bed[F]{Depth: F(depth[i]), Area: F(p.Area(i))}
	}
	count := 0
	for i, nb := range p.Neighbour {
		for _, o := range nb {
			if o < 0 || o > int32(i) {
				count++
			}
		}
	}
	m.Ends, m.Normals = make([]kernels.Ends, 0, count), make([]kernels.Normal[F], 0, count)
	for _, ghost := range []bool{false, true} {
		for i := range p.Owned {
			for k := range 3 {
				o := p.Neighbour[i][k]
				if o >= 0 && (int(o) >= p.Owned) != ghost || o < 0 && ghost || o >= 0 && o < int32(i) {
					continue
				}
				id := int32(len(m.Ends))
				at, normal, left := edge[F](p, int32(i), k, out)
				m.Ends, m.Normals = append(m.Ends, at), append(m.Normals, normal)
				m.Links[i].Edge[k] = id
				if !left {
					m.Links[i].Edge[k] = ^id
				}
				if o >= 0 && int(o) < p.Owned {
					slot, err := facing(p, o, int32(i))
					if err != nil {
						return m, 0, err
					}
					m.Links[o].Edge[slot] = ^m.Links[i].Edge[k]
				}
			}
		}
		if !ghost {
			inner = len(m.Ends)
		}
	}
	m.Boundary = out.boundary
	return m, inner, nil
}

// edge makes the edge at slot k of cell i, and tells whether i is its left cell.
func edge[F num.Float](p *mesh.Part, i int32, k int,
	out *outlets[F]) (e kernels.Ends, n kernels.Normal[F], left bool) {
	a, b := p.Cells[i][k], p.Cells[i][(k+1)%3]
	e.Left, e.Right = i, p.Neighbour[i][k]
	left = true
	if e.Right < 0 {
		e.Right = out.add(p, i, k)
	} else if p.Global[e.Right] < p.Global[i] {
		// Seen from the neighbour, the edge runs the other way.
		e.Left, e.Right, a, b, left = e.Right, i, b, a, false
	}
	dx, dy := p.X[b]-p.X[a], p.Y[b]-p.Y[a]
	length := math.Hypot(dx, dy)
	n.X, n.Y, n.Length = F(dy/length), F(-dx/length), F(length)
	return e, n, left
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
