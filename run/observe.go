package run

import (
	"context"
	"errors"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers"
)

// rowQueue holds rows of conservation.csv that the device is still computing, so that it never runs out of queued
// steps. When it is full, half of them are written: ranks reduce several rows together. All pending rows are finished
// before a poll and before other output is written.
type rowQueue struct {
	used    bool            // false if rows can only be measured synchronously
	pending []solvers.Clock // times of the pending rows, the earliest first
}

// maxPendingRows is the largest number of pending rows.
const maxPendingRows = solvers.MaxObservations

// newRowQueue returns a queue, which is used only if device and solver can measure asynchronously.
func newRowQueue(dev backend.Device, totals *solvers.Totals) rowQueue {
	_, reports := dev.(backend.ReadbackDevice)
	return rowQueue{used: reports && totals.CanObserve()}
}

// observe starts to compute a row.
func (r *runner) observe(ctx context.Context, now solvers.Clock) error {
	o := &r.rowQueue
	if len(o.pending) == maxPendingRows {
		if err := r.writePending(ctx, maxPendingRows/2); err != nil {
			return err
		}
	}
	if err := r.totals.Observe(ctx, r.solver); err != nil {
		return err
	}
	o.pending = append(o.pending, now)
	return nil
}

// writePending waits for the n earliest pending rows and writes them.
func (r *runner) writePending(ctx context.Context, n int) error {
	o := &r.rowQueue
	rows, err := r.totals.Observed(ctx, r.solver, n)
	for k := 0; k < len(rows) && r.conservation != nil; k++ {
		if err := r.writeConservation(o.pending[k], rows[k]); err != nil {
			return err
		}
	}
	o.pending = append(o.pending[:0], o.pending[n:]...)
	return err
}

// finishTableRows writes all pending rows of conservation.csv. If a row shows that the state was not finite, that error
// is returned before any error of later steps.
func (r *runner) finishTableRows(ctx context.Context) error {
	if len(r.rowQueue.pending) == 0 {
		return nil
	}
	begin := time.Now()
	defer func() { r.outputTime += time.Since(begin) }()
	return r.writePending(ctx, len(r.rowQueue.pending))
}

// firstCause returns err, joined with an earlier error of a pending row if there is one. With several ranks it returns
// err: finishing rows could deadlock while the others wait elsewhere.
func (r *runner) firstCause(ctx context.Context, err error) error {
	if r.Comm.Size() > 1 || ctx.Err() != nil {
		return err
	}
	if earlier := r.finishTableRows(ctx); earlier != nil {
		return errors.Join(earlier, err)
	}
	return err
}
