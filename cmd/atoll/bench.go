package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/run/bench"
)

func benchCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure throughput, as a share of the memory bandwidth measured in the same run",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, b := range bench.All() {
		c.AddCommand(benchmarkCommand(b))
	}
	c.AddCommand(benchTransportsCommand())
	return c
}

// benchmarkCommand returns the command of a benchmark that runs on a device.
func benchmarkCommand(b bench.Benchmark) *cobra.Command {
	c := &cobra.Command{Use: strings.Join(append([]string{b.Name}, b.Args...), " "), Short: b.Short,
		Args: cobra.ExactArgs(len(b.Args))}
	if n := len(b.Args); n > 0 && strings.HasSuffix(b.Args[n-1], "...") {
		c.Args = cobra.MinimumNArgs(n)
	}
	var f runFlags
	c.Flags().StringVar(&f.backend, "backend", "cpu", "where kernels run: cpu or cuda (one NVIDIA GPU per rank)")
	measure := b.New(c.Flags())
	c.RunE = func(cmd *cobra.Command, args []string) error {
		return measure(cmd.Context(), &bench.Machine{Out: os.Stdout, Args: args, GPU: f.backend == "cuda",
			Open: func(rank, threads int) (backend.Device, func(), error) {
				dev, err := f.device(rank, threads, false)
				if err != nil {
					return nil, nil, err
				}
				return dev, dev.Close, nil
			}})
	}
	return c
}
