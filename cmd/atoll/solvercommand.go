package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/launch"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/solvers"
)

// solverFlags are the flags of a solver's own command that do not correspond to keys of a case.
type solverFlags struct {
	ranks, threads int
	ranksGiven     bool
	transport      string
	backend        string
	json           string
	out            string // may be given instead of the last argument
	printCase      bool   // --case
	quiet          bool
	connectFlags
}

// kindCommands returns the commands that solvers define.
func kindCommands() (commands []*cobra.Command) {
	for _, name := range solvers.Names() {
		kind, _ := solvers.Find(name)
		for _, c := range kind.Commands {
			commands = append(commands, solverCommand(&c))
		}
	}
	return commands
}

func solverCommand(command *solvers.Command) *cobra.Command {
	var f solverFlags
	c := &cobra.Command{
		Use: command.Use, Short: command.Short, Long: command.Long, Example: command.Example,
		Args: func(cmd *cobra.Command, args []string) error {
			if args = f.positional(args); len(args) != len(command.Args) {
				return usageError{fmt.Errorf("%s takes %s, not %d arguments: see atoll %[1]s --help", cmd.Name(),
					strings.Join(command.Args, " and "), len(args))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.refuseUnusedFlags(cmd); err != nil {
				return err
			}
			args = f.positional(args)
			f.ranksGiven = cmd.Flag("ranks").Changed
			flag := func(flag string) (string, bool) {
				return cmd.Flag(flag).Value.String(), cmd.Flag(flag).Changed
			}
			if command.Run != nil {
				return f.work(cmd.Context(), command, solvers.Work{Args: args, Flag: flag})
			}
			c, report, err := command.Make(args, flag)
			if err != nil {
				return err
			}
			if f.printCase {
				fmt.Print(c)
				return nil
			}
			return f.run(cmd.Context(), args, c, report)
		},
	}
	p := c.Flags()
	p.SortFlags = false
	for _, k := range command.Flags {
		p.String(k.Name, "", k.Usage)
		if k.Switch {
			p.Lookup(k.Name).NoOptDefVal = "true"
		}
	}
	p.StringVar(&f.backend, "backend", "cpu", "where kernels run: cpu or cuda (an NVIDIA GPU)")
	if command.Run == nil {
		p.BoolVar(&f.printCase, "case", false, "print an equivalent case file for atoll run, and stop")
	}
	p.IntVarP(&f.ranks, "ranks", "n", 1, "number of ranks, as goroutines of this process, unless mpirun, srun or atoll "+
		"launch has started them")
	p.IntVar(&f.threads, "threads", 0, "threads of each rank; 0 shares the cores among the ranks")
	p.StringVarP(&f.out, "out", "o", "", command.Args[len(command.Args)-1]+", instead of the last argument")
	p.StringVar(&f.json, "json", "", "file for the report in JSON")
	p.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing but errors")
	p.StringVar(&f.transport, "transport", launch.Auto, "how ranks that a launcher has started communicate: grpc, mpi, "+
		"or auto")
	f.connectFlags.register(p)
	return c
}

// positional returns the arguments, followed by the value of --out if it is given.
func (f *solverFlags) positional(args []string) []string {
	if f.out == "" {
		return args
	}
	return append(args, f.out)
}

// refuseUnusedFlags returns an error for flags that have no effect with --case.
func (f *solverFlags) refuseUnusedFlags(cmd *cobra.Command) error {
	for _, name := range []string{"ranks", "threads", "backend", "json"} {
		if f.printCase && cmd.Flag(name).Changed {
			return usageError{fmt.Errorf("--case prints a case and runs nothing: leave --%s out, and give it to atoll run",
				name)}
		}
	}
	return nil
}

// checkCounts refuses backends, and numbers of ranks and threads.
func (f *solverFlags) checkCounts() error {
	if f.backend != "cpu" && f.backend != "cuda" {
		return usageError{fmt.Errorf("--backend %q is not known; choose cpu or cuda", f.backend)}
	}
	if f.ranks < 1 || f.threads < 0 {
		return usageError{fmt.Errorf("--ranks %d and --threads %d: at least 1 rank, and 0 threads or more", f.ranks,
			f.threads)}
	}
	return checkLimits(f.ranks, f.threads)
}

// work runs a command that is no run of a case.
func (f *solverFlags) work(ctx context.Context, command *solvers.Command, w solvers.Work) error {
	return f.onRanks(ctx, w.Args, func(ctx context.Context, r *solverRank) (solvers.Report, error) {
		w := w
		w.Comm, w.Threads, w.Log = r.comm, r.threads, r.log
		if f.backend == "cuda" {
			dev, err := (&runFlags{backend: f.backend}).device(r.local, r.threads, r.crowded)
			if err := solvers.Agree(ctx, r.comm, err); err != nil {
				return nil, err
			}
			defer dev.Close()
			w.Device = dev
		}
		return command.Run(ctx, w)
	})
}

// run runs the case.
func (f *solverFlags) run(ctx context.Context, args []string, c *config.Case, reporter solvers.Reporter) error {
	devices := runFlags{backend: f.backend}
	return f.onRanks(ctx, args, func(ctx context.Context, r *solverRank) (report solvers.Report, err error) {
		if err := agreeOn(ctx, r.comm, c.Hash(), differentCase); err != nil {
			return nil, err
		}
		dev, err := devices.device(r.local, r.threads, r.crowded)
		if err := solvers.Agree(ctx, r.comm, err); err != nil {
			return nil, err
		}
		defer dev.Close()
		o := run.Options{Case: c, Comm: r.comm, Device: dev, Log: r.log, Transport: r.transport,
			Report: func(ctx context.Context, s solvers.Solver, o solvers.Outcome) (err error) {
				report, err = reporter(ctx, s, o)
				return err
			}}
		if f.backend == "cpu" {
			o.LocalRanks = r.locals
		}
		_, err = run.Run(ctx, o)
		return report, err
	})
}

// printReport writes and prints the report.
func (f *solverFlags) printReport(report solvers.Report) error {
	if f.json != "" {
		text, err := report.JSON()
		if err != nil {
			return err
		}
		if err := os.WriteFile(f.json, text, 0o666); err != nil {
			return err
		}
	}
	if warning := report.Warning(); warning != "" {
		fmt.Fprintln(stderr, "atoll:", warning)
	}
	if !f.quiet {
		fmt.Fprint(stdout, report.Text())
	}
	return report.Refused()
}

// checkWritable returns an error, before the run, if the report file cannot be written. The report is written to
// the file itself instead of replacing it by a new one, so that it may be a pipe.
func checkWritable(file string) error {
	info, err := os.Stat(file)
	switch {
	case err != nil || info.IsDir():
		if err := atomicfile.CheckWritable(file); err != nil {
			return usageError{err}
		}
		return nil
	case !info.Mode().IsRegular():
		return nil
	}
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return usageError{fmt.Errorf("%s cannot be written: %w", file, err)}
	}
	return f.Close()
}

// refuseOverwrite returns an error if the report would overwrite a mesh.
func refuseOverwrite(report string, meshes []string) error {
	reportPath, err := filepath.Abs(report)
	if err != nil {
		return err
	}
	existing, _ := os.Stat(reportPath) // nil if it does not exist
	for _, file := range meshes {
		meshPath, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		mesh, err := os.Stat(meshPath)
		if reportPath == meshPath || existing != nil && err == nil && os.SameFile(existing, mesh) {
			return usageError{fmt.Errorf("--json %s would overwrite the mesh %s; give another name", report, file)}
		}
	}
	return nil
}
