package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/launch"
	"github.com/atoll-hpc/atoll/solvers"
)

func launchCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "launch",
		Short: "Start the ranks of a run",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var ranks, threads int
	var logRanks bool
	l := &cobra.Command{
		Use:   "local -n N -- COMMAND [ARG…]",
		Short: "Start a command as N rank processes on this machine",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := ensureToken(); err != nil {
				return err
			}
			return launch.Local(cmd.Context(), launch.LocalConfig{
				Ranks: ranks, Threads: threads, Command: args[0], Args: args[1:], Stdout: os.Stdout, Stderr: os.Stderr,
				LogRanks: logRanks,
			})
		},
	}
	l.Flags().IntVarP(&ranks, "ranks", "n", 1, "number of ranks")
	l.Flags().IntVar(&threads, "threads", 0, "threads of each rank; 0 shares the cores among the ranks")
	l.Flags().BoolVar(&logRanks, "log-ranks", false, "print the output of all ranks, each line with its "+
		"rank before it")
	c.AddCommand(l, launchSlurmCommand(), launchK8sCommand())
	return c
}

func launchSlurmCommand() *cobra.Command {
	var job launch.SlurmConfig
	var out string
	c := &cobra.Command{
		Use:   "slurm CASE.toml --nodes N --ntasks N [flags] [-- FLAG OF ATOLL RUN…]",
		Short: "Write the batch script of a run for a cluster with Slurm",
		Long: "Write the batch script of a run for a cluster with Slurm, to be submitted with sbatch.\n" +
			"The case is checked first; what follows -- goes to atoll run.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if beforeDash := cmd.ArgsLenAtDash(); len(args) > 1 && beforeDash != 1 {
				return usageError{fmt.Errorf("%q: want one case; flags for atoll run come after --", args[1])}
			}
			self, err := os.Executable()
			if err != nil {
				return err
			}
			job.Program, job.Case, job.Args = self, args[0], args[1:]
			return writeSlurmScript(job, out)
		},
	}
	p := c.Flags()
	p.IntVar(&job.Nodes, "nodes", 1, "number of nodes")
	p.IntVar(&job.Tasks, "ntasks", 0, "number of ranks on all nodes together (default with GPUs: one on each)")
	p.IntVar(&job.CPUsPerTask, "cpus-per-task", 1, "threads of each rank")
	p.IntVar(&job.GPUsPerNode, "gpus-per-node", 0, "GPUs of each node; ranks then run on GPUs, one on each")
	p.StringVar(&job.Time, "time", "", "limit, as in 30 (minutes), 2:00:00 or 1-12:00:00 (default: the partition's)")
	p.StringVar(&job.Partition, "partition", "", "partition of the cluster (default: the cluster's own)")
	p.StringVarP(&out, "output", "o", "", "file to write, which must not exist (default: standard output)")
	return c
}

func writeSlurmScript(job launch.SlurmConfig, out string) error {
	script, err := launch.SlurmScript(job)
	if err != nil {
		return usageError{err}
	}
	// Errors in the case are reported now instead of after hours in a queue.
	if err := checkRun(job); err != nil {
		return err
	}
	if out == "" {
		_, err := fmt.Print(script)
		return err
	}
	f, err := os.OpenFile(out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return usageError{fmt.Errorf("%s exists, and may hold changes of yours: remove it, or choose another name", out)}
	} else if err != nil {
		return err
	}
	_, err = f.WriteString(script)
	return errors.Join(err, f.Close())
}

// checkRun parses the flags and the case of the run as the ranks will.
func checkRun(job launch.SlurmConfig) error {
	c := runCommand()
	if err := c.ParseFlags(job.Args); err != nil {
		return usageError{fmt.Errorf("after --: %w", err)}
	}
	if unknown := c.Flags().Args(); len(unknown) > 0 {
		return usageError{fmt.Errorf("after --: %q is no flag of atoll run", unknown[0])}
	}
	set, err := c.Flags().GetStringArray("set")
	if err != nil {
		return err
	}
	_, err = solvers.Load(job.Case, set)
	return badInput(err)
}
