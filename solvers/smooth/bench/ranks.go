package bench

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/run/bench"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// SmoothScaling measures sweeps on several ranks of this process, each with its own device, over meshes partitioned
// along a Hilbert curve, and prints a table. Seconds are those of all sweeps, "µs each" those of a sweep, and "ps" are
// picoseconds per vertex and sweep. Efficiency is the rate per thread relative to the first number of ranks.
func SmoothScaling(ctx context.Context, w io.Writer, o SmoothOptions) (*bench.ScalingChart, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	chart := &bench.ScalingChart{Weak: o.Weak, Unit: "moves of vertices"}
	fmt.Fprintf(w, "%d sweeps, %s metric on a grid, guard %s, colouring %s, %s\n", o.Sweeps, o.Metric, o.Guard,
		o.Colouring, o.Precision)
	fmt.Fprintf(w, "%6s %9s %6s %-11s %5s %7s %-7s %9s %8s %8s %10s  %s\n", "size", "vertices", "grid", "smoother",
		"ranks", "threads", "halo", "seconds", "µs each", "ps", "efficiency", "state")
	for _, size := range o.Sizes {
		first := map[string]float64{}
		var whole *problem
		for _, ranks := range o.Ranks {
			if ranks < 1 {
				return nil, fmt.Errorf("%d ranks: give numbers from 1 on", ranks)
			}
			row := thesisSize(size)
			if o.Weak {
				row = thesisSize(int(math.Round(float64(size) * math.Sqrt(float64(ranks)))))
				row.vertices = thesisSize(size).vertices * ranks
			}
			if err := checkSize(row.side); err != nil {
				return nil, fmt.Errorf("%d ranks: %w", ranks, err)
			}
			if whole == nil || o.Weak {
				var err error
				if whole, err = o.newProblem(row); err != nil {
					return nil, err
				}
			}
			parts, err := whole.parts(ranks)
			if err != nil {
				return nil, fmt.Errorf("size %d, %d ranks: %w", row.side, ranks, err)
			}
			debug.FreeOSMemory()
			for _, c := range o.cases(ranks) {
				r, err := o.sweepOn(ctx, parts, whole.metric, c)
				if err != nil {
					return nil, fmt.Errorf("size %d, %s, %d ranks: %w", row.side, c.smoother, ranks, err)
				}
				n := len(whole.mesh.X)
				rate := float64(n) * float64(o.Sweeps) / r.seconds
				each := rate / float64(ranks*c.threads)
				if first[c.smoother] == 0 {
					first[c.smoother] = each
				}
				fmt.Fprintf(w, "%6d %9d %6d %-11s %5d %7d %-7s %9.4f %8.2f %8.1f %9.1f%%  %.12s\n", row.side, n, whole.grid,
					c.smoother, ranks, c.threads, r.halo, r.seconds, r.seconds/float64(o.Sweeps)*1e6, 1e12/rate,
					100*each/first[c.smoother], r.hash)
				chart.Add(ranks, fmt.Sprintf("%d² %s %s", size, c.smoother, r.halo), rate, ranks == o.Ranks[0])
			}
		}
	}
	return chart, nil
}

// smoothCase is one of the measurements of a mesh.
type smoothCase struct {
	smoother, halo string
	threads        int
}

// cases returns the measurements on a number of ranks: a single rank exchanges nothing.
func (o *SmoothOptions) cases(ranks int) (all []smoothCase) {
	halos := o.Halos
	if ranks == 1 || len(halos) == 0 {
		halos = []string{"auto"}
	}
	for _, smoother := range o.Smoothers {
		for _, halo := range halos {
			for _, threads := range o.Threads {
				all = append(all, smoothCase{smoother, halo, threads})
			}
		}
	}
	return all
}

// problem is a mesh of the thesis, its layout with vertices along a Hilbert curve, and its metric.
type problem struct {
	mesh   *mesh.Mesh
	layout *layout.Layout
	metric *sizing.Metric
	grid   int // nodes of the metric's grid along a side
}

func (o *SmoothOptions) newProblem(row thesisRow) (*problem, error) {
	grid, metric, err := o.metric(row.side)
	if err != nil {
		return nil, err
	}
	m, err := thesisMesh(row.vertices)
	if err != nil {
		return nil, err
	}
	layout, err := o.layout(m)
	return &problem{m, layout, metric, grid}, err
}

// parts returns the parts of all ranks.
func (a *problem) parts(ranks int) ([]*layout.Part, error) {
	unconnected := partition.Graph{Start: make([]int32, len(a.mesh.X)+1)} // a Hilbert curve does not use the graph
	owner, err := partition.Partition(partition.HilbertCut, unconnected, [][]float64{a.mesh.X, a.mesh.Y}, ranks, 0)
	if err != nil {
		return nil, err
	}
	return a.layout.Parts(owner, ranks)
}

// rankResult is the result of a measurement on several ranks.
type rankResult struct {
	seconds    float64 // of the slowest rank
	halo, hash string
}

// warmSweeps is the number of sweeps before a measurement, which load kernels, connect devices and make recordings.
const warmSweeps = 33

func (o *SmoothOptions) sweepOn(ctx context.Context, parts []*layout.Part, metric *sizing.Metric,
	c smoothCase) (rankResult, error) {
	return local.Each(len(parts), func(comm dist.Comm) (r rankResult, err error) {
		dev, done, err := o.Open(comm.Rank(), c.threads)
		if err != nil {
			return r, err
		}
		defer done()
		env := solvers.Env{Comm: comm, Device: dev, Halo: c.halo}
		s, err := smooth.New(ctx, env, o.Precision, smooth.Config{Smoother: c.smoother, Guard: o.Guard, Rescale: true,
			Sweep: o.Sweep}, parts[comm.Rank()], metric)
		if err != nil {
			return r, err
		}
		defer s.Close()
		r.halo = s.Halo()
		if comm.Size() == 1 {
			r.halo = "–"
		}
		if _, err := s.Sweep(ctx, warmSweeps); err != nil {
			return r, err
		}
		if err := comm.Barrier(ctx); err != nil {
			return r, err
		}
		begin := time.Now()
		if _, err := s.Sweep(ctx, o.Sweeps); err != nil {
			return r, err
		}
		if err := backend.Sync(dev); err != nil {
			return r, err
		}
		took := []float64{time.Since(begin).Seconds()}
		if err := comm.AllreduceFloat64(ctx, dist.Max, took); err != nil {
			return r, err
		}
		r.seconds = took[0]
		if o.Hash {
			r.hash, err = s.Hash(ctx)
		}
		return r, err
	})
}
