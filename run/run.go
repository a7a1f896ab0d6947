// Package run takes a case from its file to its results: it sets the solver up on every rank, advances it in time, and
// writes frames, gauges, what is conserved, and a summary.
package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/config"
	"github.com/atoll-hpc/atoll/run/progress"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// Options say how to run a case on one rank. All ranks pass the same, but for Comm and Device.
type Options struct {
	Case      *config.Case
	Comm      dist.Comm
	Device    backend.Device
	Transport string           // for the summary
	Dir       string           // of all output; "" for the case's own
	Check     bool             // set up, but do not run
	Progress  progress.Options // of rank 0
}

// Run runs a case. Every rank of opts.Comm calls it; the summary is the same on all but for times. An error of one rank
// ends the others.
func Run(ctx context.Context, o Options) (*summary.Summary, error) {
	r, err := newRunner(ctx, o)
	if err == nil && !o.Check {
		err = r.loop(ctx)
	}
	var result *summary.Summary
	if err == nil {
		result, err = r.finish(ctx)
	}
	if r != nil {
		err = errors.Join(err, r.close())
	}
	var bad *BadInput
	if err != nil && !errors.As(err, &bad) {
		o.Comm.Abort(1, err)
	}
	return result, err
}

// runner is a run on one rank.
type runner struct {
	Options
	solver   shallow.Solver
	cells    int64 // of the whole mesh
	started  time.Time
	setUp    time.Duration
	output   time.Duration
	looped   time.Duration
	start    shallow.Diagnostics
	frames   *frames
	gauges   []*gauge
	ledger   *conservation // on rank 0
	names    []string      // of the fields of frames and gauges, by the case
	progress *progress.Line
}

func newRunner(ctx context.Context, o Options) (*runner, error) {
	r := &runner{Options: o, started: time.Now()}
	c := o.Case
	part, plan, err := distribute(ctx, c, c.Sections.(*config.Shallow).Mesh, o.Comm)
	if err != nil {
		return nil, &BadInput{err}
	}
	debug.FreeOSMemory() // the whole mesh, before the solver takes its share
	cfg, initial, err := shallowSetUp(c, part)
	if err := agree(ctx, o.Comm, err); err != nil {
		return nil, err
	}
	r.solver, err = shallow.New(ctx, c.Sections.(*config.Shallow).Physics.Precision, cfg, part, plan, initial, o.Comm, o.Device)
	if err := agree(ctx, o.Comm, err); err != nil {
		return nil, err
	}
	cells := []int64{int64(part.Owned)}
	if err := o.Comm.AllreduceInt64(ctx, dist.Sum, cells); err != nil {
		return nil, err
	}
	r.cells = cells[0]
	if r.start, err = r.solver.Diagnose(ctx); err != nil {
		return nil, err
	}
	if r.Dir == "" {
		r.Dir = c.Output.Dir
	}
	r.names = c.Output.Fields
	gauges, err := locate(ctx, c.Gauges, o.Comm, part)
	if err != nil {
		return nil, err
	}
	if !o.Check {
		if err := r.open(ctx, part, gauges); err != nil {
			return r, err
		}
	}
	// What set-up needed and the run does not goes back to the system.
	debug.FreeOSMemory()
	r.setUp = time.Since(r.started)
	return r, nil
}

// open makes the files of the run. cells are those of the gauges on this rank.
func (r *runner) open(ctx context.Context, part *mesh.Part, cells []int) error {
	o := r.Case.Output
	err := os.MkdirAll(r.Dir, 0o777)
	if err := agree(ctx, r.Comm, err); err != nil {
		return err
	}
	if slices.Contains(o.Format, "vtu") {
		if r.frames, err = newFrames(r.Dir, r.Case.Name, r.Comm, part); err != nil {
			return err
		}
	}
	for i, cell := range cells {
		if cell < 0 {
			continue
		}
		g, err := openGauge(r.Dir, r.Case.Gauges[i], cell, r.names)
		if err != nil {
			return err
		}
		r.gauges = append(r.gauges, g)
	}
	if r.Comm.Rank() == 0 {
		if r.ledger, err = openConservation(r.Dir); err != nil {
			return err
		}
	}
	return nil
}

// loop advances the case to its end.
func (r *runner) loop(ctx context.Context) error {
	c, s := r.Case, r.solver
	begin := time.Now()
	r.progress = progress.New(r.Progress, progress.Run{Cells: r.cells, End: c.Time.End, MaxSteps: c.Time.MaxSteps})
	defer r.progress.Finish()
	if err := r.begin(ctx); err != nil {
		return err
	}
	frame, framed := 1, 0.0
	for s.Time() < c.Time.End && (c.Time.MaxSteps == 0 || s.Steps() < c.Time.MaxSteps) {
		until := c.Time.End
		if c.Output.Every > 0 {
			until = min(until, float64(frame)*c.Output.Every)
		}
		dt, err := s.Step(ctx, until)
		if err != nil {
			return fmt.Errorf("at t = %g s: %w", s.Time(), err)
		}
		r.progress.Step(s.Steps(), s.Time(), dt)
		if err := r.record(ctx, dt); err != nil {
			return err
		}
		if s.Time() == until {
			if until < c.Time.End {
				if err := r.frame(ctx); err != nil {
					return err
				}
				framed = s.Time()
			}
			frame++
		}
	}
	if framed < s.Time() {
		if err := r.frame(ctx); err != nil {
			return err
		}
	}
	r.looped = time.Since(begin)
	return nil
}

// begin writes the frame and the rows of the start.
func (r *runner) begin(ctx context.Context) error {
	if err := r.frame(ctx); err != nil {
		return err
	}
	if err := r.sample(); err != nil {
		return err
	}
	if r.ledger != nil {
		return r.ledger.record(0, 0, 0, r.start)
	}
	return nil
}

// record writes what is due after a step.
func (r *runner) record(ctx context.Context, dt float64) error {
	if err := r.sample(); err != nil {
		return err
	}
	if every := r.Case.Output.ConservationEvery; every == 0 || r.solver.Steps()%every != 0 {
		return nil
	}
	begin := time.Now()
	defer func() { r.output += time.Since(begin) }()
	d, err := r.solver.Diagnose(ctx)
	if err != nil || r.ledger == nil {
		return err
	}
	return r.ledger.record(r.solver.Steps(), r.solver.Time(), dt, d)
}

func (r *runner) sample() error {
	for _, g := range r.gauges {
		if err := g.record(r.solver.Time(), r.names, r.value); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) value(name string, cell int) float64 {
	return r.solver.Value(solverField(r.Case.Sections.(*config.Shallow).Physics.Layers, name), cell)
}

func (r *runner) frame(ctx context.Context) error {
	if r.frames == nil {
		return nil
	}
	begin := time.Now()
	defer func() { r.output += time.Since(begin) }()
	return r.frames.write(ctx, r.solver.Time(), r.names, func(name string) ([]float64, error) {
		return r.solver.Field(solverField(r.Case.Sections.(*config.Shallow).Physics.Layers, name))
	})
}

// finish gathers the summary.
func (r *runner) finish(ctx context.Context) (*summary.Summary, error) {
	d, err := r.solver.Diagnose(ctx)
	if err != nil {
		return nil, err
	}
	hash, err := r.solver.Hash(ctx)
	if err != nil {
		return nil, err
	}
	c := r.Case
	s := &summary.Summary{
		Solver: c.Solver, Case: c.Name, CaseSHA256: c.Hash(), Steps: int64(r.solver.Steps()), Time: r.solver.Time(), Cells: r.cells,
		Ranks: r.Comm.Size(), Transport: r.Transport, Backend: r.Device.Name(), Precision: c.Sections.(*config.Shallow).Physics.Precision,
		Threads: r.Device.Threads(), Wall: r.looped.Seconds(), StateSHA256: hash,
		Metrics: metrics(d, r.start), Phases: r.solver.Phases(), Version: summary.Version(), FMA: summary.FusesMultiplyAdd(),
		Host: summary.ThisHost(),
	}
	s.Conservation = map[string]float64{"mass1": s.Metrics["mass1_drift"], "mass2": s.Metrics["mass2_drift"]}
	s.Phases["setup"], s.Phases["output"] = r.setUp.Seconds(), r.output.Seconds()
	if s.Wall > 0 {
		s.UpdatesPerS = float64(r.cells) * float64(r.solver.Steps()) / s.Wall
	}
	return s, nil
}

func (r *runner) close() error {
	var errs []error
	if r.solver != nil {
		r.solver.Close()
	}
	for _, g := range r.gauges {
		errs = append(errs, g.close())
	}
	if r.ledger != nil {
		errs = append(errs, r.ledger.close())
	}
	return errors.Join(errs...)
}
