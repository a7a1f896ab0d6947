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
			values := out[r*row : (r+1)*row]
			cell.Lo[0], cell.Lo[1], cell.Lo[2] = b.Vertex(0, r%b.N[1], r/b.N[1])
			if levels < 0 {
				body.fillRow(b, cell, 0, b.Grid.N[0], values)
				continue
			}
			for i := range values {
				cell.Lo[0], _, _ = b.Vertex(i, 0, 0)
				values[i] = body.Divided(cell, levels, planes)
			}
		}
		return nil
	})
}

// longestSegment is the most cells that fillRow looks at together.
const longestSegment = 64

// fillRow sets the fractions of those cells of a row of the block that are among cells first to end-1 of the grid. It
// halves segments of the row until no level set of an expression changes its sign in them. Segments do not depend on
// the block, so that fractions on several ranks have the same bits.
func (b Body) fillRow(block *grid.Block, cell Cell, first, end int, values []float64) {
	lo, hi := max(first-block.Lo[0], 0), min(end-block.Lo[0], len(values))
	if lo >= hi {
		return
	}
	g := block.Grid
	cell.Lo[0] = g.Face(0, first)
	switch {
	case end-first == 1:
		values[lo] = b.Fraction(cell)
		return
	case b.tree == nil && end-first <= longestSegment:
		cells := cell
		cells.H[0] = g.Face(0, end) - cells.Lo[0]
		ranges := cells.box()
		var found [4]surfaceIn
		switch tree, _ := b.levels.within(&cells, &ranges, found[:0]); tree.op {
		case everything:
			for i := lo; i < hi; i++ {
				values[i] = 1
			}
			return
		case nothing: // as they are
			return
		}
	}
	middle := first + (end-first)/2
	b.fillRow(block, cell, first, middle, values)
	b.fillRow(block, cell, middle, end, values)
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
