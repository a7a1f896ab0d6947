package run

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/run/final"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/frames"
	"github.com/atoll-hpc/atoll/run/ledger"
	"github.com/atoll-hpc/atoll/run/live"
	"github.com/atoll-hpc/atoll/run/progress"
	"github.com/atoll-hpc/atoll/run/recorder"
	"github.com/atoll-hpc/atoll/run/tables"
	"github.com/atoll-hpc/atoll/solvers"
)

// newRunner sets up a run. The runner must be closed even after an error.
func newRunner(ctx context.Context, o Options) (*runner, error) {
	if o.Check && o.Progress.Out != nil {
		o.Progress.Out = commentWriter{o.Progress.Out}
	}
	r := &runner{Options: o, started: time.Now()}
	if r.Dir == "" {
		r.Dir = o.Case.Output.Dir
	}
	r.forecast.runner = r
	r.origin = origin{Options: &r.Options, warn: r.warn}
	r.output = recorder.Run{Case: o.Case, Comm: o.Comm, Device: o.Device, Dir: r.Dir,
		Fence: folder.Fence{Dir: r.Dir, Epoch: o.Epoch}}
	if !o.Check && o.Report == nil {
		r.output.Ledger = ledger.New(r.Dir)
	}
	kind, ok := solvers.Find(o.Case.Solver)
	if !ok {
		return r, &solvers.BadInput{Err: fmt.Errorf("solver %q is unknown", o.Case.Solver)}
	}
	r.heartbeat()
	if err := r.checkMemory(ctx); err != nil {
		return r, err
	}
	if err := r.origin.find(ctx); err != nil {
		return r, err
	}
	r.heartbeat()
	if err := r.checkFolder(ctx); err != nil {
		return r, err
	}
	var err error
	if r.solver, err = r.newSolver(ctx, kind); err != nil {
		return r, err
	}
	r.heartbeat()
	r.size = r.solver.Size()
	if err := solvers.CheckExact(r.solver, o.Case); err != nil {
		return r, err
	}
	if o.Replay != nil && o.Replay.Steps > 0 {
		r.size.MaxSteps = o.Replay.Steps
	}
	r.printNotes()
	r.inputs = sync.OnceValues(func() (map[string]string, error) {
		if r.Comm.Rank() != 0 {
			return nil, nil
		}
		return digests(r.Case.Inputs(), r.Case.Path)
	})
	if err := r.setUpOutput(ctx); err != nil {
		return r, err
	}
	r.heartbeat()
	// Memory that only set-up needed goes back to the system.
	cpu.ReleaseMemory()
	r.setUpTime = time.Since(r.started)
	return r, nil
}

// setUpOutput prepares measurements and output and opens the files. In a check it prints the findings instead.
func (r *runner) setUpOutput(ctx context.Context) (err error) {
	if r.totals, err = solvers.NewTotals(ctx, r.Comm, r.solver); err != nil {
		return err
	}
	r.output.Solver, r.output.Fields = r.solver, r.solver.Fields()
	r.output.Written = solvers.Named(r.output.Fields, r.Case.Output.Fields)
	r.list = recorder.NewList(&r.output)
	if r.Report == nil { // else the caller gets the results
		if err := r.addRecorders(ctx); err != nil {
			return err
		}
		r.printNotes()
	}
	switch {
	case r.Check:
		return r.printFindings(ctx)
	case r.Report != nil:
		return nil
	}
	if err := r.claimFolder(ctx); err != nil {
		return err
	}
	return r.list.Open(ctx, r.origin.position)
}

// addRecorders adds the recorders of the run to its list, in the order in which they write. A check makes them, too,
// which finds faults of the case, but never opens them.
func (r *runner) addRecorders(ctx context.Context) (err error) {
	if r.gauges, err = tables.NewGauges(ctx, &r.output); err != nil {
		return err
	}
	transects, err := tables.NewTransects(ctx, &r.output)
	if err != nil {
		return err
	}
	r.rows = tables.NewConservation(&r.output, r.totals, r.Watch, r.Case.Output.ConservationEvery)
	if r.frames, err = frames.New(&r.output, r.rows.Settle); err != nil {
		return err
	}
	r.view = live.New(&r.output, r.Watch, r.warn)
	r.list.Add(r.gauges.Recorders()...)
	r.list.Add(transects.Recorders()...)
	r.list.Add(tables.NewLists(&r.output)...)
	r.list.Add(r.rows, r.frames, r.view)
	r.list.Add(final.NewMesh(&r.output), final.NewOutlines(&r.output))
	if r.Case.Output.Raster > 0 {
		r.list.Add(final.NewRasters(&r.output))
	}
	if s, ok := r.solver.(solvers.Rebalancer); ok {
		r.list.Add(newDivision(s))
	}
	if r.savesState() { // a checkpoint counts the output of the others, so it comes last
		r.checkpoints = r.newCheckpoints()
		r.list.Add(r.checkpoints)
	}
	return nil
}

// savesState reports whether the run can save its state.
func (r *runner) savesState() bool {
	_, ok := r.solver.(solvers.Restarter)
	return ok && r.Report == nil && r.Replay == nil
}

// newSolver makes the solver, and shows the progress of long stages.
func (r *runner) newSolver(ctx context.Context, kind solvers.Kind) (solvers.Solver, error) {
	o := &r.Options
	env := solvers.Env{Comm: o.Comm, Device: o.Device, Halo: o.Halo, RanksOnDevice: o.LocalRanks,
		Crowding: o.Crowding}
	if o.Progress.Out != nil || r.Heartbeat != nil {
		stages := progress.NewStages(o.Progress)
		defer stages.Finish()
		ctx = parallel.Watch(ctx, func(name string, done, total int) {
			r.heartbeat()
			stages.Update(name, done, total)
		})
		if o.Progress.Out != nil {
			env.Log = stages
		}
	}
	if o.Report != nil {
		env.Log = o.Log
	}
	return kind.New(ctx, env, o.Case)
}

// checkFolder checks that the output folder accepts the results of this run. It is called before any expensive work.
func (r *runner) checkFolder(ctx context.Context) error {
	if r.Check || r.Report != nil {
		return nil
	}
	var err error
	if r.Comm.Rank() == 0 {
		err = r.output.Fence.Check(r.info(), r.mode())
	}
	return solvers.Agree(ctx, r.Comm, err)
}

// commentWriter writes each line as a TOML comment: the output of a check is a valid case file.
type commentWriter struct{ io.Writer }

func (c commentWriter) Write(line []byte) (int, error) {
	if _, err := io.WriteString(c.Writer, "# "); err != nil {
		return 0, err
	}
	return c.Writer.Write(line)
}

// printFindings prints, on rank 0, how much memory a checked run takes and what the solver chose.
func (r *runner) printFindings(ctx context.Context) error {
	total, largest := []int64{r.size.Bytes}, []int64{r.size.Bytes}
	if err := r.Comm.AllreduceInt64(ctx, dist.Sum, total); err != nil {
		return err
	}
	if err := r.Comm.AllreduceInt64(ctx, dist.Max, largest); err != nil || r.Progress.Out == nil {
		return err
	}
	if r.size.Note != "" {
		fmt.Fprintln(r.Progress.Out, r.size.Note)
	}
	fmt.Fprintf(r.Progress.Out, "memory: %s in arrays of all ranks, at most %s per rank, %.0f bytes per %s\n",
		words.Bytes(total[0]), words.Bytes(largest[0]), float64(total[0])/float64(max(1, r.size.Entities)), r.size.Unit)
	return nil
}

// printNotes prints notes about settings and inputs that are probably mistakes, each once.
func (r *runner) printNotes() {
	out := r.Warn
	if r.Check && r.Progress.Out != nil {
		out = r.Progress.Out
	}
	if r.Comm.Rank() != 0 || out == nil {
		return
	}
	for _, note := range slices.Concat(r.size.Warnings, r.Case.Notes()) {
		if !slices.Contains(r.notes, note) {
			r.notes = append(r.notes, note)
			fmt.Fprintln(out, "note:", note)
		}
	}
}
