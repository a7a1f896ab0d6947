package main

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/run/scale"
	"github.com/atoll-hpc/atoll/solvers"
)

func scaleCommand() *cobra.Command {
	var o scale.Options
	var sets []string
	c := &cobra.Command{
		Use:   "scale CASE.toml --ranks 10,1e3,1e5",
		Short: "Predict steps on many ranks: time, balance, messages, memory",
		Long: strings.TrimSpace(`
Predict how long the steps of a case take on many ranks, what ranks send, how equal their work is, and what memory and
files each has, without so many ranks. The command takes some steps on a few ranks of this process and records what each
computes, sends and reduces; divides the case among the ranks that --ranks lists, as a run would; and simulates the same
steps there, on a machine whose messages follow LogGOPS. All assumptions are printed; docs/scaling.md explains them.`),
		Example: "  atoll scale examples/dam-break.toml --ranks 10,1e3,1e4\n" +
			"  atoll scale case.toml --ranks 64,4096 --machine mpi --picture scaling.png\n" +
			"  atoll scale case.toml --ranks 2 --machine h200-p2p --step 216us",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Load = func(more ...string) (*config.Case, error) {
				return solvers.Load(args[0], append(slices.Clip(sets), more...))
			}
			c, err := o.Load()
			if err != nil {
				return badInput(err)
			}
			return scale.Run(cmd.Context(), c, o, os.Stdout, os.Stderr)
		},
	}
	p := c.Flags()
	p.StringSliceVarP(&o.Ranks, "ranks", "n", nil, "numbers of ranks, as in 10,1e3,1e5")
	p.StringArrayVar(&sets, "set", nil, "override a key of the case, as in --set grid.cells=[512,512]; may be repeated")
	p.StringVar(&o.Machine, "machine", "here", strings.Join(scale.MachineNames(), ", ")+", or a .json file of a machine")
	p.DurationVar(&o.Step, "step", 0, "time of a step of the whole case on one rank of that machine, as 216us; "+
		"computations are scaled by it")
	p.IntSliceVar(&o.Traced, "record", nil, "numbers of ranks on which steps are recorded (default 2,8)")
	p.IntVar(&o.Steps, "steps", 20, "number of steps that are recorded and simulated")
	p.BoolVar(&o.Weak, "weak", false, "keep what a rank has with the first number of ranks")
	p.Float64Var(&o.Noise, "noise", 0, "mean share by which computations take longer, at random")
	p.Uint64Var(&o.Seed, "seed", 1, "seed of --noise")
	p.StringVar(&o.Picture, "picture", "", "write a picture of the predictions: .png, .svg or .pdf")
	p.BoolVar(&o.JSON, "json", false, "print JSON instead of a table")
	return c
}
