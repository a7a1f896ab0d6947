package bands

import (
	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/engine"
)

// Stage tells an Activity what a stage does: it computes the states in array To from those in array From and those at
// the start of the step. Anywhere reports whether there may be water without flow from other cells: rain. With local
// time steps Due tells which pieces of cells are computed, and Dry gets the cells of those where nothing happens.
type Stage struct {
	From, Start, To int
	Anywhere        func() bool
	Due             func(piece int) bool // nil for all
	Dry             func(lo, hi int)
}

// Begin returns the tasks that find what the stage runs, one after the other.
func (a *Activity) Begin(at Stage) [Kernels]engine.Task {
	return [Kernels]engine.Task{
		engine.Whole(eachPiece(func(lo, hi int) { a.beginUpdates(at, lo, hi) }), len(a.run[Update])),
		engine.Whole(eachPiece(func(lo, hi int) {
			for k := lo; k < hi; k++ {
				a.run[Flux][k] = a.fixed[k] || a.touch.any(k, a.run[Update])
			}
		}), len(a.run[Flux])),
		engine.Whole(eachPiece(func(lo, hi int) {
			for k := lo; k < hi; k++ {
				a.run[Slopes][k] = a.within.any(k, a.run[Flux])
			}
		}), len(a.run[Slopes])),
	}
}

func (a *Activity) beginUpdates(at Stage, lo, hi int) {
	if lo == 0 {
		a.to = at.To
	}
	anywhere := at.Anywhere()
	from, start, to := a.water[at.From], a.water[at.Start], a.water[at.To]
	for k := lo; k < hi; k++ {
		if at.Due != nil && !at.Due(k) {
			a.run[Update][k] = false
			continue
		}
		runs := anywhere || from[k] || start[k] || to[k] || a.always[k] || a.beside.any(k, from)
		if a.run[Update][k] = runs; runs {
			to[k] = a.source[k]
		} else if at.Dry != nil {
			at.Dry(k*Piece, min((k+1)*Piece, a.cells))
		}
	}
}

// eachPiece is a loop over pieces.
type eachPiece func(lo, hi int)

// Grain implements backend.Loop.
func (eachPiece) Grain() int { return 1024 }

// Range implements backend.Loop.
func (f eachPiece) Range(lo, hi int) { f(lo, hi) }

// Wet returns a task that runs a loop over the core cells that have water before a step or had some before the last
// one: a loop that does nothing for cells that have been dry for longer. state and before are their arrays.
func (a *Activity) Wet(loop backend.Loop, state, before int) engine.Task {
	wet := func(k int) bool { return a.water[state][k] || a.water[before][k] }
	return engine.Whole(eachPiece(func(lo, hi int) {
		for k := lo; k < hi; k++ {
			first := k
			for k < hi && wet(k) {
				k++
			}
			if first < k {
				loop.Range(first*Piece, min(k*Piece, a.cells))
			}
		}
	}), len(a.always))
}
