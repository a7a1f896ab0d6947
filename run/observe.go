package run

import (
	"context"
	"errors"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers"
)

// observing is what a run measures while its device works on: rows of conservation.csv are written some rows later, so
// that the queue of steps never runs dry. It ends well before a person would notice: when ranks look at each other, and
// before anything else is written, all that is under way is waited for.
type observing struct {
	solver  solvers.Observer // nil where measuring waits for the device
	pending []solvers.Clock  // the moments of the rows under way, the earliest first
}

// rowsAhead is how many rows may be under way.
const rowsAhead = 4

// newObserving finds out whether the solver can measure so. Totals of fields are added up on the host.
func newObserving(dev backend.Device, s solvers.Solver, totals *solvers.Totals) (o observing) {
	if _, reports := dev.(backend.ReadbackDevice); reports && totals.None() {
		o.solver, _ = s.(solvers.Observer)
	}
	return o
}

// observe begins a row.
func (r *runner) observe(ctx context.Context, now solvers.Clock) error {
	o := &r.observing
	if len(o.pending) == rowsAhead {
		if err := r.finishRow(ctx); err != nil {
			return err
		}
	}
	if err := o.solver.Observe(ctx); err != nil {
		return err
	}
	o.pending = append(o.pending, now)
	return nil
}

// finishRow ends the earliest row.
func (r *runner) finishRow(ctx context.Context) error {
	o := &r.observing
	table, err := o.solver.Observed(ctx)
	now := o.pending[0]
	o.pending = append(o.pending[:0], o.pending[1:]...)
	if err != nil || r.conservation == nil {
		return err
	}
	return r.row(now, table)
}

// finishRows ends all rows under way. What they tell of a state that is not finite comes before what followed from it.
func (r *runner) finishRows(ctx context.Context) error {
	if len(r.observing.pending) == 0 {
		return nil
	}
	begin := time.Now()
	defer func() { r.output += time.Since(begin) }()
	for len(r.observing.pending) > 0 {
		if err := r.finishRow(ctx); err != nil {
			return err
		}
	}
	return nil
}

// firstCause is why steps failed: a row under way may tell of an earlier one. Ranks that others wait for do not look.
func (r *runner) firstCause(ctx context.Context, err error) error {
	if r.Comm.Size() > 1 || ctx.Err() != nil {
		return err
	}
	if earlier := r.finishRows(ctx); earlier != nil {
		return errors.Join(earlier, err)
	}
	return err
}
