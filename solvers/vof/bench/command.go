// Package bench measures steps of the volume-of-fluid solver, and the stages of a reconstruction.
package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/atoll-hpc/atoll/run/bench"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/vof"
)

func init() {
	bench.Register(bench.Benchmark{Name: "vof", New: newBenchmark,
		Short: "Volume of fluid: steps of a vortex by cells, method, ranks and threads, or the stages of a reconstruction"})
}

// newBenchmark defines the flags of the benchmark and returns the function that runs it.
func newBenchmark(p *pflag.FlagSet) func(ctx context.Context, m *bench.Machine) error {
	o := StepOptions{}
	var normals, advects, exchanges, halos, sweeps []string
	var stages bool
	var picture string
	cfl := .5
	p.BoolVar(&stages, "stages", false, "the stages of a reconstruction in the plane, by size, in place of steps")
	p.StringVar(&picture, "picture", "", "file for a picture (PNG) of --stages over --threads, for one of --cells")
	p.IntVar(&o.Dim, "dim", 2, "dimensions: 2 or 3")
	p.IntSliceVar(&o.Cells, "cells", []int{256, 1024}, "cells along each axis: of a rank with --weak, else of the grid")
	p.BoolVar(&o.Weak, "weak", false, "cells in proportion to ranks")
	p.StringSliceVar(&normals, "normals", []string{"myc"}, "normals: youngs, myc, elvira, lvira, height")
	p.StringSliceVar(&advects, "advect", []string{"weymouth-yue"}, "weymouth-yue, ei-le")
	p.StringSliceVar(&exchanges, "exchange", []string{"auto"},
		"when ghosts are exchanged: sweep, step, steps (once in 24, by tiles), auto")
	p.StringSliceVar(&halos, "halo", []string{"auto"}, "ways to exchange ghosts: auto, staged, p2p, nccl")
	p.StringSliceVar(&sweeps, "sweep", []string{"auto"}, "how a step goes over the grid: cells, tiles, auto")
	p.Float64Var(&cfl, "cfl", cfl, "the CFL number, summed over the axes")
	p.StringSliceVar(&o.Precisions, "precisions", []string{"float64"}, "precisions")
	p.IntSliceVar(&o.Threads, "threads", bench.DefaultThreads(), "threads of each rank")
	p.IntSliceVar(&o.Ranks, "ranks", []int{1}, "numbers of ranks, each with a device")
	p.IntVar(&o.Warm, "warm", 48, "steps before the first measurement")
	p.IntVar(&o.Steps, "steps", 96, "steps of each measurement")
	p.IntVar(&o.Repeat, "repeat", 3, "measurements, of which the fastest counts")
	p.BoolVar(&o.Timeline, "timeline", false, "print what the GPU of rank 0 does in one step")
	p.BoolVar(&o.Hash, "hash", false, "print the hash of the state")
	p.BoolVar(&o.JSON, "json", false, "print a line of JSON for each measurement, with its processor time, and no table")
	return func(ctx context.Context, m *bench.Machine) error {
		if o.Dim != 2 && o.Dim != 3 {
			return &solvers.BadInput{Err: fmt.Errorf("--dim %d: choose 2 or 3", o.Dim)}
		}
		if stages && o.JSON {
			return &solvers.BadInput{Err: errors.New("--stages are a table: leave --json out")}
		}
		m.PrintHeader(o.JSON)
		o.Open = m.Open
		if m.GPU {
			o.Threads = o.Threads[:1]
		}
		if stages {
			return drawStages(m, o, picture)
		}
		if picture != "" {
			return &solvers.BadInput{Err: fmt.Errorf("--picture %s: a picture is drawn of --stages", picture)}
		}
		o.combine(cfl, normals, advects, exchanges, sweeps, halos)
		if err := m.CheckMemory(o.JSON, slices.Max(o.Ranks), o.largestCases()...); err != nil {
			return err
		}
		return Steps(ctx, m.Out, o)
	}
}

// combine sets Configs to all combinations of the lists.
func (o *StepOptions) combine(cfl float64, normals, advects, exchanges, sweeps, halos []string) {
	for _, normal := range normals {
		for _, advect := range advects {
			for _, exchange := range exchanges {
				for _, sweep := range sweeps {
					for _, halo := range halos {
						o.Configs = append(o.Configs, StepConfig{vof.Config{Normal: normal, Advect: advect, CFL: cfl,
							Exchange: exchange, Sweep: sweep}, halo})
					}
				}
			}
		}
	}
}

func drawStages(m *bench.Machine, o StepOptions, picture string) error {
	if picture != "" && (len(o.Threads) < 2 || len(o.Cells) != 1) {
		return &solvers.BadInput{Err: fmt.Errorf("--picture %s: give several --threads, on the CPU, and one number "+
			"of --cells", picture)}
	}
	chart, err := VofStages(m.Out, o)
	if err != nil {
		return err
	}
	return bench.Draw(picture, chart)
}
