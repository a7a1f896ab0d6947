package main

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/backend/cuda"
	"github.com/atoll-hpc/atoll/dist/mpi"
	"github.com/atoll-hpc/atoll/examples"
	"github.com/atoll-hpc/atoll/internal/process"
	"github.com/atoll-hpc/atoll/kernelgen/lanes"
	"github.com/atoll-hpc/atoll/launch"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/run/bench"
	"github.com/atoll-hpc/atoll/run/summary"
)

func doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Show what this machine and this build of atoll provide",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			h := summary.ThisHost()
			row := func(what, format string, args ...any) { fmt.Printf("%-12s %s\n", what, fmt.Sprintf(format, args...)) }
			row("atoll", "%s, built by %s", summary.Version(), summary.Toolchain())
			row("processor", "%s, %d cores, %d used", cmp.Or(h.CPU, h.Arch), h.Cores, runtime.GOMAXPROCS(0))
			row("vectors", "%s used by kernels, of at most %s; %s chooses", lanes.Used(), lanes.Best(), lanes.Variable)
			row("bandwidth", "%.1f GB/s for copies by all cores", bench.CopyBandwidth(runtime.GOMAXPROCS(0))/1e9)
			if summary.FusesMultiplyAdd() {
				row("arithmetic", "this binary fuses x*y+z: results differ in the last bits from those of builds by make build")
			} else {
				row("arithmetic", "no fused multiply-add: the same bits everywhere")
			}
			if l := process.Limits(); l != "" {
				row("limits", "%s", l)
			}
			env, err := launch.Detect()
			if err != nil {
				return usageError{err}
			}
			row("launcher", "%s", env)
			if _, err := partition.Partition(partition.METIS, twoCells(), nil, 2, 0); err != nil {
				row("metis", "no: %v", err)
			} else {
				row("metis", "yes")
			}
			if mpi.Built {
				row("mpi", "%s", mpi.Version())
			} else {
				row("mpi", "no: %v", mpi.ErrNotBuilt)
			}
			if gpus, err := cuda.Devices(); err != nil {
				row("cuda", "no: %v", err)
			} else {
				for i, g := range gpus {
					row("cuda", "device %d: %s, compute capability %d.%d", i, g.Name, g.Capability[0], g.Capability[1])
				}
			}
			row("temporary", "%s, for the unix sockets of ranks", os.TempDir())
			return nil
		},
	}
}

// twoCells is a graph for testing whether METIS works.
func twoCells() partition.Graph { return partition.Graph{Start: []int32{0, 1, 2}, Adj: []int32{1, 0}} }

// exampleCommand lists the examples in the program, and writes one to a folder.
func exampleCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "example [NAME [DIR]]",
		Short: "List the examples in the program, or write one to a folder",
		Long: "List the examples that the program contains, or write the case NAME, with the files that it needs, to " +
			"the folder DIR (by default the present one), and print their paths.",
		Example: "  atoll example\n  atoll example vortex && atoll run vortex.toml",
		Args:    cobra.MaximumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, e := range examples.All() {
					fmt.Printf("%-18s %s\n", e.Name, e.Doc)
				}
				return nil
			}
			written, err := examples.Write(args[0], append(args, ".")[1])
			if err != nil {
				return badInput(err)
			}
			fmt.Println(strings.Join(written, "\n"))
			return nil
		},
	}
}

// versionCommand prints the same as --version.
func versionCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and what built it, as --version does",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			root.SetArgs([]string{"--version"})
			return root.ExecuteContext(cmd.Context())
		},
	}
}
