package vof

import (
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// arrays are those that the kernels of a rank read and write. They are in the device's memory; the host must not access
// them if that is separate.
type arrays[F num.Float] struct {
	// fields are arrays of volume fractions. With tiles there are two, of which steps read and write one alternately.
	// Otherwise there is one per axis: the n-th sweep of a step reads fields[n] and writes the next, the last sweep
	// fields[0], which has the state.
	fields      [3][]F
	u           [3][]F         // velocities through lower faces
	planes2     []geom.Line[F] // planes if they are stored, in two dimensions; tiles write them for diagnostics only
	planes3     []geom.Plane[F]
	kinds       [2][]int32     // of tiles (see kernels.Mixed2), alternating like fields; or Kinds and Copied of bricks
	allTiles    tileList       // of all tiles or bricks
	activeTiles tileList       // of tiles or bricks in which anything may change
	marks       []int32        // 1 for each active tile
	ghostTiles  []int32        // tiles with deep ghosts
	sentBricks  []int32        // bricks with cells that other ranks need: the first of both lists
	brickWalls  []int32        // index in wallGhosts of each brick's first ghost, and the number of all
	narrowBand  *narrowBand[F] // nil if sweeps go over all cells, tiles or bricks

	// The clock of step k is clocks[k % cycleLength], so that the clocks of several steps can be uploaded, and the
	// steps recorded, at once.
	clocks []kernels.Clock[F]

	wallCells, wallGhosts []int32 // cells at walls, and the ghosts beyond the walls that get their values

	allocated backend.Arrays
}

// cycleLength is the number of steps after which the order of axes, the fields and the clocks repeat.
const cycleLength = kernels.ListSteps

// tileList is a list of tiles on the device, and its length.
type tileList struct{ order, count []int32 }

// upload allocates the arrays on the device, with the initial field and the velocities, both with ghosts.
func (a *arrays[F]) upload(dev backend.Device, b *grid.Block, w *schedule, start []F, u [3][]F) error {
	a.allocated.Device = dev
	p := &a.allocated
	a.fields[0] = backend.Uploaded(p, start, "volume fractions")
	for axis := range b.Grid.Dim {
		a.u[axis] = backend.Uploaded(p, u[axis], "velocity")
		if axis == 1 || axis > 1 && w.traversal != byTiles {
			a.fields[axis] = backend.Fresh[F](p, b.Len(), "volume fractions")
		}
	}
	if n := w.count; n > 0 {
		mixed := slices.Repeat([]int32{kernels.Mixed2}, n)
		all, sent := w.splitBricks(b)
		active := make([]int32, n)
		copy(active, all[:sent])
		a.kinds = [2][]int32{backend.Uploaded(p, mixed, "tiles"), backend.Fresh[int32](p, n, "tiles")}
		a.allTiles = tileList{backend.Uploaded(p, all, "tiles"), backend.Uploaded(p, []int32{int32(n - sent)}, "tiles")}
		a.sentBricks = a.allTiles.order[:sent]
		a.activeTiles = tileList{backend.Uploaded(p, active, "tiles"),
			backend.Fresh[int32](p, kernels.ListCounts, "tiles")}
		a.marks = backend.Fresh[int32](p, n, "tiles")
		a.ghostTiles = backend.Uploaded(p, w.ghostTiles(b), "tiles")
	}
	switch {
	case w.costlyNormals && b.Grid.Dim == 2:
		a.planes2 = backend.Fresh[geom.Line[F]](p, b.Len(), "planes")
	case w.costlyNormals:
		a.planes3 = backend.Fresh[geom.Plane[F]](p, b.Len(), "planes")
	}
	a.clocks = backend.Fresh[kernels.Clock[F]](p, cycleLength, "clocks")
	from, to := b.BoundaryGhosts()
	if w.wallsByBrick {
		var first []int32
		first, from, to = w.orderByBrick(b, from, to)
		a.brickWalls = backend.Uploaded(p, first, "walls")
	}
	a.wallCells, a.wallGhosts = backend.Uploaded(p, from, "walls"), backend.Uploaded(p, to, "walls")
	return p.Err()
}
