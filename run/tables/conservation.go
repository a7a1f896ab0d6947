package tables

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"strconv"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/run/recorder"
	"github.com/atoll-hpc/atoll/run/watch"
	"github.com/atoll-hpc/atoll/solvers"
)

// ConservationFile is the table of the quantities that the solver measures during the run, mainly conserved ones.
const ConservationFile = "conservation.csv"

// Conservation writes ConservationFile, on rank 0. Rows that a device is still computing are in a queue, so that it
// never runs out of queued steps. When the queue is full, half of them are written: ranks reduce several rows together.
// All pending rows are finished before a poll and before other output is written.
type Conservation struct {
	recorder.Base
	run     *recorder.Run
	totals  *solvers.Totals
	watch   *watch.Server // shows each row; nil for none
	from    int64         // length of the table at the checkpoint from which the run continues
	table   *conservationTable
	queued  bool            // false if rows can only be measured synchronously
	pending []solvers.Clock // times of the pending rows, the earliest first
}

// maxPendingRows is the largest number of pending rows.
const maxPendingRows = solvers.MaxObservations

// NewConservation returns the recorder of a row each so many steps. The queue is used only if device and solver can
// measure asynchronously.
func NewConservation(run *recorder.Run, totals *solvers.Totals, watch *watch.Server, every int) *Conservation {
	_, reports := run.Device.(backend.ReadbackDevice)
	return &Conservation{Base: recorder.NewBase("conservation", recorder.Schedule{First: true, Steps: every, Last: true}),
		run: run, totals: totals, watch: watch, queued: reports && totals.CanObserve()}
}

// Open implements recorder.Recorder. It makes no file: Create does.
func (c *Conservation) Open(_ context.Context, from *recorder.Position) error {
	c.from = from.TableLength(ConservationFile)
	return nil
}

// Create makes the table or continues it, when all ranks have entered the loop over steps. Its existence shows that the
// run is under way: from then on every rank saves its state when it is ordered to stop.
func (c *Conservation) Create(ctx context.Context) error {
	if err := c.run.Comm.Barrier(ctx); err != nil || c.run.Comm.Rank() != 0 {
		return err
	}
	rows, err := openRows(c.run.Fence, ConservationFile, c.from)
	if err != nil {
		return err
	}
	c.table = &conservationTable{rows: rows, hasHeader: c.from > 0}
	return nil
}

// Write implements recorder.Recorder. It adds a row, or starts to compute one.
func (c *Conservation) Write(ctx context.Context, now solvers.Clock, _ bool) error {
	if c.queued {
		return c.observe(ctx, now)
	}
	quantities, err := c.totals.MeasureColumns(ctx, c.run.Solver)
	if err != nil {
		return err
	}
	return c.add(now, quantities)
}

// observe starts to compute a row.
func (c *Conservation) observe(ctx context.Context, now solvers.Clock) error {
	if len(c.pending) == maxPendingRows {
		if err := c.writePending(ctx, maxPendingRows/2); err != nil {
			return err
		}
	}
	if err := c.totals.Observe(ctx, c.run.Solver); err != nil {
		return err
	}
	c.pending = append(c.pending, now)
	return nil
}

// writePending waits for the n earliest pending rows and writes them.
func (c *Conservation) writePending(ctx context.Context, n int) error {
	rows, err := c.totals.Observed(ctx, c.run.Solver, n)
	for k := range rows {
		if err := c.add(c.pending[k], rows[k]); err != nil {
			return err
		}
	}
	c.pending = append(c.pending[:0], c.pending[n:]...)
	return err
}

// add adds a row on rank 0.
func (c *Conservation) add(now solvers.Clock, quantities []solvers.Quantity) error {
	if c.table == nil {
		return nil
	}
	c.watch.SetQuantities(quantities)
	return c.table.writeRow(now, quantities)
}

// Settle implements recorder.Recorder. If a row shows that the state was not finite, that error is returned before any
// error of later steps.
func (c *Conservation) Settle(ctx context.Context) error {
	if c == nil || len(c.pending) == 0 {
		return nil
	}
	return c.writePending(ctx, len(c.pending))
}

// Save implements recorder.Recorder.
func (c *Conservation) Save(to *recorder.Position) error {
	if c.table == nil {
		return nil
	}
	return c.table.rows.save(c.run.Ledger, to)
}

// Close implements recorder.Recorder.
func (c *Conservation) Close() error {
	if c.table == nil {
		return nil
	}
	return c.table.rows.close()
}

// conservationTable is the table.
type conservationTable struct {
	rows      *rows
	row       []byte
	hasHeader bool
}

// writeRow adds a row of the quantities that are columns. The first call writes the header.
func (c *conservationTable) writeRow(now solvers.Clock, table []solvers.Quantity) error {
	c.row = c.row[:0]
	if !c.hasHeader {
		c.hasHeader = true
		titles := []string{"step", "t", "dt"}
		for _, v := range table {
			if v.Outputs&solvers.Column != 0 {
				titles = append(titles, v.Name)
			}
		}
		var header bytes.Buffer
		w := csv.NewWriter(&header) // names of groups may have commas
		err := w.Write(titles)
		if w.Flush(); errors.Join(err, w.Error()) != nil {
			return errors.Join(err, w.Error())
		}
		c.row = append(c.row, header.Bytes()...)
	}
	c.row = strconv.AppendInt(c.row, int64(now.Steps), 10)
	add := func(v float64) { c.row = strconv.AppendFloat(append(c.row, ','), v, 'g', -1, 64) }
	add(now.Time)
	add(now.Dt)
	for _, v := range table {
		if v.Outputs&solvers.Column != 0 {
			add(v.Value)
		}
	}
	c.row = append(c.row, '\n')
	return c.rows.add(c.row)
}
