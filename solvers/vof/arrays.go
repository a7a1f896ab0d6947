package vof

import (
	"slices"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
	"github.com/atoll-hpc/atoll/solvers/vof/narrowband"
)

// arrays are the arrays of a rank. The same declarations estimate its memory.
type arrays[F num.Float] struct {
	// fields are arrays of volume fractions. With tiles there are two, of which steps read and write one alternately.
	// Otherwise there is one per axis: the n-th sweep of a step reads fields[n] and writes the next, the last sweep
	// fields[0], which has the state.
	fields      []*engine.Array[F]
	u           [3]*engine.Array[F]         // velocities through lower faces
	planes2     *engine.Array[geom.Line[F]] // planes if they are stored; tiles write them for diagnostics only
	planes3     *engine.Array[geom.Plane[F]]
	kinds       [2]*engine.Array[int32] // of tiles (see kernels.Mixed2), alternating like fields; of bricks Kinds, Copied
	activeTiles tileList                // of tiles or bricks in which anything may change
	marks       *engine.Array[int32]    // 1 for each active tile
	ghostTiles  *engine.Array[int32]    // tiles with deep ghosts
	sentBricks  int                     // number of bricks with cells that other ranks need: the first in the list
	brickWalls  *engine.Array[int32]    // index in wallGhosts of each brick's first ghost, and the number of all
	bandWords   [narrowband.Arrays]*engine.Array[uint64]

	wallCells, wallGhosts *engine.Array[int32] // cells at walls, and the ghosts beyond the walls that get their values

	reference *engine.Array[float64] // with which errors are computed, of the block's own cells
	surveyed  *engine.Result[surveyed]
}

// tileList is a list of tiles on the device, and its length.
type tileList struct{ order, count *engine.Array[int32] }

// initial has the arrays that the host computes: the state and the velocities with ghosts, and the reference.
type initial[F num.Float] struct {
	start     []F
	u         [3][]F
	reference []float64
}

// surveyed is the result of a survey, in the order of kernels.SurveyVolume and so on.
type surveyed struct {
	Volume, Change, Size   [exact.Words]int64
	Mixed                  int64
	FacesX, FacesY, FacesZ int64 // normal to each axis, between full and empty cells
	Excess, Broken         int64
}

// declare declares the arrays of a block.
func declare[F num.Float](t *engine.Table, b *grid.Block, w *schedule, from *initial[F]) (a arrays[F]) {
	n := b.Len()
	for axis := range b.Grid.Dim {
		switch {
		case axis == 0:
			a.fields = append(a.fields, engine.Input(t, "volume fractions", n, func() []F { return from.start }))
		case axis == 1 || w.traversal != byTiles:
			a.fields = append(a.fields, engine.Add[F](t, "volume fractions", n))
		}
		a.u[axis] = engine.Input(t, "velocity", n, func() []F { return from.u[axis] })
	}
	a.declareLists(t, b, w)
	planes := [4]int{} // by number of dimensions
	if w.costlyNormals {
		planes[b.Grid.Dim] = n
	}
	a.planes2 = engine.Add[geom.Line[F]](t, "planes", planes[2])
	a.planes3 = engine.Add[geom.Plane[F]](t, "planes", planes[3])
	a.declareWalls(t, b, w)
	if w.narrowBand {
		for k := range a.bandWords {
			a.bandWords[k] = engine.Add[uint64](t, "narrow band", narrowband.Words(b))
		}
	}
	a.reference = engine.Input(t, "reference volume fractions", b.Cells(), func() []float64 { return from.reference })
	a.surveyed = engine.NewResult[surveyed](t, "diagnostics", false, "Excess", "Broken")
	return a
}

// declareLists declares what tiles and bricks need.
func (a *arrays[F]) declareLists(t *engine.Table, b *grid.Block, w *schedule) {
	n := w.listable
	if n == 0 {
		return
	}
	var sent []int32 // which no list changes
	if w.traversal == byBricks {
		sent = w.listSentBricks(b)
	}
	a.sentBricks = len(sent)
	a.kinds = [2]*engine.Array[int32]{engine.Input(t, "tiles", n, func() []int32 { return allMixed(n) }),
		engine.Add[int32](t, "tiles", n)}
	a.activeTiles.order = engine.Input(t, "tiles", n, func() []int32 {
		return append(sent, make([]int32, n-len(sent))...)
	})
	a.activeTiles.count = engine.Add[int32](t, "tiles", kernels.ListCounts)
	a.marks = engine.Add[int32](t, "tiles", n)
	if w.period == byCycle {
		tiles := w.listGhostTiles(b)
		a.ghostTiles = engine.Input(t, "tiles", len(tiles), func() []int32 { return tiles })
	}
}

// allMixed are the kinds of tiles or bricks that may hold anything.
func allMixed(n int) []int32 { return slices.Repeat([]int32{kernels.Mixed2}, n) }

// declareWalls declares the lists of ghosts beyond walls.
func (a *arrays[F]) declareWalls(t *engine.Table, b *grid.Block, w *schedule) {
	var first, from, to []int32
	if !t.Counts() {
		from, to = b.BoundaryGhosts()
		if w.wallsByBrick {
			first, from, to = w.orderByBrick(b, from, to)
		}
	}
	if w.wallsByBrick {
		a.brickWalls = engine.Input(t, "walls", w.listable+1, func() []int32 { return first })
	}
	n := b.BoundaryGhostCount()
	a.wallCells = engine.Input(t, "walls", n, func() []int32 { return from })
	a.wallGhosts = engine.Input(t, "walls", n, func() []int32 { return to })
}
