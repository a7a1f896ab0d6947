package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/verify"
)

// verifiers makes the checks of each solver.
var verifiers = []struct {
	solver string
	check  func(context.Context, io.Writer, verify.Options) (verify.Report, error)
}{{"shallow", verify.Shallow}, {"vof", verify.VOF}, {"smooth", verify.Smooth}}

func verifyCommand() *cobra.Command {
	var o verify.Options
	var f runFlags
	c := &cobra.Command{
		Use:       "verify [shallow | vof | smooth]",
		Short:     "Reproduce the published tables and exact solutions of one solver or all, theirs beside ours",
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"shallow", "vof", "smooth"},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && len(o.Only) > 0:
				return usageError{errors.New("--only names checks of one solver: say which, as in " +
					"atoll verify shallow --only lake")}
			case f.backend == "cuda" && !slices.Equal(args, []string{"shallow"}):
				return usageError{errors.New("--backend cuda compares the checks of shallow water: atoll verify shallow " +
					"--backend cuda")}
			}
			if f.backend == "cuda" {
				twins, done, err := gpuTwins(&f)
				if err != nil {
					return err
				}
				defer done()
				o.Twins = twins
			}
			var missed []error
			for _, v := range verifiers {
				if len(args) > 0 && args[0] != v.solver {
					continue
				}
				if _, err := v.check(cmd.Context(), os.Stdout, o); err != nil {
					missed = append(missed, err)
				}
			}
			return errors.Join(missed...)
		},
	}
	p := c.Flags()
	p.StringVar(&f.backend, "backend", "cpu", "cuda: compute each case of shallow water on the GPU too, on one "+
		"rank and on two that share it, and compare the bits")
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
			return nil, nil, err
		}
		open = append(open, dev)
	}
	return []verify.Twin{{Name: "one rank on the GPU", Devices: open[:1]},
		{Name: "two ranks on the GPU", Devices: open[1:]}}, done, nil
}
