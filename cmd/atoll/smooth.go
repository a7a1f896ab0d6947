package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/run"
)

// smoothFlags are the flags of atoll smooth that are no keys of a case.
type smoothFlags struct {
	ranks, threads int
	backend        string
	json           string
	show, quiet    bool
}

func smoothCommand() *cobra.Command {
	var f smoothFlags
	c := &cobra.Command{
		Use:   "smooth IN OUT",
		Short: "Move the vertices of a mesh toward what a metric asks for, keeping its connectivity and groups",
		Long: `Move the vertices of a mesh of triangles or tetrahedra toward what a metric asks for,
keeping its connectivity and groups.

IN is a .msh, .mesh, .meshb, .vtu or .pvtu file; OUT is written by its extension: .msh, .mesh, .meshb or .vtu.
Values in parentheses are what holds without the flag.`,
		Example: `  atoll smooth wing.msh better.msh
  atoll smooth in.mesh out.vtu --metric linear --low 0.5 --high 0.05 --smoother pain-exact --relax 1.8
  atoll smooth in.msh out.msh --width '0.01 + 0.1*abs(y)' --height 0.02 --worst 0.3
  atoll smooth block.msh better.msh --width 0.1 --height 0.1 --depth '0.02 + 0.2*abs(z)'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usageError{fmt.Errorf("smooth takes two files, the mesh to read and the one to write, not %d: see "+
					"atoll smooth --help", len(args))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.alone(cmd); err != nil {
				return err
			}
			if f.json != "" {
				if err := cmp.Or(apart(f.json, args), writableInPlace(f.json)); err != nil {
					return err
				}
			}
			c, err := smoothCase(args[0], args[1], func(flag string) (string, bool) {
				return cmd.Flag(flag).Value.String(), cmd.Flag(flag).Changed
			})
			if err != nil {
				return err
			}
			if f.show {
				fmt.Print(c)
				return nil
			}
			return f.smooth(cmd.Context(), c, args[1])
		},
	}
	p := c.Flags()
	p.SortFlags = false
	for _, k := range smoothKeys {
		p.String(k.flag, "", k.usage)
	}
	p.IntVarP(&f.ranks, "ranks", "n", 1, "number of ranks, as goroutines of this process; atoll run does it over machines")
	p.IntVar(&f.threads, "threads", 0, "threads of each rank; 0 shares the cores among the ranks")
	p.StringVar(&f.backend, "backend", "cpu", "where kernels run: cpu or cuda (an NVIDIA GPU)")
	p.StringVar(&f.json, "json", "", "file for the report in JSON")
	p.BoolVar(&f.show, "case", false, "print the same as a case file for atoll run, and stop")
	p.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing but errors")
	return c
}

// alone refuses flags that mean nothing to a case that is only printed.
func (f *smoothFlags) alone(cmd *cobra.Command) error {
	for _, name := range []string{"ranks", "threads", "backend", "json"} {
		if f.show && cmd.Flag(name).Changed {
			return usageError{fmt.Errorf("--case prints a case and runs nothing: leave --%s away, and give it to atoll run",
				name)}
		}
	}
	return nil
}

// smooth runs the case on ranks of this process.
func (f *smoothFlags) smooth(ctx context.Context, c *config.Case, out string) error {
	switch {
	case f.ranks < 1 || f.threads < 0:
		return usageError{fmt.Errorf("--ranks %d and --threads %d: at least 1 rank, and 0 threads or more", f.ranks,
			f.threads)}
	case f.backend != "cpu" && f.backend != "cuda":
		return usageError{fmt.Errorf("--backend %q is not known; choose cpu or cuda", f.backend)}
	}
	if err := tooMany(f.ranks, f.threads); err != nil {
		return err
	}
	threads := f.threads
	if threads == 0 {
		threads = max(1, runtime.GOMAXPROCS(0)/f.ranks)
	}
	devices := runFlags{backend: f.backend}
	var report *run.SmoothReport
	g, ctx := errgroup.WithContext(ctx)
	for rank, comm := range local.New(f.ranks) {
		g.Go(func() error {
			dev, err := devices.device(rank, threads)
			if err != nil {
				comm.Abort(1, err)
				return errors.Join(err, comm.Close())
			}
			defer dev.Close()
			o := run.SmoothOptions{Case: c, Comm: comm, Device: dev, Out: out}
			if rank == 0 && !f.quiet {
				o.Log = os.Stdout
			}
			r, err := run.SmoothMesh(ctx, o)
			if rank == 0 {
				report = r
			}
			return errors.Join(err, comm.Close())
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if f.json != "" {
		text, err := report.JSON()
		if err != nil {
			return err
		}
		if err := os.WriteFile(f.json, text, 0o666); err != nil {
			return err
		}
	}
	if report.After.Inverted > 0 {
		fmt.Fprintf(os.Stderr, "atoll: %d cells of %s are turned over: use --guard halve or clip\n", report.After.Inverted,
			out)
	}
	if !f.quiet {
		fmt.Print(report.Text())
		fmt.Println("wrote    ", out)
		tellNotKept(report.NotKept)
	}
	return nil
}
