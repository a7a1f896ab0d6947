package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/verify"
)

func verifyCommand() *cobra.Command {
	var o verify.Options
	var f runFlags
	c := &cobra.Command{
		Use:       "verify [shallow | smooth | vof]",
		Short:     "Reproduce the published tables and exact solutions, theirs beside ours",
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"shallow", "smooth", "vof"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && args[0] == "smooth" {
				_, err := verify.Smooth(cmd.Context(), os.Stdout, o)
				return err
			}
			if len(args) > 0 && args[0] == "vof" {
				_, err := verify.VOF(cmd.Context(), os.Stdout, o)
				return err
			}
			if f.backend == "cuda" {
				twins, done, err := gpuTwins(&f)
				if err != nil {
					return err
				}
				defer done()
				o.Twins = twins
			}
			_, err := verify.Shallow(cmd.Context(), os.Stdout, o)
			return err
		},
	}
	p := c.Flags()
	p.StringVar(&f.backend, "backend", "cpu", "cuda: compute each case on the GPU too, on one rank and on two that share it, and compare the bits")
	p.StringSliceVar(&o.Only, "only", nil, "only these checks, by name")
	p.BoolVar(&o.Quick, "quick", false, "coarse meshes only")
	p.IntVar(&o.Threads, "threads", 0, "threads; 0 for all cores")
	return c
}

// gpuTwins opens the first GPU for one rank, and once more for two.
func gpuTwins(f *runFlags) (twins []verify.Twin, done func(), err error) {
	var open []backend.Device
	done = func() {
		for _, dev := range open {
			dev.Close()
		}
	}
	for range 3 {
		dev, err := f.device(0, 1)
		if err != nil {
			done()
			return nil, nil, badInput(err)
		}
		open = append(open, dev)
	}
	return []verify.Twin{{Name: "one rank on the GPU", Devices: open[:1]}, {Name: "two ranks on the GPU", Devices: open[1:]}}, done, nil
}
