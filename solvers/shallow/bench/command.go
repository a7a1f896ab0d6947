// Package bench measures steps and scaling of the shallow-water solver.
package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/run/bench"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

func init() {
	bench.Register(bench.Benchmark{Name: "shallow", New: newStepsBenchmark,
		Short: "Cell updates a second of shallow water: cells × order × precision × scheme × threads"})
	bench.Register(bench.Benchmark{Name: "scaling", New: newScalingBenchmark,
		Short: "Shallow water on several ranks of one process, each with a device: weak or strong scaling"})
}

var sweeps = map[string]shallow.Sweep{"auto": shallow.AutoSweep, "cells": shallow.CellSweep, "tiles": shallow.TileSweep}

// newStepsBenchmark defines the flags of the benchmark and returns the function that runs it.
func newStepsBenchmark(p *pflag.FlagSet) func(ctx context.Context, m *bench.Machine) error {
	o := StepOptions{}
	var tables bool
	var sweep string
	p.BoolVar(&tables, "tables", false, "Tables 1 and 2 of de la Asunción et al. (2012), with their times and "+
		"those of this machine, for meshes of at most --cells cells")
	p.StringVar(&sweep, "sweep", "auto", "how a step goes over the mesh: cells (all fluxes, then all cells), "+
		"tiles, or auto")
	p.IntSliceVar(&o.Cells, "cells", []int{1036800}, "numbers of cells")
	p.StringSliceVar(&o.Schemes, "schemes", []string{"roe", "ir-roe", "pvm-ifcp"}, "schemes")
	p.StringSliceVar(&o.Orders, "orders", []string{"natural", "rcm", "gps", "hilbert", "random"}, "orders of the cells")
	p.StringSliceVar(&o.Precisions, "precisions", []string{"float64", "float32"}, "precisions")
	p.IntSliceVar(&o.Accuracy, "accuracy", []int{1}, "orders of the scheme in space and time: 1, 2")
	p.IntSliceVar(&o.Threads, "threads", bench.DefaultThreads(), "numbers of threads")
	p.Float64Var(&o.Seconds, "seconds", 3, "length of each measurement")
	p.IntVar(&o.Repeat, "repeat", 1, "measurements, of which the fastest counts")
	p.BoolVar(&o.JSON, "json", false, "print a line of JSON for each measurement, with its processor time, and no table")
	return func(ctx context.Context, m *bench.Machine) error {
		var ok bool
		if o.Sweep, ok = sweeps[sweep]; !ok {
			return &solvers.BadInput{Err: fmt.Errorf("--sweep %q is not known; choose auto, cells or tiles", sweep)}
		}
		if tables && o.JSON {
			return &solvers.BadInput{Err: errors.New("--tables cannot be combined with --json")}
		}
		m.PrintHeader(o.JSON)
		if err := m.CheckMemory(o.JSON, 1, o.largestCases()...); err != nil {
			return err
		}
		_, done, err := m.ShareGPU()
		if err != nil {
			return err
		}
		defer done()
		if m.GPU {
			o.Threads = []int{1}
		}
		o.Open = func(threads int) (backend.Device, func(), error) { return m.Open(0, threads) }
		if tables {
			return Paper(ctx, m.Out, o)
		}
		return Steps(ctx, m.Out, o)
	}
}

// newScalingBenchmark defines the flags of the benchmark and returns the function that runs it.
func newScalingBenchmark(p *pflag.FlagSet) func(ctx context.Context, m *bench.Machine) error {
	var threads int
	var picture string
	o := ScalingOptions{}
	p.IntVar(&threads, "threads", 1, "threads of each rank")
	p.IntVar(&o.Cells, "cells", 1036800, "number of cells: of a rank with --weak, else of all")
	p.BoolVar(&o.Weak, "weak", false, "cells in proportion to ranks")
	p.IntSliceVar(&o.Ranks, "ranks", []int{1, 2}, "numbers of ranks")
	p.StringSliceVar(&o.Halos, "halo", []string{"auto"}, "ways to exchange ghosts: auto, staged, p2p, nccl")
	p.StringSliceVar(&o.Schemes, "schemes", []string{"pvm-ifcp"}, "schemes")
	p.StringSliceVar(&o.Precisions, "precisions", []string{"float64"}, "precisions")
	p.IntVar(&o.Steps, "steps", 200, "steps of each measurement")
	p.IntVar(&o.Repeat, "repeat", 3, "measurements, of which the fastest counts")
	p.BoolVar(&o.Lag, "lag", false, "take each step's length from the step before last")
	p.BoolVar(&o.Hash, "hash", false, "print the hash of the state")
	p.StringVar(&picture, "picture", "", "file for a picture (PNG); with one scheme in one precision")
	p.BoolVar(&o.Timeline, "timeline", false, "print what the GPU of rank 0 does in one step")
	return func(ctx context.Context, m *bench.Machine) error {
		m.PrintHeader(false)
		if err := m.CheckMemory(false, slices.Max(o.Ranks), o.largestCases()...); err != nil {
			return err
		}
		o.Open = func(rank int) (backend.Device, func(), error) { return m.Open(rank, max(1, threads)) }
		chart, err := Scaling(ctx, m.Out, o)
		if err != nil {
			return err
		}
		return bench.Draw(picture, chart)
	}
}
