package flow

import (
	"context"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// nearWalls is how far beyond walls velocities may be asked for.
const nearWalls = 8

// OnBlock is the velocity at a factor of 1 through the lower faces of all cells, ghosts too: a periodic axis repeats
// them. Further beyond walls than nearWalls they are 0.
func OnBlock[F num.Float](ctx context.Context, b *grid.Block, v Flow) (u [3][]F, err error) {
	nx, ny, nz := b.Shape()
	rows := ny * nz
	for axis := range b.Grid.Dim {
		u[axis] = make([]F, b.Len())
	}
	return u, parallel.Each(ctx, "velocities", b.Grid.Dim*rows, facesPerWorker/nx+1, func(lo, hi int) error {
		for r := lo; r < hi; r++ {
			axis, first := r/rows, r%rows*nx
			faces(b, v, axis, first, u[axis][first:first+nx])
		}
		return nil
	})
}

// facesPerWorker is how many faces are worth a goroutine.
const facesPerWorker = 5000

// faces fills a row of an array, which begins at the given position in it.
func faces[F num.Float](b *grid.Block, v Flow, axis, first int, row []F) {
	low, j, k := b.Cell(first)
	_, j, k, beside := b.Global(b.N[0]/2, j, k)
	for n := range row {
		i, along := b.Grid.Wrap(0, b.Lo[0]+low+n)
		if !(along && beside) && (far(b.Grid, 0, i) || far(b.Grid, 1, j) || far(b.Grid, 2, k)) {
			continue
		}
		row[n] = F(v.Face(axis, i, j, k))
	}
}

// far tells that a cell lies too far beyond the walls of an axis.
func far(g *grid.Grid, axis, i int) bool { return i < -nearWalls || i >= g.N[axis]+nearWalls }
