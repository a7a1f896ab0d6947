// Package bench measures sweeps of mesh smoothing: on one rank as the thesis of Rokos (2010) does, in comparison
// with its results, and on several ranks.
package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/atoll-hpc/atoll/run/bench"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth"
	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
)

func init() {
	bench.Register(bench.Benchmark{Name: "smooth", New: newCommand,
		Short: "Sweeps of mesh smoothing by the protocol of Rokos (2010), compared with its tables, or over ranks"})
}

func newCommand(p *pflag.FlagSet) func(ctx context.Context, m *bench.Machine) error {
	o := SmoothOptions{}
	var picture string
	p.IntSliceVar(&o.Sizes, "sizes", []int{500}, "edges a side, as the thesis counts them: 0.628 size² vertices")
	p.StringVar(&o.Metric, "metric", "linear", "linear or sinusoidal")
	p.IntVar(&o.Grid, "grid", 0, "nodes per side of the metric's grid, a power of two (0: the smallest that is not "+
		"below the size)")
	p.StringSliceVar(&o.Smoothers, "smoother", []string{"pain"}, "smoothers")
	p.IntVar(&o.Sweeps, "sweeps", 10_000, "sweeps of each measurement")
	p.IntVar(&o.Repeat, "repeat", 1, "measurements, of which the fastest counts")
	p.StringVar(&o.Sweep, "sweep", "auto", "the kernels of a sweep: "+strings.Join(smooth.Sweeps, ", "))
	p.StringVar(&o.Guard, "guard", "none",
		"how inverted triangles are avoided: none (not at all, as in the thesis), halve or clip")
	p.StringVar(&o.Colouring, "colouring", string(colouring.JonesPlassmann), "jones-plassmann or first-fit")
	p.StringVar(&o.Order, "order", "hilbert", "of vertices within a set: natural, hilbert or random")
	p.StringVar(&o.Precision, "precision", "float64", "float64 or float32")
	p.IntSliceVar(&o.Threads, "threads", []int{1}, "numbers of threads of each rank")
	p.IntSliceVar(&o.Ranks, "ranks", nil, "numbers of ranks, each with a device: a table over these in place of "+
		"the thesis's")
	p.StringSliceVar(&o.Halos, "halo", []string{"auto"}, "exchangers of ghosts: "+strings.Join(smooth.Halos, ", "))
	p.IntVar(&o.Batch, "round", 0, "sweeps by tiles between two exchanges: 1, 2, 4, 8 (0: the fastest number)")
	p.BoolVar(&o.Weak, "weak", false, "vertices in proportion to ranks")
	p.BoolVar(&o.Hash, "hash", false, "print the hash of the coordinates")
	p.BoolVar(&o.JSON, "json", false, "print a line of JSON for each measurement, with its processor time, and no table")
	p.StringVar(&picture, "picture", "", "file for a picture (PNG) of one size, smoother and number of threads "+
		"over --ranks")
	return func(ctx context.Context, m *bench.Machine) error {
		if len(o.Ranks) > 0 && o.JSON {
			return &solvers.BadInput{Err: errors.New("--ranks cannot be combined with --json")}
		}
		m.PrintHeader(o.JSON)
		if err := m.CheckMemory(o.JSON, o.maxRanks(), o.largestCases()...); err != nil {
			return err
		}
		if m.GPU {
			o.Threads = []int{1}
		}
		if len(o.Ranks) > 0 {
			o.Open = m.Open
			chart, err := SmoothScaling(ctx, m.Out, o)
			if err != nil {
				return err
			}
			return bench.Draw(picture, chart)
		}
		if o.Weak || o.Hash || picture != "" {
			return &solvers.BadInput{Err: errors.New("--weak, --hash and --picture need --ranks")}
		}
		name, done, err := m.ShareGPU()
		if err != nil {
			return err
		}
		defer done()
		if name != "" && !o.JSON {
			fmt.Fprintln(m.Out, name)
		}
		o.Open = m.Open
		return Smooth(ctx, m.Out, o)
	}
}
