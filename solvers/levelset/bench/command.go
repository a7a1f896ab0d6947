// Package bench measures the stages of a step and whole runs of the level set solver.
package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/atoll-hpc/atoll/run/bench"
	"github.com/atoll-hpc/atoll/solvers"
)

func init() {
	bench.Register(bench.Benchmark{Name: "levelset", New: newBenchmark,
		Short: "Particle level set: the stages of a step, or whole runs of Enright's ball, by cells, method and threads"})
}

func newBenchmark(p *pflag.FlagSet) func(ctx context.Context, m *bench.Machine) error {
	o := Options{}
	p.IntSliceVar(&o.Cells, "cells", []int{100}, "cells along each axis")
	p.IntVar(&o.Particles, "particles", 64, "particles of each sign in a cell near the interface; 0 for none")
	p.StringSliceVar(&o.Reinits, "reinit", []string{"sweep"}, "reinitialisation: sweep, weno")
	p.Float64SliceVar(&o.CFLs, "cfl", []float64{1}, "CFL numbers")
	p.StringSliceVar(&o.Precisions, "precisions", []string{"float64"}, "precisions")
	p.IntSliceVar(&o.Threads, "threads", bench.DefaultThreads(), "threads")
	p.IntVar(&o.Sort, "sort", 20, "steps between sortings of the particles by cell; 0 for none")
	p.IntVar(&o.Warm, "warm", 5, "steps before stages are measured")
	p.IntVar(&o.Repeat, "repeat", 3, "measurements of each stage, of which the fastest counts")
	p.BoolVar(&o.Whole, "whole", false, "whole runs to t = 3 in place of stages")
	p.BoolVar(&o.Timeline, "timeline", false, "print the timeline of the GPU in one more step")
	return func(ctx context.Context, m *bench.Machine) error {
		if o.Repeat < 1 || o.Warm < 1 {
			return &solvers.BadInput{Err: errors.New("--repeat and --warm are at least 1")}
		}
		m.PrintHeader(false)
		if m.GPU {
			o.Threads = o.Threads[:1]
		}
		var texts []string
		err := o.eachCombination(func(one combination) error {
			texts = append(texts, o.caseText(one))
			return nil
		})
		if err := cmp.Or(err, m.CheckMemory(false, 1, texts...)); err != nil {
			return err
		}
		done, err := o.openDevice(m)
		if err != nil {
			return err
		}
		defer done()
		if o.Whole {
			return o.runs(ctx, m.Out)
		}
		return o.stages(ctx, m.Out)
	}
}

// openDevice opens the GPU once for all measurements.
func (o *Options) openDevice(m *bench.Machine) (done func(), err error) {
	name, done, err := m.ShareGPU()
	o.device = m.Open
	if err == nil && name != "" {
		fmt.Fprintf(m.Out, "on %s\n", name)
	}
	return done, err
}
