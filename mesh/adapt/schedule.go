package adapt

import (
	"context"

	"github.com/atoll-hpc/atoll/mesh/adapt/kernels"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
	"github.com/atoll-hpc/atoll/mesh/adapt/operation"
)

// thinShare: one in so many vertices may be removed in a round of Thin.
const thinShare = 3

// Schedule: rounds repeat until they change less than a share of the vertices.
const (
	settled      = 0.005 // at last
	settledStage = 0.02  // in stages
	settledSwaps = 0.001
	mostCycles   = 40
	stageCycles  = 8
	polishings   = 4
	thinnings    = 8
	enough       = 1.06 // mean size of cells from which no vertices are removed
	looseNew     = 0.6  // at first splits may create edges this short
	careful      = 5    // after so many cycles none that would be collapsed, or some would be split again for ever
)

// run adapts the mesh to the metric.
func (e *engine) run(ctx context.Context) error {
	e.renumber(0)
	e.Gain = 1e-2
	if e.Dim == 3 {
		e.approach(ctx)
	}
	e.stage(ctx, mostCycles, settled)
	e.renumber(1.1)
	e.LeastNew = kernels.Shortest
	if e.Dim == 2 {
		e.thinOut(ctx)
	}
	for range polishings {
		if e.stopped(ctx) != nil {
			return e.stopped(ctx)
		}
		e.swapUntil(int(settledSwaps * float64(e.owned())))
		e.sweep()
		e.runRound(operation.Split)
		e.runRound(operation.Collapse)
		e.runRound(operation.Repair)
	}
	e.swapUntil(0)
	e.Gain = 1e-3
	for k := range 4 {
		if k%2 == 0 {
			e.Sharp = k > 0
			e.markToMove()
		}
		e.sweep()
	}
	e.Sharp = false
	return e.stopped(ctx)
}

// follow adapts a mesh that had another metric before: vertices stay where they are unless something changes around
// them, and what is left undone is what few of them gain.
func (e *engine) follow(ctx context.Context) error {
	for v := range e.marks {
		e.marks[v] &^= 1 << operation.Smooth
	}
	e.Gain, e.LeastNew = 1e-2, looseNew
	for cycle := range mostCycles {
		e.cycles++
		changed := e.runRound(operation.Split) + e.runRound(operation.Collapse)
		e.runRound(operation.Swap)
		if float64(changed) <= settledStage*float64(e.owned()) || e.stopped(ctx) != nil {
			break
		}
		if cycle == careful {
			e.LeastNew = kernels.Shortest
		}
	}
	e.LeastNew = kernels.Shortest
	for range 2 {
		e.sweep()
		e.swapUntil(int(settledSwaps * float64(e.owned())))
	}
	e.runRound(operation.Repair)
	e.swapUntil(0)
	return e.stopped(ctx)
}

// markToMove marks all vertices to be moved.
func (e *engine) markToMove() {
	if e.device != nil {
		e.device.Mark(1 << operation.Smooth)
		return
	}
	for v := range e.marks {
		e.marks[v] |= 1 << operation.Smooth
	}
}

// thinOut removes vertices where there are more than the metric asks for although no edge is short, as in structured
// meshes. Only some of them may be removed in a round, since each makes room for those around it.
func (e *engine) thinOut(ctx context.Context) {
	for range thinnings {
		if e.stopped(ctx) != nil || e.meanSize() >= enough ||
			float64(e.runRound(operation.Thin)*thinShare) <= settled*float64(e.owned()) {
			return
		}
		e.swapUntil(int(settledSwaps * float64(e.owned())))
		e.sweep()
		e.swapUntil(int(settledSwaps * float64(e.owned())))
	}
}

// meanSize is the mean size of cells, 1 for the regular one with edges of length 1. It is a sum of integers, which does
// not depend on the order.
func (e *engine) meanSize() float64 {
	if e.device != nil {
		return e.device.MeanSize()
	}
	sum, n := int64(0), int64(0)
	for k := range e.Cells {
		if c := &e.Cells[k]; !c.Dead && e.mine(c.V[0]) {
			sum += kernels.SizeUnits(e.Size(int32(k)))
			n++
		}
	}
	return kernels.UnitSize(e.total64(sum)) / float64(e.total64(n))
}

// stopped returns why the adaptation ends early. Parts that exchange messages end with an error of these.
func (e *engine) stopped(ctx context.Context) error {
	switch {
	case e.ex != nil:
		return e.err
	case e.device != nil && e.device.Err() != nil:
		return e.device.Err()
	}
	return ctx.Err()
}

// stage repeats cycles of rounds.
func (e *engine) stage(ctx context.Context, most int, settled float64) {
	e.LeastNew = looseNew
	for cycle := range most {
		e.cycles++
		changed := e.runRound(operation.Split) + e.runRound(operation.Collapse)
		e.runRound(operation.Swap)
		if cycle%2 == 1 {
			e.sweep()
		}
		e.renumber(2)
		n := e.owned()
		if e.progress != nil {
			e.progress(n)
		}
		if float64(changed) <= settled*float64(n) || e.stopped(ctx) != nil {
			break
		}
		if cycle == careful {
			e.LeastNew = kernels.Shortest
		}
	}
}

// swapUntil runs rounds of swaps until one changes at most n edges.
func (e *engine) swapUntil(n int) {
	for range 10 {
		if e.runRound(operation.Swap) <= n {
			return
		}
	}
}

// approach reaches a metric in space in stages of ever smaller added sizes: quality would fall far on the way to an
// anisotropic metric, and more vertices be made than needed.
func (e *engine) approach(ctx context.Context) {
	big, small := e.sizes()
	for soft := big; soft > small/16; soft *= 0.25 {
		e.Soft = soft
		e.restart()
		if e.longestEdge() > 1.8 {
			e.stage(ctx, stageCycles, settledStage)
			_, small = e.sizes()
		}
	}
	e.Soft = 0
	e.restart()
}

// sizes returns the square of the longest edge, and that of a size below all of the metric.
func (e *engine) sizes() (big, small float64) {
	big, small = mutable.SizesOf(e.Mesh)
	small = -small
	e.most(&big, &small)
	return big, -small
}

// longestEdge is the length of the longest edge in the metric.
func (e *engine) longestEdge() float64 {
	l := mutable.LongestEdgeOf(e.Mesh)
	e.most(&l)
	return l
}
