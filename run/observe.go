package run

import (
	"context"
	"errors"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers"
)

// rowQueue holds rows of conservation.csv that the device is still computing. They are written up to maxPendingRows
// later, so that the device never runs out of queued steps. All pending rows are finished before a poll and before
// other output is written.
type rowQueue struct {
	used    bool            // false if rows can only be measured synchronously
	pending []solvers.Clock // times of the pending rows, the earliest first
}

// maxPendingRows is the largest number of pending rows.
const maxPendingRows = 4

// newRowQueue returns a queue, which is used only if device and solver can measure asynchronously.
func newRowQueue(dev backend.Device, totals *solvers.Totals) rowQueue {
	_, reports := dev.(backend.ReadbackDevice)
	return rowQueue{used: reports && totals.CanObserve()}
}

// observe starts to compute a row.
func (r *runner) observe(ctx context.Context, now solvers.Clock) error {
	o := &r.rowQueue
	if len(o.pending) == maxPendingRows {
		if err := r.finishTableRow(ctx); err != nil {
			return err
		}
	}
	if err := r.totals.Observe(ctx, r.solver); err != nil {
		return err
	}
	o.pending = append(o.pending, now)
	return nil
}

// finishTableRow waits for the earliest pending row and writes it.
func (r *runner) finishTableRow(ctx context.Context) error {
	o := &r.rowQueue
	table, err := r.totals.Observed(ctx, r.solver)
	now := o.pending[0]
	o.pending = append(o.pending[:0], o.pending[1:]...)
	if err != nil || r.conservation == nil {
		return err
	}
	return r.writeConservation(now, table)
}

// finishTableRows writes all pending rows of conservation.csv. If a row shows that the state was not finite, that error
// is returned before any error of later steps.
func (r *runner) finishTableRows(ctx context.Context) error {
	if len(r.rowQueue.pending) == 0 {
		return nil
	}
	begin := time.Now()
	defer func() { r.outputTime += time.Since(begin) }()
	for len(r.rowQueue.pending) > 0 {
		if err := r.finishTableRow(ctx); err != nil {
			return err
		}
	}
	return nil
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
