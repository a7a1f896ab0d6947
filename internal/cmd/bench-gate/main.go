// Command bench-gate measures two builds of atoll alternately and reports whether the second is slower. See
// docs/development.md.
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
		Short: "Measure two builds of atoll alternately, and report whether the second is slower",
		Long: "Run atoll bench of each solver with two builds alternately, on one core. Each pair of runs gives the ratio\n" +
			"of times NEW/OLD; print the median of the ratios and its 95% interval. OLD and NEW are each a commit, a\n" +
			"source folder, or a binary of atoll whose benches have the flag --json. The exit code is 1 if an interval\n" +
			"lies wholly above --limit.",
		Args:          cobra.ExactArgs(2),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.compare(cmd.Context(), args[0], args[1])
		},
	}
	p := c.Flags()
	p.IntVar(&g.pairs, "pairs", 15, fmt.Sprintf("pairs of runs of each bench, at least %d", minPairs))
	p.StringArrayVar(&g.benches, "on", nil,
		"arguments of atoll bench, in quotes; may be repeated (default: small benches of each solver)")
	p.StringVar(&g.backend, "backend", "cpu", "where kernels run: cpu or cuda (an NVIDIA GPU)")
	p.Float64Var(&g.limit, "limit", 1.03, "fail if an interval lies wholly above this ratio")
	p.IntVar(&g.core, "core", -1, "the core that all runs are bound to, by taskset (default: the last available core)")
	return c
}
