// Package run takes a case from its file to its results: it sets the solver up on every rank, advances it to its end,
// and writes frames, gauges, what is conserved, and a summary.
//
// All that it knows of a solver is what package solvers has: its kind in the registry, and what it declares.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/run/checkpoint"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/progress"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers"
)

// Options say how to run a case on one rank. All ranks pass the same, but for Comm and Device.
type Options struct {
	Case      *config.Case
	Comm      dist.Comm
	Device    backend.Device
	Transport string           // for the summary
	Halo      string           // how devices exchange ghosts: auto, staged or nccl; auto if empty
	Beside    int              // ranks that share the device's memory, this one among them; 1 if 0
	Dir       string           // of all output; "" for the case's own
	Force     bool             // results of another case in that folder are replaced, and checkpoints not looked at
	Restart   bool             // the run must go on from a checkpoint
	TimeLimit time.Duration    // on the wall, near which the run saves its state and stops; 0 for none
	Warn      io.Writer        // is told of what does not end the run; nil for nobody
	Replay    *Replay          // a stretch of an earlier run; nil for a run of its own
	Summary   string           // file of the summary; "" for summary.json in the folder
	Began     time.Time        // when the process did; zero where the run is one of several
	Check     bool             // set up, but do not run
	Progress  progress.Options // of rank 0

	// Report ends a run in place of a summary. Such a run has no output folder; Log is told of its set-up, nil for nobody.
	Report func(ctx context.Context, s solvers.Solver, o solvers.Outcome) error
	Log    io.Writer
}

// Run runs a case. Every rank of opts.Comm calls it; the summary, which rank 0 writes, is the same on all of them but
// for times.
// An error of one rank ends the others.
func Run(ctx context.Context, o Options) (*summary.Summary, error) {
	r, err := newRunner(ctx, o)
	if err == nil && !o.Check {
		if err = r.through(ctx); err != nil && ctx.Err() != nil {
			var stopped *Stopped
			if !errors.As(err, &stopped) {
				err = &Interrupted{r.where(), err}
			}
		}
	}
	var result *summary.Summary
	switch {
	case err != nil:
	case o.Report != nil:
		err = r.tell(ctx)
	default:
		result, err = r.finish(ctx)
	}
	err = errors.Join(err, r.close())
	if r.folder != nil {
		err = errors.Join(err, r.leave(ctx, result, err))
	}
	var bad *solvers.BadInput
	var stopped *Stopped
	if err != nil && !errors.As(err, &bad) && !errors.As(err, &stopped) {
		o.Comm.Abort(1, err)
	}
	return result, err
}

// Drain is how long a run that is told to stop may take until its state is saved.
const Drain = 2 * time.Minute

// through takes the run to its end. Where it saves its state, the end of the context is an order to stop, which is
// obeyed after a step; and communication, which needs a context, goes on until then.
func (r *runner) through(ctx context.Context) error {
	if !r.keeps() {
		return r.loop(ctx)
	}
	r.keeper = r.newKeeper(ctx.Done())
	go r.inputs() //nolint:errcheck // while the run begins; who needs them asks again
	going, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	defer context.AfterFunc(ctx, func() {
		select {
		case <-time.After(Drain):
			end(fmt.Errorf("told to stop, and did not within %v", Drain))
		case <-going.Done():
		}
	})()
	return r.loop(going)
}

// runner is a run on one rank.
type runner struct {
	Options
	solver    solvers.Solver
	size      solvers.Size
	folder    *folder.Folder // on rank 0, of runs that have one
	started   time.Time
	setUp     time.Duration
	output    time.Duration
	looped    time.Duration
	first     time.Duration // from when the process began until a step was taken, or queued; 0 if not known
	totals    *solvers.Totals
	drawer    *drawer
	frames    []*frames // one for each format
	probe     *probe    // of cases that have gauges
	gauges    []*gauge
	ledger    *conservation // on rank 0
	observing observing
	progress  *progress.Line

	next    int                               // which of the frames that are due at multiples of a time
	framed  float64                           // when the last one was written
	begun   time.Time                         // the loop
	earlier time.Duration                     // that loops before a restart took
	keeper  *keeper                           // of runs that save their state
	inputs  func() (map[string]string, error) // SHA-256 of the files that the case names; on rank 0

	checkpoint *checkpoint.File // from which the run goes on, with
	from       *position        // how far it was; nil for both
}

// newRunner sets a run up. The runner is to be closed after an error too.
func newRunner(ctx context.Context, o Options) (*runner, error) {
	if o.Check && o.Progress.Out != nil {
		o.Progress.Out = comments{o.Progress.Out}
	}
	r := &runner{Options: o, started: time.Now()}
	if r.Dir == "" {
		r.Dir = o.Case.Output.Dir
	}
	kind, ok := solvers.Find(o.Case.Solver)
	if !ok {
		return r, &solvers.BadInput{Err: fmt.Errorf("solver %q cannot be run", o.Case.Solver)}
	}
	if err := r.find(ctx); err != nil {
		return r, err
	}
	if err := r.mine(ctx); err != nil {
		return r, err
	}
	env := solvers.Env{Comm: o.Comm, Device: o.Device, Halo: o.Halo, Beside: o.Beside, Log: o.Progress.Out}
	if o.Report != nil {
		env.Log = o.Log
	}
	var err error
	if r.solver, err = kind.New(ctx, env, o.Case); err != nil {
		return r, err
	}
	r.size = r.solver.Size()
	if o.Replay != nil && o.Replay.Steps > 0 {
		r.size.MaxSteps = o.Replay.Steps
	}
	r.inputs = sync.OnceValues(func() (map[string]string, error) {
		if r.Comm.Rank() != 0 {
			return nil, nil
		}
		return digests(r.Case.Inputs(), r.Case.Path)
	})
	if r.totals, err = solvers.NewTotals(ctx, o.Comm, r.solver); err != nil {
		return r, err
	}
	r.observing = newObserving(o.Device, r.solver, r.totals)
	r.drawer = newDrawer(r.solver, o.Comm.Rank(), o.Case.Output.Fields)
	var cells []int // of the gauges on this rank
	if len(o.Case.Gauges) > 0 {
		if r.probe, err = newProbe(r.drawer.fields, o.Case.Solver); err != nil {
			return r, err
		}
		if cells, err = r.probe.locate(ctx, o.Case.Gauges, o.Comm); err != nil {
			return r, err
		}
	}
	if o.Check {
		if err := r.tellFindings(ctx); err != nil {
			return r, err
		}
	} else if o.Report == nil {
		if err := r.open(ctx, cells); err != nil {
			return r, err
		}
	}
	// What set-up needed and the run does not goes back to the system.
	debug.FreeOSMemory()
	r.setUp = time.Since(r.started)
	return r, nil
}

// mine checks that the folder can have the results of the run, before anything that takes long.
func (r *runner) mine(ctx context.Context) error {
	if r.Check || r.Report != nil {
		return nil
	}
	var err error
	if r.Comm.Rank() == 0 {
		err = folder.Check(r.Dir, r.info(), r.mode())
	}
	return solvers.Agree(ctx, r.Comm, err)
}

// claim takes the folder and removes what an earlier run has left there. All ranks may write to it afterwards.
func (r *runner) claim(ctx context.Context) error {
	err := os.MkdirAll(r.Dir, 0o777)
	if err == nil && r.Comm.Rank() == 0 {
		if r.folder, err = folder.Claim(r.Dir, r.info(), r.mode()); err == nil {
			err = r.begin()
		}
	}
	return solvers.Agree(ctx, r.Comm, err)
}

func (r *runner) mode() folder.Mode {
	switch {
	case r.from != nil:
		return folder.GoOn
	case r.Force:
		return folder.Replace
	}
	return folder.Fresh
}

// begin makes the folder that of this run.
func (r *runner) begin() error {
	err := r.folder.GoOn
	if r.from == nil {
		err = func() error { return r.folder.Begin(r.Case.Output.Mesh) }
	}
	return errors.Join(err(), atomicfile.Write(filepath.Join(r.Dir, folder.CaseFile), func(f *os.File) error {
		_, err := f.WriteString(r.Case.String())
		return err
	}))
}

func (r *runner) info() folder.Info {
	return folder.Info{
		Solver: r.Case.Solver, Case: r.Case.Name, CaseSHA256: r.Case.Hash(), StartSHA256: r.Case.StartHash(),
		CaseDir: absolute(r.Case.Dir()), Version: summary.Version(),
	}
}

// absolute is a path from anywhere, if that can be told.
func absolute(path string) string {
	if a, err := filepath.Abs(path); err == nil {
		return a
	}
	return path
}

// leave writes the summary of a run that has ended well, tells the folder what has become of the run, and gives it
// back.
func (r *runner) leave(ctx context.Context, s *summary.Summary, ended error) error {
	var errs []error
	state := folder.Done
	switch {
	case ended == nil:
		path := r.Summary
		if path == "" {
			path = filepath.Join(r.Dir, "summary.json")
		}
		if err := s.Write(path); err != nil {
			errs, state = append(errs, err), folder.Failed
		}
	case ctx.Err() != nil || errors.As(ended, new(*Stopped)):
		state = folder.Stopped
	default:
		state = folder.Failed
	}
	return errors.Join(append(errs, r.folder.Tell(state), r.folder.Close())...)
}

// comments makes each line that is told a comment of TOML, as what a check prints is a case file.
type comments struct{ io.Writer }

func (c comments) Write(line []byte) (int, error) {
	if _, err := io.WriteString(c.Writer, "# "); err != nil {
		return 0, err
	}
	return c.Writer.Write(line)
}

// tellFindings tells, where the progress would be shown, what a checked run takes, and what it found to fit.
func (r *runner) tellFindings(ctx context.Context) error {
	all, most := []int64{r.size.Bytes}, []int64{r.size.Bytes}
	if err := r.Comm.AllreduceInt64(ctx, dist.Sum, all); err != nil {
		return err
	}
	if err := r.Comm.AllreduceInt64(ctx, dist.Max, most); err != nil || r.Progress.Out == nil {
		return err
	}
	if r.size.Found != "" {
		fmt.Fprintln(r.Progress.Out, r.size.Found)
	}
	fmt.Fprintf(r.Progress.Out, "memory: %s in arrays of all ranks, %s on a rank at most, %.0f bytes a %s\n",
		solvers.Amount(all[0]), solvers.Amount(most[0]), float64(all[0])/float64(max(1, r.size.Entities)), r.size.Unit)
	return nil
}

// open makes the files of the run. cells are those of the gauges on this rank.
func (r *runner) open(ctx context.Context, cells []int) error {
	if err := r.claim(ctx); err != nil {
		return err
	}
	for i, format := range r.Case.Output.Format {
		series := r.Case.Name
		if i > 0 {
			series += "_" + format
		}
		file := r.drawer.file(format)
		if file == "" {
			return &solvers.BadInput{Err: fmt.Errorf("solver %q has no frames in format %q", r.Case.Solver, format)}
		}
		f, err := newFrames(r.Dir, series, format, file, r.from.frames(format), r.Case, r.Comm)
		if err != nil {
			return err
		}
		r.frames = append(r.frames, f)
	}
	// Nobody writes a frame before rank 0 has removed what is left of an earlier run.
	if err := r.Comm.Barrier(ctx); err != nil {
		return err
	}
	for i, cell := range cells {
		g, err := openGauge(r.Dir, r.Case.Gauges[i], cell, r.probe.columns, r.from)
		r.gauges = append(r.gauges, g)
		if err != nil {
			return err
		}
	}
	return nil
}

// tell hands the run to its report.
func (r *runner) tell(ctx context.Context) error {
	hash, err := solvers.Hash(ctx, r.Comm, r.solver)
	if err != nil {
		return err
	}
	drifts, err := r.totals.Drifts(ctx, r.solver.Clock().Steps)
	if err != nil {
		return err
	}
	return r.Report(ctx, r.solver, solvers.Outcome{Steps: r.solver.Clock().Steps, Hash: hash, Drifts: drifts,
		SetUp: r.setUp.Seconds(), Seconds: r.looped.Seconds()})
}

// finish gathers the summary.
func (r *runner) finish(ctx context.Context) (*summary.Summary, error) {
	end, err := r.totals.Measure(ctx, r.solver)
	if err != nil {
		return nil, err
	}
	hash, err := solvers.Hash(ctx, r.Comm, r.solver)
	if err != nil {
		return nil, err
	}
	c := r.Case
	if d, ok := r.solver.(solvers.Saver); ok && c.Output.Mesh != "" && !r.Check {
		path := c.Output.Mesh
		if !filepath.IsAbs(path) {
			path = filepath.Join(r.Dir, path)
		}
		if err := d.Save(ctx, path); err != nil {
			return nil, err
		}
	}
	now := r.solver.Clock()
	if r.size.Sweeps {
		now.Time = 0
	}
	s := &summary.Summary{
		Solver: c.Solver, Case: c.Name, CaseSHA256: c.Hash(), Steps: int64(now.Steps), Time: now.Time,
		Cells: r.size.Entities, Unit: r.size.Unit, Ranks: r.Comm.Size(), Transport: r.Transport,
		Backend: r.Device.Name(), Halo: r.size.Halo, Precision: r.size.Precision, Threads: r.Device.Threads(),
		Wall: r.looped.Seconds(), StateSHA256: hash, HashVersion: solvers.HashVersion,
		Metrics: map[string]float64{}, Phases: r.solver.Phases(), Conservation: map[string]float64{},
		Version: summary.Version(), FMA: summary.FusesMultiplyAdd(), Host: summary.ThisHost(),
	}
	for _, q := range end {
		if q.In&solvers.Metric != 0 {
			s.Metrics[q.Name] = q.Value
		}
		if q.In&solvers.Drift != 0 {
			s.Conservation[strings.TrimSuffix(q.Name, "_drift")] = q.Value
		}
	}
	if d, ok := r.solver.(solvers.Stopper); ok {
		s.Stopped = d.Stopped()
	}
	s.Phases["setup"], s.Phases["output"] = r.setUp.Seconds(), r.output.Seconds()
	if r.first > 0 {
		s.Phases["first_step"] = r.first.Seconds()
	}
	if d, apart := r.Device.(backend.Account); apart {
		bytes := []int64{d.Peak()}
		if err := r.Comm.AllreduceInt64(ctx, dist.Sum, bytes); err != nil {
			return nil, err
		}
		s.DeviceBytes = bytes[0]
	}
	if s.Wall > 0 {
		s.UpdatesPerS = float64(r.size.Entities) * float64(now.Steps) / s.Wall
	}
	return s, nil
}

func (r *runner) close() error {
	var errs []error
	if r.solver != nil {
		r.solver.Close()
	}
	for _, f := range r.frames {
		f.close()
	}
	for _, g := range r.gauges {
		errs = append(errs, g.close())
	}
	if r.ledger != nil {
		errs = append(errs, r.ledger.close())
	}
	return errors.Join(errs...)
}
