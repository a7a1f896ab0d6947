// Package run takes a case from its file to its results: it sets the solver up on every rank, advances it to its end,
// and writes frames, gauges, what is conserved, and a summary.
//
// What it needs of a solver is a driver: see driver.go for the interface and the table of those there are.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/run/progress"
	"github.com/atoll-hpc/atoll/run/summary"
)

// Options say how to run a case on one rank. All ranks pass the same, but for Comm and Device.
type Options struct {
	Case      *config.Case
	Comm      dist.Comm
	Device    backend.Device
	Transport string           // for the summary
	Halo      string           // how devices exchange ghosts: auto, staged or nccl; auto if empty
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
	err = errors.Join(err, r.close())
	var bad *BadInput
	if err != nil && !errors.As(err, &bad) {
		o.Comm.Abort(1, err)
	}
	return result, err
}

// runner is a run on one rank.
type runner struct {
	Options
	driver   driver
	size     extent
	started  time.Time
	setUp    time.Duration
	output   time.Duration
	looped   time.Duration
	frames   []*frames // one for each format
	prober   prober    // of cases that have gauges
	gauges   []*gauge
	columns  []string      // of their files, but for the time
	probed   []int         // cells of this rank for which rows are due
	values   []float64     // of these
	ledger   *conservation // on rank 0
	progress *progress.Line
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
	set, ok := drivers[o.Case.Solver]
	if !ok {
		return r, &BadInput{fmt.Errorf("solver %q cannot be run", o.Case.Solver)}
	}
	var err error
	if r.driver, err = set(ctx, o); err != nil {
		return r, err
	}
	r.size = r.driver.extent()
	var cells []int // of the gauges on this rank
	if len(o.Case.Gauges) > 0 {
		if r.prober, ok = r.driver.(prober); !ok {
			return r, &BadInput{fmt.Errorf("solver %q has no gauges", o.Case.Solver)}
		}
		if cells, err = locate(ctx, o.Case.Gauges, o.Comm, r.prober); err != nil {
			return r, err
		}
	}
	if o.Check {
		r.tellFindings()
	} else if err := r.open(ctx, cells); err != nil {
		return r, err
	}
	// What set-up needed and the run does not goes back to the system.
	debug.FreeOSMemory()
	r.setUp = time.Since(r.started)
	return r, nil
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
func (r *runner) tellFindings() {
	if r.Progress.Out != nil {
		if r.size.found != "" {
			fmt.Fprintln(r.Progress.Out, r.size.found)
		}
		fmt.Fprintf(r.Progress.Out, "memory: %s in arrays of all ranks, %.0f bytes a cell\n", amount(r.size.bytes),
			float64(r.size.bytes)/float64(max(1, r.size.cells)))
	}
}

// open makes the files of the run. cells are those of the gauges on this rank.
func (r *runner) open(ctx context.Context, cells []int) error {
	err := os.MkdirAll(r.Dir, 0o777)
	if err := agree(ctx, r.Comm, err); err != nil {
		return err
	}
	for i, format := range r.Case.Output.Format {
		series := r.Case.Name
		if i > 0 {
			series += "_" + format
		}
		f, err := newFrames(r.Dir, r.Case.Name, series, format, r.Comm)
		if err != nil {
			return err
		}
		r.frames = append(r.frames, f)
	}
	if len(cells) > 0 {
		r.columns = r.prober.columns(r.Case.Output.Fields)
	}
	for i, cell := range cells {
		g, err := openGauge(r.Dir, r.Case.Gauges[i], cell, r.columns)
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

// finish gathers the summary.
func (r *runner) finish(ctx context.Context) (*summary.Summary, error) {
	end, err := r.driver.report(ctx)
	if err != nil {
		return nil, err
	}
	hash, err := r.driver.hash(ctx)
	if err != nil {
		return nil, err
	}
	c := r.Case
	if d, ok := r.driver.(saver); ok && c.Output.Mesh != "" && !r.Check {
		path := c.Output.Mesh
		if !filepath.IsAbs(path) {
			path = filepath.Join(r.Dir, path)
		}
		if err := d.save(ctx, path); err != nil {
			return nil, err
		}
	}
	t, steps, _ := r.driver.clock()
	if r.size.sweeps {
		t = 0
	}
	s := &summary.Summary{
		Solver: c.Solver, Case: c.Name, CaseSHA256: c.Hash(), Steps: int64(steps), Time: t, Cells: r.size.cells,
		Ranks: r.Comm.Size(), Transport: r.Transport, Backend: r.Device.Name(), Halo: r.size.halo,
		Precision: r.size.precision,
		Threads:   r.Device.Threads(), Wall: r.looped.Seconds(), StateSHA256: hash,
		Metrics: end.metrics, Phases: r.driver.phases(), Conservation: end.conservation,
		Version: summary.Version(), FMA: summary.FusesMultiplyAdd(), Host: summary.ThisHost(),
	}
	if d, ok := r.driver.(interface{ stopped() string }); ok {
		s.Stopped = d.stopped()
	}
	s.Phases["setup"], s.Phases["output"] = r.setUp.Seconds(), r.output.Seconds()
	if s.Wall > 0 {
		s.UpdatesPerS = float64(r.size.cells) * float64(steps) / s.Wall
	}
	return s, nil
}

func (r *runner) close() error {
	var errs []error
	if r.driver != nil {
		r.driver.close()
	}
	for _, g := range r.gauges {
		errs = append(errs, g.close())
	}
	if r.ledger != nil {
		errs = append(errs, r.ledger.close())
	}
	return errors.Join(errs...)
}
