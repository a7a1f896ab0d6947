package flow

import (
	"context"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// nearWalls is how far beyond walls velocities may be asked for.
const nearWalls = 8

// OnBlock is the velocity at a factor of 1 through the lower faces of all cells, ghosts too: a periodic axis repeats
// them. Further beyond walls than nearWalls they are 0.
func OnBlock[F num.Float](ctx context.Context, b *grid.Block, v Flow) (u [3][]F, err error) {
	row := b.N[0] + 2*b.GhostAlong(0)
	for axis := range b.Grid.Dim {
		u[axis] = make([]F, b.Len())
		for c := range u[axis] {
			if c%row == 0 && ctx.Err() != nil {
				return u, ctx.Err()
			}
			i, j, k, inside := b.Global(b.Cell(c))
			if !inside && (far(b.Grid, 0, i) || far(b.Grid, 1, j) || far(b.Grid, 2, k)) {
				continue
			}
			u[axis][c] = F(v.Face(axis, i, j, k))
		}
	}
	return u, nil
}

// far tells that a cell lies too far beyond the walls of an axis.
func far(g *grid.Grid, axis, i int) bool { return i < -nearWalls || i >= g.N[axis]+nearWalls }
