package main

import (
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/run/bench"
	"github.com/atoll-hpc/atoll/run/summary"
)

func benchCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure throughput, as a share of the memory bandwidth measured in the same run",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	o := bench.ShallowOptions{}
	s := &cobra.Command{
		Use:   "shallow",
		Short: "Cell updates a second of shallow water: scheme × order × precision × threads",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h := summary.ThisHost()
			fmt.Printf("atoll %s, %s, %s, %d cores\n", summary.Version(), h.Go, h.CPU, h.Cores)
			return bench.Shallow(cmd.Context(), os.Stdout, o)
		},
	}
	threads := []int{1}
	if n := runtime.GOMAXPROCS(0); n > 1 {
		threads = append(threads, n)
	}
	p := s.Flags()
	p.IntVar(&o.Cells, "cells", 1036800, "number of cells")
	p.StringSliceVar(&o.Schemes, "schemes", []string{"roe", "ir-roe", "pvm-ifcp"}, "schemes")
	p.StringSliceVar(&o.Orders, "orders", []string{"natural", "rcm", "gps", "hilbert", "random"}, "orders of the cells")
	p.StringSliceVar(&o.Precisions, "precisions", []string{"float64", "float32"}, "precisions")
	p.IntSliceVar(&o.Threads, "threads", threads, "numbers of threads")
	p.Float64Var(&o.Seconds, "seconds", 3, "length of each measurement")
	c.AddCommand(s, benchTransportsCommand())
	return c
}
