package bench

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"time"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/run/decompose"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// ShallowOptions say what Shallow measures: all combinations of the lists.
type ShallowOptions struct {
	Cells      int
	Schemes    []string
	Orders     []string
	Precisions []string
	Threads    []int
	Seconds    float64 // of each measurement, at least
}

// Shallow measures test 1 of the paper on one rank and prints a table. T_eff counts the bytes that a cell's step must
// move: its state read and written, depth, area, and the geometry of 1.5 edges read.
func Shallow(ctx context.Context, w io.Writer, o ShallowOptions) error {
	m, err := mesh.Rectangle(-5, -5, 5, 5, o.Cells, 7)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "shallow water, test 1, %d cells\n", len(m.Cells))
	copying := map[int]float64{}
	for _, t := range o.Threads {
		copying[t] = CopyBandwidth(t)
		fmt.Fprintf(w, "copy bandwidth, %d threads: %.1f GB/s\n", t, copying[t]/1e9)
	}
	fmt.Fprintf(w, "%-9s %-8s %-9s %7s %9s %11s %7s %9s\n", "scheme", "order", "precision", "threads", "Mcell/s", "T_eff GB/s",
		"share", "B a cell")
	for _, order := range o.Orders {
		d, err := decompose.New(m, decompose.Options{Ranks: 1, Order: partition.Ordering(order), Seed: 7})
		if err != nil {
			return err
		}
		var part *mesh.Part
		var plan *halo.Plan
		if err := d.Each(func(_ int, p *mesh.Part, h *halo.Plan) error { part, plan = p, h; return nil }); err != nil {
			return err
		}
		for _, precision := range o.Precisions {
			for _, scheme := range o.Schemes {
				for _, threads := range o.Threads {
					rate, bytes, err := measure(ctx, part, plan, scheme, precision, threads, o.Seconds)
					if err != nil {
						return err
					}
					width := 8.0
					if precision == "float32" {
						width = 4
					}
					effective := rate * width * (2*6 + 2 + 1.5*3)
					fmt.Fprintf(w, "%-9s %-8s %-9s %7d %9.2f %11.2f %6.0f%% %9.0f\n", scheme, order, precision, threads, rate/1e6,
						effective/1e9, 100*effective/copying[threads], bytes)
				}
			}
		}
	}
	return nil
}

// measure returns cell updates a second, and the bytes a cell that the solver holds.
func measure(ctx context.Context, part *mesh.Part, plan *halo.Plan, scheme, precision string, threads int, seconds float64) (rate, bytes float64, err error) {
	debug.FreeOSMemory()
	comm := local.New(1)[0]
	defer comm.Close()
	dev := cpu.New(threads)
	defer dev.Close()
	cfg := shallow.Config{Scheme: scheme, Gravity: 9.81, DensityRatio: .5, CFL: .9, EntropyFix: .05, DryDepth: 1e-3,
		Boundary: make([]bool, len(part.Groups))}
	s, err := shallow.New(ctx, precision, cfg, part, plan, paperTest1(part), comm, dev)
	if err != nil {
		return 0, 0, err
	}
	step := func() error {
		_, err := s.Step(ctx, math.Inf(1))
		return err
	}
	for range 3 {
		if err := step(); err != nil {
			return 0, 0, err
		}
	}
	begin, n := time.Now(), 0
	for time.Since(begin).Seconds() < seconds {
		if err := step(); err != nil {
			return 0, 0, err
		}
		n++
	}
	return float64(n) * float64(part.Owned) / time.Since(begin).Seconds(), s.BytesPerCell(), nil
}

// paperTest1 is the internal circular dam break of the paper's section 5.
func paperTest1(part *mesh.Part) shallow.Initial {
	n := len(part.Cells)
	zero := func() []float64 { return make([]float64, n) }
	in := shallow.Initial{Depth: zero(), H1: zero(), U1: zero(), V1: zero(), H2: zero(), U2: zero(), V2: zero()}
	for i := range n {
		x, y := part.Centroid(i)
		in.Depth[i], in.H1[i] = 6, .5
		if math.Sqrt(x*x+y*y) > 1.5 {
			in.H1[i] = 4
		}
		in.H2[i] = in.Depth[i] - in.H1[i]
	}
	return in
}
