package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/run/bench"
	"github.com/atoll-hpc/atoll/solvers/smooth"
)

func benchSmoothCommand() *cobra.Command {
	var f runFlags
	o := bench.SmoothOptions{}
	var picture string
	c := &cobra.Command{
		Use:   "smooth",
		Short: "Sweeps of mesh smoothing by the protocol of Rokos (2010), its tables beside ours, or over ranks",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(o.Ranks) > 0 && o.JSON {
				return usageError{errors.New("--ranks make a table: leave --json out")}
			}
			printBuild(o.JSON)
			o.Open = func(rank, threads int) (backend.Device, func(), error) {
				dev, err := f.device(rank, threads)
				if err != nil {
					return nil, nil, err
				}
				return dev, dev.Close, nil
			}
			if f.backend == "cuda" {
				o.Threads = []int{1}
			}
			if len(o.Ranks) > 0 {
				chart, err := bench.SmoothScaling(cmd.Context(), os.Stdout, o)
				if err != nil {
					return err
				}
				return writeChart(picture, chart)
			}
			if o.Weak || o.Hash || picture != "" {
				return usageError{errors.New("--weak, --hash and --picture are for --ranks")}
			}
			if f.backend == "cuda" { // one device for all, so that its kernels are loaded once
				dev, err := f.device(0, 1)
				if err != nil {
					return err
				}
				defer dev.Close()
				if !o.JSON {
					fmt.Println(dev.Name())
				}
				o.Open = func(int, int) (backend.Device, func(), error) { return dev, func() {}, nil }
			}
			return bench.Smooth(cmd.Context(), os.Stdout, o)
		},
	}
	p := c.Flags()
	p.StringVar(&f.backend, "backend", "cpu", "where kernels run: cpu or cuda (an NVIDIA GPU a rank)")
	p.IntSliceVar(&o.Sizes, "sizes", []int{500}, "edges a side, as the thesis counts them: 0.628 size² vertices")
	p.StringVar(&o.Metric, "metric", "linear", "linear or sinusoidal")
	p.IntVar(&o.Grid, "grid", 0, "nodes a side of the discrete metric, a power of two (0: the least that is no "+
		"less than the size)")
	p.StringSliceVar(&o.Smoothers, "smoother", []string{"pain"}, "smoothers")
	p.IntVar(&o.Sweeps, "sweeps", 10_000, "sweeps of each measurement")
	p.IntVar(&o.Repeat, "repeat", 1, "measurements, of which the fastest counts")
	p.StringVar(&o.Sweep, "sweep", "auto", "how a device goes over the vertices: "+strings.Join(smooth.Sweeps, ", "))
	p.StringVar(&o.Guard, "guard", "none",
		"what keeps triangles from turning over: none (as in the thesis), halve or clip")
	p.StringVar(&o.Colouring, "colouring", string(smooth.JonesPlassmann), "jones-plassmann, first-fit or two-level")
	p.StringVar(&o.Order, "order", "hilbert", "of vertices within a set: natural, hilbert or random")
	p.StringVar(&o.Precision, "precision", "float64", "float64 or float32")
	p.IntSliceVar(&o.Threads, "threads", []int{1}, "numbers of threads of each rank")
	p.IntSliceVar(&o.Ranks, "ranks", nil, "numbers of ranks, each with a device: a table over these in place of "+
		"the thesis's")
	p.StringSliceVar(&o.Halos, "halo", []string{"auto"}, "ways to exchange ghosts: "+strings.Join(smooth.Halos, ", "))
	p.IntVar(&o.Round, "round", 0, "sweeps by tiles with one exchange: 1, 2, 4, 8 (0: what is fastest)")
	p.BoolVar(&o.Weak, "weak", false, "vertices in proportion to ranks")
	p.BoolVar(&o.Hash, "hash", false, "print the hash of the coordinates")
	p.BoolVar(&o.JSON, "json", false, "print a line of JSON for each measurement, with its processor time, and no table")
	p.StringVar(&picture, "picture", "", "file for a picture (PNG) of one size, smoother and number of threads "+
		"over --ranks")
	return c
}
