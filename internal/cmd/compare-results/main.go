// Command compare-results runs the same cases with two builds of atoll and compares every bit of what comes out:
// docs/development.md.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command(&options{out: os.Stdout}).ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "compare-results:", err)
		stop()
		os.Exit(1)
	}
}

func command(o *options) *cobra.Command {
	c := &cobra.Command{
		Use:   "compare-results OLD NEW",
		Short: "Run the same cases with two builds of atoll and compare every bit of what comes out",
		Long: "Run the examples, the cases of this program and atoll verify --quick with two builds of atoll, and compare\n" +
			"hashes, metrics, conservation, gauges, decoded frames and tables bit by bit. OLD and NEW are each a commit, a\n" +
			"folder with the sources, or a binary of atoll; OLD may be a folder that --keep has left. The exit code is 0\n" +
			"where all are equal, else 1.",
		Args:          cobra.ExactArgs(2),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.compare(cmd.Context(), args[0], args[1])
		},
	}
	p := c.Flags()
	p.StringVar(&o.backend, "backend", "cpu", "where kernels run: cpu or cuda (an NVIDIA GPU)")
	p.StringVar(&o.only, "only", "", "only the cases whose label this regular expression matches")
	p.StringVar(&o.skip, "skip", "", "none of the cases whose label this regular expression matches")
	p.StringVar(&o.ignore, "ignore", "", "no differences that this regular expression matches, such as "+
		"summary.json: state_sha256")
	p.StringVar(&o.examples, "examples", "", "folder of the examples (default: that beside this program, else examples)")
	p.StringVar(&o.pack, "pack", "", "put this program, both builds and the examples into this folder, and run nothing: "+
		"for a machine that cannot build")
	p.StringVar(&o.keep, "keep", "", "leave the results in this folder, as old and new; a later OLD may be one of them")
	p.IntVar(&o.jobs, "jobs", 1, "cases at a time, each on one thread")
	p.DurationVar(&o.limit, "timeout", 30*time.Minute, "the longest that a case may take")
	p.BoolVar(&o.list, "list", false, "print the labels of the cases, and run nothing")
	p.BoolVar(&o.all, "all", false, "print all differences of a case, not only the first")
	return c
}
