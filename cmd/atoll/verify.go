package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/verify"
)

func verifyCommand() *cobra.Command {
	var o verify.Options
	c := &cobra.Command{
		Use:       "verify [shallow]",
		Short:     "Reproduce the published tables and exact solutions, theirs beside ours",
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"shallow"},
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := verify.Shallow(cmd.Context(), os.Stdout, o)
			return err
		},
	}
	p := c.Flags()
	p.StringSliceVar(&o.Only, "only", nil, "only these checks, by name")
	p.BoolVar(&o.Quick, "quick", false, "coarse meshes only")
	p.IntVar(&o.Threads, "threads", 0, "threads; 0 for all cores")
	return c
}
