package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/solvers"
)

// solverFlags are the flags of a solver's own command that do not correspond to keys of a case.
type solverFlags struct {
	ranks, threads int
	backend        string
	json           string
	out            string // may be given instead of the last argument
	printCase      bool   // --case
	quiet          bool
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
			if f.json != "" {
				if err := cmp.Or(refuseOverwrite(f.json, args), checkWritable(f.json)); err != nil {
					return err
				}
			}
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
			return f.run(cmd.Context(), c, report)
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
	ranks := "number of ranks, as goroutines of this process"
	if command.Run == nil {
		ranks += "; atoll run can use several machines"
		p.StringVar(&f.backend, "backend", "cpu", "where kernels run: cpu or cuda (an NVIDIA GPU)")
		p.BoolVar(&f.printCase, "case", false, "print an equivalent case file for atoll run, and stop")
	}
	p.IntVarP(&f.ranks, "ranks", "n", 1, ranks)
	p.IntVar(&f.threads, "threads", 0, "threads of each rank; 0 shares the cores among the ranks")
	p.StringVarP(&f.out, "out", "o", "", command.Args[len(command.Args)-1]+", instead of the last argument")
	p.StringVar(&f.json, "json", "", "file for the report in JSON")
	p.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing but errors")
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

// work runs a command that is no run of a case.
func (f *solverFlags) work(ctx context.Context, command *solvers.Command, w solvers.Work) error {
	if err := f.checkCounts(); err != nil {
		return err
	}
	w.Ranks, w.Threads = f.ranks, f.threadsOfRank()
	if !f.quiet {
		w.Log = stdout
	}
	report, err := command.Run(ctx, w)
	if err != nil {
		return err
	}
	return f.printReport(report)
}

// checkCounts refuses numbers of ranks and threads.
func (f *solverFlags) checkCounts() error {
	if f.ranks < 1 || f.threads < 0 {
		return usageError{fmt.Errorf("--ranks %d and --threads %d: at least 1 rank, and 0 threads or more", f.ranks,
			f.threads)}
	}
	return checkLimits(f.ranks, f.threads)
}

// threadsOfRank is the number of threads of each rank.
func (f *solverFlags) threadsOfRank() int {
	if f.threads > 0 {
		return f.threads
	}
	return max(1, runtime.GOMAXPROCS(0)/f.ranks)
}

// run runs the case on ranks of this process.
func (f *solverFlags) run(ctx context.Context, c *config.Case, reporter solvers.Reporter) error {
	if f.backend != "cpu" && f.backend != "cuda" {
		return usageError{fmt.Errorf("--backend %q is not known; choose cpu or cuda", f.backend)}
	}
	if err := f.checkCounts(); err != nil {
		return err
	}
	threads := f.threadsOfRank()
	devices := runFlags{backend: f.backend}
	report, err := local.Each(f.ranks, func(comm dist.Comm) (report solvers.Report, err error) {
		dev, err := devices.device(comm.Rank(), threads, false)
		if err != nil {
			return nil, err
		}
		defer dev.Close()
		o := run.Options{Case: c, Comm: comm, Device: dev,
			Report: func(ctx context.Context, s solvers.Solver, o solvers.Outcome) (err error) {
				report, err = reporter(ctx, s, o)
				return err
			}}
		if f.backend == "cpu" {
			o.LocalRanks = f.ranks
		}
		if comm.Rank() == 0 && !f.quiet {
			o.Log = stdout
		}
		_, err = run.Run(ctx, o)
		return report, err
	})
	if err != nil {
		return err
	}
	return f.printReport(report)
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
