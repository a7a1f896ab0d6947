package main

import (
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/run/bench"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

func benchCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure throughput, as a share of the memory bandwidth measured in the same run",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	o := bench.ShallowOptions{}
	var f runFlags
	var tables bool
	var sweep string
	s := &cobra.Command{
		Use:   "shallow",
		Short: "Cell updates a second of shallow water: cells × order × precision × scheme × threads",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var ok bool
			if o.Sweep, ok = sweeps[sweep]; !ok {
				return usageError{fmt.Errorf("--sweep %q is not known; choose auto, cells or tiles", sweep)}
			}
			if tables && o.JSON {
				return usageError{errors.New("--tables are for people: leave --json out")}
			}
			printBuild(o.JSON)
			o.Open = func(threads int) (backend.Device, func(), error) {
				dev, err := f.device(0, threads)
				if err != nil {
					return nil, nil, err
				}
				return dev, dev.Close, nil
			}
			if f.backend == "cuda" { // one device for all, so that its kernels are loaded once
				dev, err := f.device(0, 1)
				if err != nil {
					return err
				}
				defer dev.Close()
				o.Threads = []int{1}
				o.Open = func(int) (backend.Device, func(), error) { return dev, func() {}, nil }
			}
			if tables {
				return bench.Paper(cmd.Context(), os.Stdout, o)
			}
			return bench.Shallow(cmd.Context(), os.Stdout, o)
		},
	}
	threads := []int{1}
	if n := runtime.GOMAXPROCS(0); n > 1 {
		threads = append(threads, n)
	}
	p := s.Flags()
	p.StringVar(&f.backend, "backend", "cpu", "where kernels run: cpu or cuda (an NVIDIA GPU)")
	p.BoolVar(&tables, "tables", false, "the paper's Tables 1 and 2, its times beside ours; --cells bounds their meshes")
	p.StringVar(&sweep, "sweep", "auto", "how a step goes over the mesh: cells (all fluxes, then all cells), "+
		"tiles, or auto")
	p.IntSliceVar(&o.Cells, "cells", []int{1036800}, "numbers of cells")
	p.StringSliceVar(&o.Schemes, "schemes", []string{"roe", "ir-roe", "pvm-ifcp"}, "schemes")
	p.StringSliceVar(&o.Orders, "orders", []string{"natural", "rcm", "gps", "hilbert", "random"}, "orders of the cells")
	p.StringSliceVar(&o.Precisions, "precisions", []string{"float64", "float32"}, "precisions")
	p.IntSliceVar(&o.Threads, "threads", threads, "numbers of threads")
	p.Float64Var(&o.Seconds, "seconds", 3, "length of each measurement")
	p.IntVar(&o.Repeat, "repeat", 1, "measurements, of which the fastest counts")
	p.BoolVar(&o.JSON, "json", false, "print a line of JSON for each measurement, with its processor time, and no table")
	c.AddCommand(s, benchVofCommand(), benchScalingCommand(), benchSmoothCommand(), benchTransportsCommand())
	return c
}

var sweeps = map[string]shallow.Sweep{"auto": shallow.AutoSweep, "cells": shallow.CellSweep, "tiles": shallow.TileSweep}

func benchScalingCommand() *cobra.Command {
	var f runFlags
	var picture string
	o := bench.ScalingOptions{}
	c := &cobra.Command{
		Use:   "scaling",
		Short: "Shallow water on several ranks of one process, each with a device: weak or strong scaling",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			printBuild(false)
			o.Open = func(rank, ranks int) (backend.Device, error) { return f.device(rank, max(1, f.threads)) }
			chart, err := bench.Scaling(cmd.Context(), os.Stdout, o)
			if err != nil {
				return err
			}
			return writeChart(picture, chart)
		},
	}
	p := c.Flags()
	p.StringVar(&f.backend, "backend", "cpu", "where kernels run: cpu or cuda (an NVIDIA GPU a rank)")
	p.IntVar(&f.threads, "threads", 1, "threads of each rank")
	p.IntVar(&o.Cells, "cells", 1036800, "number of cells: of a rank with --weak, else of all")
	p.BoolVar(&o.Weak, "weak", false, "cells in proportion to ranks")
	p.IntSliceVar(&o.Ranks, "ranks", []int{1, 2}, "numbers of ranks")
	p.StringSliceVar(&o.Halos, "halo", []string{"auto"}, "ways to exchange ghosts: auto, staged, nccl")
	p.StringSliceVar(&o.Schemes, "schemes", []string{"pvm-ifcp"}, "schemes")
	p.StringSliceVar(&o.Precisions, "precisions", []string{"float64"}, "precisions")
	p.IntVar(&o.Steps, "steps", 200, "steps of each measurement")
	p.IntVar(&o.Repeat, "repeat", 3, "measurements, of which the fastest counts")
	p.BoolVar(&o.Lag, "lag", false, "take each step's length from the step before last")
	p.BoolVar(&o.Hash, "hash", false, "print the hash of the state")
	p.StringVar(&picture, "picture", "", "file for a picture (PNG); with one scheme in one precision")
	p.BoolVar(&o.Timeline, "timeline", false, "print what the GPU of rank 0 does in one step")
	return c
}

// printBuild begins a table; lines of JSON stand by themselves.
func printBuild(asJSON bool) {
	if h := summary.ThisHost(); !asJSON {
		fmt.Printf("atoll %s, %s, %s, %d cores\n", summary.Version(), h.Go, h.CPU, h.Cores)
	}
}

// writeChart draws a chart into a file, if there is to be one.
func writeChart(path string, chart interface{ Draw() (image.Image, error) }) error {
	if path == "" {
		return nil
	}
	img, err := chart.Draw()
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(f, img), f.Close())
}
