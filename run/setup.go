package run

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/run/ledger"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/progress"
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
	r.fence = folder.Fence{Dir: r.Dir, Epoch: o.Epoch}
	if !o.Check && o.Report == nil {
		r.ledger = ledger.New(r.Dir)
	}
	kind, ok := solvers.Find(o.Case.Solver)
	if !ok {
		return r, &solvers.BadInput{Err: fmt.Errorf("solver %q is unknown", o.Case.Solver)}
	}
	r.heartbeat()
	if err := r.checkMemory(ctx); err != nil {
		return r, err
	}
	if err := r.findCheckpoint(ctx); err != nil {
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
	r.rowQueue = newRowQueue(r.Device, r.totals)
	r.builder = newFrameBuilder(r.solver, r.Comm.Rank(), r.Case.Output.Fields)
	var cells []int // cell of each gauge; -1 if another rank owns it
	if len(r.Case.Gauges) > 0 {
		if r.probe, err = newProbe(r.builder.fields, r.Case.Solver); err != nil {
			return err
		}
		if err := r.readGaugePoints(ctx); err != nil {
			return err
		}
		r.printNotes()
		if cells, err = r.probe.locate(ctx, r.points, r.Comm); err != nil {
			return err
		}
	}
	if r.Report == nil { // with a Report the caller gets the results, and the run has no folder
		if err := r.newTransects(ctx); err != nil {
			return err
		}
	}
	switch {
	case r.Check:
		return r.printFindings(ctx)
	case r.Report == nil:
		return r.openOutput(ctx, cells)
	}
	return nil
}

// newSolver makes the solver, and shows the progress of long stages.
func (r *runner) newSolver(ctx context.Context, kind solvers.Kind) (solvers.Solver, error) {
	o := &r.Options
	env := solvers.Env{Comm: o.Comm, Device: o.Device, Halo: o.Halo, RanksOnDevice: o.LocalRanks}
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
		err = r.fence.Check(r.info(), r.mode())
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

// isScalar reports whether a field has one component.
func isScalar(f solvers.Field) bool { return len(f.Components) == 0 }

// openOutput creates the files of the run. cells are the cells of the gauges on this rank, -1 for those of other ranks.
func (r *runner) openOutput(ctx context.Context, cells []int) error {
	if err := r.claimFolder(ctx); err != nil {
		return err
	}
	for i, format := range r.Case.Output.Format {
		series := r.Case.Name
		if i > 0 {
			series += "_" + format
		}
		file := r.builder.extension(format)
		if file == "" {
			return &solvers.BadInput{Err: fmt.Errorf("solver %q has no frames in format %q", r.Case.Solver, format)}
		}
		if format == volumeFormat && !slices.ContainsFunc(r.builder.fieldsOn(r.builder.space(format)), isScalar) {
			return &solvers.BadInput{Err: fmt.Errorf("[output] format: vdb needs a field with one component, and [output] "+
				"fields has none: add one, or choose %s", r.builder.space(format).Format)}
		}
		f, err := newFrames(r.Dir, series, format, file, r.resumeFrom, r.Case, r.Comm, r.fence)
		if err != nil {
			return err
		}
		f.index, f.ledger = i, r.ledger
		r.frames = append(r.frames, f)
		if format == netcdfFormat {
			if err := r.openRecords(ctx, f); err != nil {
				return err
			}
		}
	}
	if err := r.builder.prepare(r.Case.Output.Format); err != nil {
		return err
	}
	// No rank may write a frame before rank 0 has removed the files of an earlier run.
	if err := r.Comm.Barrier(ctx); err != nil {
		return err
	}
	for i, cell := range cells {
		g, err := openGauge(r.fence, r.points[i], cell, r.probe.columns, r.resumeFrom)
		r.gauges, r.tables = append(r.gauges, g), append(r.tables, g)
		if err != nil {
			return err
		}
	}
	if r.transects != nil {
		if err := r.transects.open(r); err != nil {
			return err
		}
	}
	if err := r.beginSampling(); err != nil {
		return err
	}
	if r.Comm.Rank() == 0 {
		return r.fence.Publish(r.writeMeasured)
	}
	return nil
}
