package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/run/bench"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/levelset"
	_ "github.com/atoll-hpc/atoll/solvers/levelset/problem" // registers the solver of the case
)

// Options are the flags of the benchmark. All combinations of the lists are measured.
type Options struct {
	Cells      []int
	Particles  int
	Reinits    []string
	CFLs       []float64
	Precisions []string
	Threads    []int
	Sort       int  // steps between sortings of the particles
	Warm       int  // steps before the first measurement
	Repeat     int  // measurements, of which the fastest counts
	Whole      bool // whole runs, not stages
	Timeline   bool // print the timeline of the device in one more step

	device func(rank, threads int) (dev backend.Device, done func(), err error)
}

// caseTemplate is the case of Enright's ball.
const caseTemplate = `
solver = "level-set"
[grid]
bounds = [0, 0, 0, 1, 1, 1]
cells = [%[1]d, %[1]d, %[1]d]
[initial]
shape = "sphere(0.35, 0.35, 0.35, 0.15)"
[velocity]
field = "enright"
period = 3
[method]
particles = %[2]d
reinit = %[3]q
cfl = %[4]g
precision = %[5]q
%[6]s
[time]
end = 3
`

// combination is one combination of the lists in Options.
type combination struct {
	cells, threads    int
	reinit, precision string
	cfl               float64
}

func (o *Options) eachCombination(measure func(combination) error) error {
	for _, cells := range o.Cells {
		for _, reinit := range o.Reinits {
			for _, cfl := range o.CFLs {
				for _, precision := range o.Precisions {
					for _, threads := range o.Threads {
						if err := measure(combination{cells, threads, reinit, precision, cfl}); err != nil {
							return fmt.Errorf("%d cells an axis: %w", cells, err)
						}
					}
				}
			}
		}
	}
	return nil
}

// caseText returns the case of a measurement.
func (o *Options) caseText(m combination) string {
	sort := ""
	if o.Particles > 0 {
		sort = fmt.Sprintf("sort = %d", o.Sort)
	}
	return fmt.Sprintf(caseTemplate, m.cells, o.Particles, m.reinit, m.cfl, m.precision, sort)
}

// withSolver makes the solver of a measurement, and calls `measure` with it.
func (o *Options) withSolver(ctx context.Context, m combination, measure func(s solvers.Solver,
	dev backend.Device) error) error {
	c, err := solvers.Parse("bench.toml", []byte(o.caseText(m)), nil)
	if err != nil {
		return err
	}
	dev, done, err := o.device(0, m.threads)
	if err != nil {
		return err
	}
	defer done()
	comm := local.New(1)[0]
	defer comm.Close()
	kind, _ := solvers.Find("level-set")
	s, err := kind.New(ctx, solvers.Env{Comm: comm, Device: dev}, c)
	if err != nil {
		return err
	}
	defer s.Close()
	return measure(s, dev)
}

// stages measures the parts of a step of the ball, after some steps.
func (o *Options) stages(ctx context.Context, w io.Writer) error {
	return o.eachCombination(func(m combination) error {
		return o.withSolver(ctx, m, func(s solvers.Solver, dev backend.Device) error {
			if _, err := s.Advance(ctx, 3, 0, o.Warm); err != nil {
				return err
			}
			copyRate, err := bench.DeviceCopyBandwidth(dev, m.threads)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "\n%d³ cells, %s, threads: %d, copy bandwidth %.1f GB/s\n", m.cells, m.precision, m.threads,
				copyRate/1e9)
			fmt.Fprintf(w, "%-36s %10s %-9s %10s %12s %12s %12s\n", "stage", "size", "of", "ms", "M a second", "processor ms",
				"M a second")
			for _, stage := range s.(*engine.Engine).Model().(interface{ Stages() []levelset.Stage }).Stages() {
				wall, processor := math.Inf(1), math.Inf(1)
				for range o.Repeat {
					watch := bench.StartWatch()
					if err := stage.Run(ctx); err != nil {
						return err
					}
					timing := watch.Timing(int64(stage.Size))
					wall, processor = min(wall, timing.Wall), min(processor, timing.Processor)
				}
				size := float64(stage.Size) / 1e6
				fmt.Fprintf(w, "%-36s %10d %-9s %10.3f %12.2f", stage.Name, stage.Size, stage.Unit+"s", 1e3*wall, size/wall)
				if dev.Name() == "cpu" { // processor time, which other programs on the machine do not lengthen
					fmt.Fprintf(w, " %12.3f %12.2f", 1e3*processor, size/processor)
				}
				fmt.Fprintln(w)
			}
			return nil
		})
	})
}

// runs measures whole runs without output files.
func (o *Options) runs(ctx context.Context, w io.Writer) error {
	fmt.Fprintf(w, "%-6s %-6s %5s %-9s %7s %6s %9s %10s %11s %9s\n", "cells", "reinit", "CFL", "precision", "threads",
		"steps", "s", "ms a step", "particles", "loss")
	return o.eachCombination(func(m combination) error {
		return o.withSolver(ctx, m, func(s solvers.Solver, dev backend.Device) error {
			begin := time.Now()
			for s.Clock().Time < 3 {
				if _, err := s.Advance(ctx, 3, 0, math.MaxInt); err != nil {
					return err
				}
			}
			if err := backend.Sync(dev); err != nil {
				return err
			}
			seconds := time.Since(begin).Seconds()
			quantities, err := s.Measure(ctx)
			if err != nil {
				return err
			}
			value := map[string]float64{}
			for _, q := range quantities {
				value[q.Name] = q.Value
			}
			steps := s.Clock().Steps
			fmt.Fprintf(w, "%-6s %-6s %5.3g %-9s %7d %6d %9.3f %10.3f %11.0f %8.2f%%\n", fmt.Sprintf("%d³", m.cells), m.reinit,
				m.cfl, m.precision, m.threads, steps, seconds, 1e3*seconds/float64(steps), value["particles"],
				100*value["volume_loss"])
			if o.Timeline {
				err = errors.Join(err, o.timeline(ctx, w, s, dev))
			}
			return err
		})
	})
}

// timeline prints the timeline of one more step.
func (o *Options) timeline(ctx context.Context, w io.Writer, s solvers.Solver, dev backend.Device) error {
	text, err := bench.Timeline(dev, func() error {
		_, err := s.Advance(ctx, 6, 0, 1)
		return err
	})
	fmt.Fprint(w, strings.TrimRight(text, "\n"), "\n")
	return err
}
