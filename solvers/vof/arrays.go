package vof

import (
	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// arrays is what the kernels of a rank work on. All slices live on the device; on one with memory of its own the host
// must not look into them.
type arrays[F num.Float] struct {
	fields      [3][]F         // one after each sweep of a step, or in turn after each step in tiles
	u           [3][]F         // through lower faces
	planes2     []geom.Line[F] // where they are stored; tiles, which find their own, store them for diagnostics
	planes3     []geom.Plane[F]
	kinds       [2][]int32 // of tiles, alternating; of bricks, the first
	allTiles    tileList   // of all tiles or bricks
	activeTiles tileList   // of those in which anything may change
	marks       []int32    // 1 of those
	ghostTiles  []int32    // tiles that hold deep ghosts

	// The clock of step k is at k modulo cycleLength, so that the clocks of several steps can be uploaded, and the steps
	// recorded, at once.
	clocks []kernels.Clock[F]

	from, to []int32 // cells at walls, and those beyond that copy them

	allocated backend.Arrays
}

// cycleLength is how many steps it takes until orders of axes, fields and clocks are used as at the beginning.
const cycleLength = kernels.ListSteps

// tileList is a list of tiles on the device, and its length.
type tileList struct{ order, count []int32 }

// upload puts the arrays on the device, with the field at the start and the velocities, both with ghosts.
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
	if n := w.parts; n > 0 {
		mixed, all := make([]int32, n), make([]int32, n)
		for t := range mixed {
			mixed[t], all[t] = kernels.Mixed2, int32(t)
		}
		a.kinds = [2][]int32{backend.Uploaded(p, mixed, "tiles"), backend.Fresh[int32](p, n, "tiles")}
		a.allTiles = tileList{backend.Uploaded(p, all, "tiles"), backend.Uploaded(p, []int32{int32(n)}, "tiles")}
		a.activeTiles = tileList{backend.Fresh[int32](p, n, "tiles"), backend.Fresh[int32](p, 1, "tiles")}
		a.marks = backend.Fresh[int32](p, n, "tiles")
		a.ghostTiles = backend.Uploaded(p, w.ghostTiles(b), "tiles")
	}
	switch {
	case w.stored && b.Grid.Dim == 2:
		a.planes2 = backend.Fresh[geom.Line[F]](p, b.Len(), "planes")
	case w.stored:
		a.planes3 = backend.Fresh[geom.Plane[F]](p, b.Len(), "planes")
	}
	a.clocks = backend.Fresh[kernels.Clock[F]](p, cycleLength, "clocks")
	from, to := b.Walls()
	a.from, a.to = backend.Uploaded(p, from, "walls"), backend.Uploaded(p, to, "walls")
	return p.Err()
}
