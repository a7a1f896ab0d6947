package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/launch"
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
			if err := giveToken(); err != nil {
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
	l.Flags().BoolVar(&logRanks, "log-ranks", false, "print the output of the other ranks too, each line with its "+
		"rank before it")
	c.AddCommand(l, launchSlurmCommand())
	return c
}
