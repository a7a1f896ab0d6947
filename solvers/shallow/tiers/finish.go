package tiers

import (
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/shallow/bands"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// States are the arrays of a substep, with their numbers of an Activity: cells have their state at the start of their
// steps in From, and the end of the step that was computed last in To, where they all are at the end.
type States[F num.Float] struct {
	From, To     []kernels.State[F]
	FromAt, ToAt int
}

// Finish ends the steps that end with a substep: their cells lose water, and have their new state in From, or after the
// last substep in To. Other cells add the repetition that the substep has computed.
func (t *Tiers[F]) Finish(substep int, clock *kernels.Clock[F], force *kernels.Forcing[F], w States[F]) engine.Task {
	core, owned := t.Part.Core, t.Part.Owned
	last := substep == t.Substeps()-1
	return engine.Whole(cells(func(k int) {
		if k == t.Activity.Pieces() { // boundary cells
			t.finish(substep, core, owned, clock, force, &w)
			return
		}
		lo, hi := k*bands.Piece, min((k+1)*bands.Piece, core)
		if !t.finish(substep, lo, hi, clock, force, &w) {
			return
		}
		if last {
			bands.Note(t.Activity, w.ToAt, k, w.To[lo:hi])
		} else {
			bands.Note(t.Activity, w.FromAt, k, w.From[lo:hi])
		}
	}), t.Activity.Pieces()+1)
}

// finish does so for some cells, and reports whether it has changed a state.
func (t *Tiers[F]) finish(substep, lo, hi int, clock *kernels.Clock[F], force *kernels.Forcing[F],
	w *States[F]) (changed bool) {
	last, lossy := substep == t.Substeps()-1, len(force.Lost) > 0
	for i := lo; i < hi; i++ {
		tier, pace := t.tier[i], t.pace[i]
		if pace < tier && begins(substep, pace) {
			t.repeat(i, begins(substep, tier), &w.To[i])
		}
		if !ends(substep, tier) || pace == tier && last && !lossy { // the latter are where they belong
			continue
		}
		end := w.To[i]
		if pace < tier {
			end = t.mean(i)
		}
		if lossy {
			force.Lose(i, clock.Dt*t.steps.Of[i], &end)
		}
		if changed = true; last {
			w.To[i] = end
		} else {
			w.From[i] = end
		}
	}
	return changed
}

// repeat adds a repetition of the step of a cell, the first one or not.
func (t *Tiers[F]) repeat(i int, first bool, end *kernels.State[F]) {
	s := &t.sum[i]
	if first {
		*s = *end
		return
	}
	*s = kernels.State[F]{H1: s.H1 + end.H1, Q1x: s.Q1x + end.Q1x, Q1y: s.Q1y + end.Q1y,
		H2: s.H2 + end.H2, Q2x: s.Q2x + end.Q2x, Q2y: s.Q2y + end.Q2y}
}

// mean returns the mean of the repetitions of the step of a cell: their number is a power of two.
func (t *Tiers[F]) mean(i int) kernels.State[F] {
	part := 1 / F(int(1)<<(t.tier[i]-t.pace[i]))
	s := t.sum[i]
	return kernels.State[F]{H1: s.H1 * part, Q1x: s.Q1x * part, Q1y: s.Q1y * part,
		H2: s.H2 * part, Q2x: s.Q2x * part, Q2y: s.Q2y * part}
}

// cells is a loop over cells, or pieces of them.
type cells func(i int)

// Range implements backend.Loop.
func (f cells) Range(lo, hi int) {
	for i := lo; i < hi; i++ {
		f(i)
	}
}

// serial is a loop with one index.
type serial func()

// Range implements backend.Loop.
func (f serial) Range(int, int) { f() }
