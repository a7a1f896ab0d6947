package flow

import (
	"context"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// wallMargin is the number of cells beyond a wall in which velocities are evaluated.
const wallMargin = 8

// OnBlock returns the velocities in m/s, for a time factor of 1, through the lower faces of all cells including ghosts:
// an array of the block for each axis. Along periodic axes they repeat. More than wallMargin cells beyond a wall they
// are 0.
func OnBlock[F num.Float](ctx context.Context, b *grid.Block, v Flow) (u [3][]F, err error) {
	nx, ny, nz := b.Shape()
	rows := ny * nz
	for axis := range b.Grid.Dim {
		u[axis] = make([]F, b.Len())
	}
	return u, parallel.Each(ctx, "velocities", b.Grid.Dim*rows, facesPerWorker/nx+1, func(lo, hi int) error {
		for r := lo; r < hi; r++ {
			axis, first := r/rows, r%rows*nx
			fillFaces(b, v, axis, first, u[axis][first:first+nx])
		}
		return nil
	})
}

// facesPerWorker is the number of faces for which a goroutine is worth its cost.
const facesPerWorker = 5000

// fillFaces computes the velocities along an axis on one row of faces; first is the index of the row in the array.
func fillFaces[F num.Float](b *grid.Block, v Flow, axis, first int, row []F) {
	low, j, k := b.Cell(first)
	// Whether j and k are inside is the same for all faces of the row: it is asked for a cell that is inside along x.
	_, j, k, inYZ := b.Global(b.N[0]/2, j, k)
	for n := range row {
		i, inX := b.Grid.Wrap(0, b.Lo[0]+low+n)
		if !(inX && inYZ) && (beyondMargin(b.Grid, 0, i) || beyondMargin(b.Grid, 1, j) || beyondMargin(b.Grid, 2, k)) {
			continue
		}
		row[n] = F(v.Face(axis, i, j, k))
	}
}

// beyondMargin reports whether a cell is more than wallMargin cells beyond the walls of an axis.
func beyondMargin(g *grid.Grid, axis, i int) bool {
	return i < -wallMargin || i >= g.N[axis]+wallMargin
}
