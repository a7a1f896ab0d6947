package tables

import (
	"context"

	"github.com/atoll-hpc/atoll/run/recorder"
	"github.com/atoll-hpc/atoll/solvers"
)

// list writes the table of a solvers.List, on rank 0.
type list struct {
	recorder.Base
	timeTable
	run *recorder.Run
	of  solvers.List
}

// NewLists returns the recorders of the lists of the solver.
func NewLists(run *recorder.Run) (recorders []recorder.Recorder) {
	s, ok := run.Solver.(solvers.Lister)
	if !ok {
		return nil
	}
	for _, l := range s.Lists() {
		recorders = append(recorders, &list{recorder.NewBase(l.Name, recorder.EachStep(l.Every)),
			timeTable{file: l.Name + ".csv"}, run, l})
	}
	return recorders
}

// Open implements recorder.Recorder.
func (l *list) Open(_ context.Context, from *recorder.Position) error {
	if l.run.Comm.Rank() != 0 {
		return nil
	}
	var columns []string
	for _, c := range l.of.Columns {
		columns = append(columns, c.Name)
	}
	return l.open(l.run, columns, from)
}

// Write implements recorder.Recorder. It adds the rows of a time.
func (l *list) Write(ctx context.Context, now solvers.Clock, _ bool) error {
	rows, err := l.of.Rows(ctx)
	if l.rows == nil || err != nil {
		return err
	}
	for _, row := range rows {
		if err := l.add(now.Time, row); err != nil {
			return err
		}
	}
	return nil
}

// Save implements recorder.Recorder.
func (l *list) Save(to *recorder.Position) error { return l.timeTable.rows.save(l.run.Ledger, to) }

// Close implements recorder.Recorder.
func (l *list) Close() error { return l.timeTable.rows.close() }
