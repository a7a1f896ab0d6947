package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/run/bench"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers/smooth"
)

func benchSmoothCommand() *cobra.Command {
	var f runFlags
	o := bench.SmoothOptions{}
	c := &cobra.Command{
		Use:   "smooth",
		Short: "Sweeps of mesh smoothing by the protocol of Rokos (2010), its tables beside ours",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h := summary.ThisHost()
			fmt.Printf("atoll %s, %s, %s, %d cores\n", summary.Version(), h.Go, h.CPU, h.Cores)
			o.Open = func(threads int) (backend.Device, func(), error) {
				dev, err := f.device(0, threads)
				if err != nil {
					return nil, nil, err
				}
				return dev, dev.Close, nil
			}
			if f.backend == "cuda" { // one device for all, so that its kernels are loaded once
				dev, err := f.device(0, 1)
				if err != nil {
					return err
				}
				defer dev.Close()
				fmt.Println(dev.Name())
				o.Threads = []int{1}
				o.Open = func(int) (backend.Device, func(), error) { return dev, func() {}, nil }
			}
			return bench.Smooth(cmd.Context(), os.Stdout, o)
		},
	}
	p := c.Flags()
	p.StringVar(&f.backend, "backend", "cpu", "where kernels run: cpu or cuda (an NVIDIA GPU)")
	p.IntSliceVar(&o.Sizes, "sizes", []int{500}, "edges a side, as the thesis counts them: 0.628 size² vertices")
	p.StringVar(&o.Metric, "metric", "linear", "linear or sinusoidal")
	p.IntVar(&o.Grid, "grid", 0, "nodes a side of the discrete metric, a power of two (0: the least that is no "+
		"less than the size)")
	p.StringSliceVar(&o.Smoothers, "smoother", []string{"pain"}, "smoothers")
	p.IntVar(&o.Sweeps, "sweeps", 10_000, "sweeps of each measurement")
	p.StringVar(&o.Sweep, "sweep", "auto", "how a device goes over the vertices: "+strings.Join(smooth.Sweeps, ", "))
	p.StringVar(&o.Guard, "guard", "none", "what keeps triangles from turning over: none (as in the thesis), halve or clip")
	p.StringVar(&o.Colouring, "colouring", string(smooth.JonesPlassmann), "jones-plassmann, first-fit or two-level")
	p.StringVar(&o.Order, "order", "hilbert", "of vertices within a set: natural, hilbert or random")
	p.StringVar(&o.Precision, "precision", "float64", "float64 or float32")
	p.IntSliceVar(&o.Threads, "threads", []int{1}, "numbers of threads")
	return c
}
