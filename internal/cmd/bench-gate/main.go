// Command bench-gate measures two builds of atoll in turns and says whether the second is slower: docs/development.md.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench-gate:", err)
		stop()
		os.Exit(1)
	}
}

func command() *cobra.Command {
	g := gate{out: os.Stdout}
	c := &cobra.Command{
		Use:   "bench-gate OLD NEW",
		Short: "Measure two builds of atoll in turns, and say whether the second is slower",
		Long: "Run atoll bench of each solver with two builds in turns, on one core, and print the median of the ratios\n" +
			"NEW/OLD of the times of pairs of runs with its 95% interval. OLD and NEW are each a commit, a folder with the\n" +
			"sources, or a binary of atoll whose benches know --json. The exit code is 1 where an interval lies wholly above\n" +
			"--limit.",
		Args:          cobra.ExactArgs(2),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.compare(cmd.Context(), args[0], args[1])
		},
	}
	p := c.Flags()
	p.IntVar(&g.pairs, "pairs", 15, fmt.Sprintf("pairs of runs of each bench, at least %d", leastPairs))
	p.StringArrayVar(&g.on, "on", nil,
		"what follows atoll bench, in quotes; may be repeated (default: each solver's, small)")
	p.StringVar(&g.backend, "backend", "cpu", "where kernels run: cpu or cuda (an NVIDIA GPU)")
	p.Float64Var(&g.limit, "limit", 1.03, "the ratio above which no interval may lie")
	p.IntVar(&g.core, "core", -1, "the core that all runs are pinned to, by taskset (default: the last that is allowed)")
	return c
}
