// Command compare-results runs the same cases with two builds of atoll and compares all results bit for bit. See
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
		Short: "Run the same cases with two builds of atoll and compare all results bit for bit",
		Long: "Run the examples, the cases of this program and atoll verify --quick with two builds of atoll, and compare\n" +
			"hashes, metrics, conservation, gauges, decoded frames and tables bit for bit. OLD and NEW are each a commit, a\n" +
			"source folder, or a binary of atoll; OLD may be a folder of results that --keep has written. The exit code is\n" +
			"0 if all results are equal, else 1.",
		Args:          cobra.ExactArgs(2),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.compare(cmd.Context(), args[0], args[1])
		},
	}
	p := c.Flags()
	p.StringVar(&o.backend, "backend", "cpu", "where kernels run: cpu or cuda (an NVIDIA GPU)")
	p.StringVar(&o.only, "only", "", "run only the cases whose label matches this regular expression")
	p.StringVar(&o.skip, "skip", "", "do not run the cases whose label matches this regular expression")
	p.StringVar(&o.ignore, "ignore", "", "ignore differences that match this regular expression, such as "+
		"summary.json: state_sha256")
	p.StringVar(&o.examples, "examples", "", "folder of the examples (default: examples in the folder of this program, "+
		"else in the working directory)")
	p.StringVar(&o.pack, "pack", "", "write this program, both builds and the examples to this folder, and run nothing: "+
		"for a machine that cannot build")
	p.StringVar(&o.keep, "keep", "", "keep the results in the subfolders old and new of this folder; a later comparison "+
		"can use them as OLD")
	p.IntVar(&o.jobs, "jobs", 1, "number of cases that run at the same time, each on one thread")
	p.DurationVar(&o.limit, "timeout", 30*time.Minute, "time limit of a case")
	p.BoolVar(&o.list, "list", false, "print the labels of the cases, and run nothing")
	p.BoolVar(&o.all, "all", false, "print all differences of a case, not only the first")
	return c
}
