package vof

import (
	"context"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// Fill gives the volume fraction of a body in each cell of a block, x fastest, by dividing cells that its surface may
// pass levels times: see [shape.Body.Divided]. With levels below 0 it is found by quadrature, or of a polyhedron by
// [shape.Body.Cut]. It ends soon after the context does.
func Fill(ctx context.Context, b *grid.Block, body shape.Body, levels int, planes bool) ([]float64, error) {
	if levels < 0 && body.Polyhedron() {
		return body.Cut(ctx, cellsOf(b))
	}
	out := make([]float64, 0, b.Cells())
	cell := shape.Cell{Dim: b.Grid.Dim}
	for d := range cell.Dim {
		cell.H[d] = b.Grid.Spacing(d)
	}
	for k := range b.N[2] {
		for j := range b.N[1] {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for i := range b.N[0] {
				cell.Lo[0], cell.Lo[1], cell.Lo[2] = b.Vertex(i, j, k)
				if levels < 0 {
					out = append(out, body.Fraction(cell))
				} else {
					out = append(out, body.Divided(cell, levels, planes))
				}
			}
		}
	}
	return out, nil
}

// cellsOf are the block's own cells.
func cellsOf(b *grid.Block) shape.Cells {
	c := shape.Cells{Dim: b.Grid.Dim}
	for axis := range c.At {
		for i := range b.N[axis] + 1 {
			c.At[axis] = append(c.At[axis], b.Grid.Face(axis, b.Lo[axis]+i))
		}
	}
	return c
}
