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
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/run/bench"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// ScalingOptions select what Scaling measures.
type ScalingOptions struct {
	Cells      int // per rank if Weak, otherwise in total
	Weak       bool
	Ranks      []int
	Halos      []string // exchangers: direct, staged, nccl
	Schemes    []string
	Precisions []string
	Steps      int  // of each measurement
	Repeat     int  // measurements, of which the fastest counts
	Lag        bool // use lagged steps
	Hash       bool // print the state's hash after the steps
	Timeline   bool // print the timeline of one step of the GPU of rank 0
	Open       func(rank int) (dev backend.Device, done func(), err error)
}

// Scaling measures test 1 of the paper on several ranks of this process, each with its own device, and prints a
// table. Efficiency is the rate per rank relative to the first number of ranks.
func Scaling(ctx context.Context, w io.Writer, o ScalingOptions) (*bench.ScalingChart, error) {
	chart := &bench.ScalingChart{Weak: o.Weak, Unit: "cell updates"}
	fmt.Fprintf(w, "%5s %9s %-9s %-9s %-7s %9s %10s %10s  %s\n", "ranks", "cells", "scheme", "precision", "halo",
		"Mcell/s", "µs a step", "efficiency", "state")
	first := map[string]float64{}
	for _, ranks := range o.Ranks {
		cells := o.Cells
		if o.Weak {
			cells *= ranks
		}
		m, err := mesh.Rectangle(-5, -5, 5, 5, cells, 7)
		if err != nil {
			return nil, err
		}
		total := len(m.Cells)
		c, err := partitionMesh(m, ranks)
		if err != nil {
			return nil, err
		}
		m = nil
		debug.FreeOSMemory()
		for _, precision := range o.Precisions {
			for _, scheme := range o.Schemes {
				for _, exchanger := range o.Halos {
					if ranks == 1 && exchanger != o.Halos[0] {
						continue
					}
					r, err := c.measure(ctx, &o, scheme, precision, exchanger)
					if err != nil {
						return nil, fmt.Errorf("%d ranks, %s: %w", ranks, exchanger, err)
					}
					rate := float64(total) * float64(o.Steps) / r.seconds
					key := scheme + precision
					if first[key] == 0 {
						first[key] = rate / float64(ranks)
					}
					fmt.Fprintf(w, "%5d %9d %-9s %-9s %-7s %9.1f %10.2f %9.1f%%  %.12s\n", ranks, total, scheme, precision, r.halo,
						rate/1e6, r.seconds/float64(o.Steps)*1e6, 100*rate/float64(ranks)/first[key], r.hash)
					fmt.Fprint(w, r.timeline)
					chart.Add(ranks, fmt.Sprintf("%s %s %s", scheme, precision, r.halo), rate, ranks == o.Ranks[0])
				}
			}
		}
	}
	return chart, nil
}

// partitionedMesh is a mesh partitioned for several ranks.
type partitionedMesh struct {
	parts []*mesh.Part
	plans []*halo.Plan
}

func partitionMesh(m *mesh.Mesh, ranks int) (*partitionedMesh, error) {
	d, err := decompose.New(m, decompose.Options{Ranks: ranks, Order: partition.Hilbert, Method: partition.HilbertCut})
	if err != nil {
		return nil, err
	}
	c := &partitionedMesh{make([]*mesh.Part, ranks), make([]*halo.Plan, ranks)}
	return c, d.Each(func(r int, part *mesh.Part, plan *halo.Plan) error {
		c.parts[r], c.plans[r] = part, plan
		return nil
	})
}

// scalingResult is the result of a measurement.
type scalingResult struct {
	seconds              float64 // shortest time of all steps
	halo, hash, timeline string
}

func (c *partitionedMesh) measure(ctx context.Context, o *ScalingOptions, scheme, precision, exchanger string) (
	scalingResult, error) {
	return local.Each(len(c.parts), func(comm dist.Comm) (scalingResult, error) {
		return c.onRank(ctx, o, comm, scheme, precision, exchanger)
	})
}

func (c *partitionedMesh) onRank(ctx context.Context, o *ScalingOptions, comm dist.Comm, scheme, precision,
	exchanger string) (s scalingResult, err error) {
	r := comm.Rank()
	dev, done, err := o.Open(r)
	if err != nil {
		return s, err
	}
	defer done()
	cfg := shallow.Config{Scheme: scheme, Gravity: 9.81, DensityRatio: .5, CFL: .9, EntropyFix: .05, DryDepth: 1e-3,
		Boundary: make([]bool, len(c.parts[r].Groups)), Lag: o.Lag}
	solver, err := shallow.New(ctx, solvers.Env{Comm: comm, Device: dev, Halo: exchanger}, precision, cfg,
		shallow.Setting{Part: c.parts[r], Plan: c.plans[r], Initial: paperTest(1, c.parts[r])})
	if err != nil {
		return s, err
	}
	defer solver.Close()
	s.halo = solver.Size().Halo
	advance := func(steps int) error {
		for until := solver.Steps() + steps; solver.Steps() < until; {
			if _, err := solver.Advance(ctx, math.Inf(1), 0, until-solver.Steps()); err != nil {
				return err
			}
		}
		return nil
	}
	if err := advance(20); err != nil { // warm-up
		return s, err
	}
	s.seconds = math.Inf(1)
	for range o.Repeat {
		if err := comm.Barrier(ctx); err != nil {
			return s, err
		}
		begin := time.Now()
		if err := advance(o.Steps); err != nil {
			return s, err
		}
		seconds := []float64{time.Since(begin).Seconds()}
		if err := comm.AllreduceFloat64(ctx, dist.Max, seconds); err != nil {
			return s, err
		}
		s.seconds = min(s.seconds, seconds[0])
	}
	if o.Timeline {
		if s.timeline, err = bench.Timeline(dev, func() error { return advance(1) }); err != nil {
			return s, err
		}
	}
	if o.Hash {
		s.hash, err = solver.Hash(ctx)
	}
	return s, err
}
