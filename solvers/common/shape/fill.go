package shape

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/internal/parallel"
)

// cellsPerWorker is the smallest number of cells for which another goroutine pays off.
const cellsPerWorker = 1000

// Fill returns the volume fraction of a body in each cell of a block, x fastest, by recursive division, levels times:
// see [Body.Divided]. With negative levels it uses quadrature, or for polyhedra [Body.Cut]. It uses all
// processors, and ends soon after ctx is cancelled.
func Fill(ctx context.Context, b *grid.Block, body Body, levels int, planes bool) ([]float64, error) {
	if levels < 0 && body.Polyhedron() {
		return body.Cut(ctx, blockCells(b))
	}
	out := make([]float64, b.Cells())
	row := b.N[0]
	return out, parallel.Each(ctx, "volume fractions", b.N[1]*b.N[2], cellsPerWorker/row+1, func(lo, hi int) error {
		body, cell := body.Copy(), Cell{Dim: b.Grid.Dim}
		for d := range cell.Dim {
			cell.H[d] = b.Grid.Spacing(d)
		}
		for r := lo; r < hi; r++ {
			for i := range row {
				cell.Lo[0], cell.Lo[1], cell.Lo[2] = b.Vertex(i, r%b.N[1], r/b.N[1])
				if levels < 0 {
					out[r*row+i] = body.Fraction(cell)
				} else {
					out[r*row+i] = body.Divided(cell, levels, planes)
				}
			}
		}
		return nil
	})
}

// FillNear is Fill by quadrature for a body of which phi has the level set at the centre of each cell. If its Slope is
// known, fractions are computed only near the surface.
func FillNear(ctx context.Context, b *grid.Block, body Body, phi []float64) ([]float64, error) {
	if body.Slope == 0 || body.Polyhedron() {
		return Fill(ctx, b, body, -1, true)
	}
	cell, square := Cell{Dim: b.Grid.Dim}, 0.0
	for d := range cell.Dim {
		cell.H[d] = b.Grid.Spacing(d)
		square += cell.H[d] * cell.H[d] / 4
	}
	farthest := body.Slope * math.Sqrt(square) * (1 + 1e-9)
	out := make([]float64, b.Cells())
	row := b.N[0]
	return out, parallel.Each(ctx, "volume fractions", b.N[1]*b.N[2], cellsPerWorker/row+1, func(lo, hi int) error {
		body, cell := body.Copy(), cell
		for r := lo; r < hi; r++ {
			for i := range row {
				switch n := r*row + i; {
				case math.Abs(phi[n]) <= farthest:
					cell.Lo[0], cell.Lo[1], cell.Lo[2] = b.Vertex(i, r%b.N[1], r/b.N[1])
					out[n] = body.Fraction(cell)
				case phi[n] < 0:
					out[n] = 1
				}
			}
		}
		return nil
	})
}

// blockCells returns the block's own cells.
func blockCells(b *grid.Block) Cells {
	c := Cells{Dim: b.Grid.Dim}
	for axis := range c.Planes {
		for i := range b.N[axis] + 1 {
			c.Planes[axis] = append(c.Planes[axis], b.Grid.Face(axis, b.Lo[axis]+i))
		}
	}
	return c
}
