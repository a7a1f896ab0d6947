package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/run/verify"
)

func verifyCommand() *cobra.Command {
	var o verify.Options
	var f runFlags
	names := verify.Names()
	scaling := strings.Join(verify.NamesWhere(func(s verify.Suite) bool { return s.Scales }), ", ")
	c := &cobra.Command{
		Use: "verify [" + strings.Join(names, " | ") + "]",
		Short: "Reproduce the published tables and exact solutions of one solver or all, with reference values " +
			"beside Atoll's",
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && len(o.Only) > 0 {
				suite, _ := verify.Find(names[0])
				return usageError{fmt.Errorf("--only names checks of one solver: say which, as in atoll verify %s --only %s",
					suite.Name, suite.Checks[0].Name)}
			}
			chosen := names
			if len(args) > 0 {
				chosen = args
			}
			if cmd.Flags().Changed("resolution") {
				if suite, _ := verify.Find(chosen[0]); len(args) == 0 || !suite.Scales || !(o.Resolution > 0) {
					return usageError{fmt.Errorf("--resolution multiplies the number of cells: it is above 0, and needs "+
						"one solver, of %s", scaling)}
				}
			}
			if f.backend == "cuda" {
				if twins := verify.WithTwins(); len(args) == 0 || !slices.Contains(twins, args[0]) {
					return usageError{fmt.Errorf("--backend cuda needs one solver, of %s: as in atoll verify %s --backend cuda",
						strings.Join(twins, ", "), twins[0])}
				}
				suite, _ := verify.Find(args[0])
				twins, done, err := gpuTwins(&f, suite.TwinRanks)
				if err != nil {
					return err
				}
				defer done()
				o.Twins = twins
			}
			var failures []error
			for _, name := range chosen {
				suite, _ := verify.Find(name)
				if _, err := suite.Run(cmd.Context(), os.Stdout, o); err != nil {
					failures = append(failures, err)
				}
			}
			return errors.Join(failures...)
		},
	}
	p := c.Flags()
	p.StringVar(&f.backend, "backend", "cpu", "cuda: compute cases of "+strings.Join(verify.WithTwins(), ", ")+
		" on the GPU too, on one rank and on several that share it, and compare the bits")
	p.StringSliceVar(&o.Only, "only", nil, "only these checks, by name")
	p.BoolVar(&o.Quick, "quick", false, "coarse meshes only")
	p.Float64Var(&o.Resolution, "resolution", 1, "multiplies the number of cells (only of "+scaling+")")
	p.StringVar(&o.Pictures, "pictures", "out/verify", "folder for the pictures of checks")
	p.IntVar(&o.Threads, "threads", 0, "threads; 0 for all cores")
	return c
}

// gpuTwins opens the first GPU 1 + ranks times: for runs of the same cases on one rank, and on several ranks that
// share the GPU. Their states are compared with those of the CPU.
func gpuTwins(f *runFlags, ranks int) (twins []verify.Twin, done func(), err error) {
	var devices []backend.Device
	done = func() {
		for _, dev := range devices {
			dev.Close()
		}
	}
	for range 1 + ranks {
		dev, err := f.device(0, 1, false)
		if err != nil {
			done()
			return nil, nil, err
		}
		devices = append(devices, dev)
	}
	return []verify.Twin{{Name: "one rank on the GPU", Devices: devices[:1]},
		{Name: fmt.Sprintf("%d ranks on the GPU", ranks), Devices: devices[1:]}}, done, nil
}
