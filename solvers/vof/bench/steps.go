package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/debug"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/run/bench"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/vof"
)

// StepOptions select what Steps measures: all combinations of the lists.
type StepOptions struct {
	Dim        int
	Cells      []int // along each axis: of a rank's block if Weak, otherwise of the grid
	Weak       bool  // the grid grows with the ranks; each rank has a vortex and a body of its own
	Configs    []StepConfig
	Precisions []string
	Threads    []int // of each rank
	Ranks      []int
	Warm       int // steps before the first measurement
	Steps      int // of each measurement
	Repeat     int // measurements, of which the fastest counts
	Hash       bool
	Timeline   bool // of a step on the GPU of rank 0
	JSON       bool // print a bench.Timing of each measurement as a line of JSON, and no table

	// Open opens the device of a rank; call done to close it.
	Open func(rank, threads int) (dev backend.Device, done func(), err error)
}

// StepConfig is a method, and how ghosts are exchanged between devices: see solvers.Env.
type StepConfig struct {
	vof.Config
	Halo string
}

// Steps measures steps in the vortex of Rider and Kothe (plane) or LeVeque (space), and prints a table. Bytes are those
// that a step must move if all cells are computed: F read and written by each sweep, or once with tiles. Efficiency
// is the rate per thread relative to the first row of the same case.
func Steps(ctx context.Context, w io.Writer, o StepOptions) error {
	copyBandwidth, err := bench.Bandwidths(w, o.JSON, o.Threads,
		func(threads int) (backend.Device, func(), error) { return o.Open(0, threads) })
	if err != nil {
		return err
	}
	table, lines := bench.Outputs(w, o.JSON)
	fmt.Fprintf(table, "%-16s %-7s %-12s %-8s %-6s %-6s %-9s %5s %7s %10s %11s %12s %7s %5s %7s %10s  %s\n", "cells",
		"normal", "advect", "exchange", "halo", "sweep", "precision", "ranks", "threads", "ms a step", "Mcell/s", "Mmixed/s",
		"mixed", "B", "of copy", "efficiency", "state")
	for _, n := range o.Cells {
		for _, precision := range o.Precisions {
			for _, cfg := range o.Configs {
				firstPerThread := 0.0
				for _, ranks := range o.Ranks {
					for _, threads := range o.Threads {
						m, err := o.measure(ctx, cfg, n, precision, ranks, threads)
						if err != nil {
							return fmt.Errorf("%d cells an axis, %d ranks: %w", n, ranks, err)
						}
						if err := bench.WriteTimings(lines, m.timings, "vof %s cells %s %s %s %s, ranks: %d, threads: %d",
							sizeText(m.grid), cfg.Normal, cfg.Advect, m.sweep, precision, ranks, threads); err != nil {
							return err
						}
						cells := float64(m.grid.Cells())
						rate := cells / m.step
						perThread := rate / float64(ranks*threads)
						if firstPerThread == 0 {
							firstPerThread = perThread
						}
						fmt.Fprintf(table, "%-16s %-7s %-12s %-8s %-6s %-6s %-9s %5d %7d %10.4f %11.1f %12.2f %6.2f%% %5.0f "+
							"%6.0f%% %9.0f%%  %.12s\n",
							sizeText(m.grid), cfg.Normal, cfg.Advect, m.exchange, m.halo, m.sweep, precision, ranks, threads, 1e3*m.step,
							rate/1e6,
							float64(m.mixed)/m.step/1e6, 100*float64(m.mixed)/cells, m.bytes,
							100*m.bytes*rate/float64(ranks)/copyBandwidth[threads], 100*perThread/firstPerThread, m.hash)
						fmt.Fprint(table, m.timeline)
					}
				}
			}
		}
	}
	return nil
}

// stepResult is the result of a measurement.
type stepResult struct {
	grid                  *grid.Grid
	step                  float64 // shortest time of a step in s
	timings               []bench.Timing
	mixed                 int64   // number of mixed cells
	bytes                 float64 // least memory traffic of a step in bytes per cell
	halo, exchange, sweep string
	hash, timeline        string
}

func (o *StepOptions) measure(ctx context.Context, cfg StepConfig, n int, precision string, ranks,
	threads int) (stepResult, error) {
	g := unitBox(o.Dim, [3]int{n, n, n})
	parts, err := partition.Blocks(g.N, o.Dim, ranks, [3]int{})
	if err != nil {
		return stepResult{}, err
	}
	if o.Weak {
		g = unitBox(o.Dim, [3]int{n * parts[0], n * parts[1], n * parts[2]})
		for d := range o.Dim {
			g.Hi[d] = float64(parts[d])
		}
	}
	debug.FreeOSMemory()
	return local.Each(ranks, func(comm dist.Comm) (stepResult, error) {
		return o.onRank(ctx, comm, g, parts, cfg, precision, threads)
	})
}

func unitBox(dim int, n [3]int) *grid.Grid {
	g := &grid.Grid{Dim: dim, N: n, Hi: [3]float64{1, 1, 1}}
	if dim == 2 {
		g.N[2], g.Hi[2] = 1, 0
	}
	return g
}

func sizeText(g *grid.Grid) string {
	s := fmt.Sprintf("%d×%d", g.N[0], g.N[1])
	if g.Dim == 3 {
		s += fmt.Sprintf("×%d", g.N[2])
	}
	return s
}

func (o *StepOptions) onRank(ctx context.Context, comm dist.Comm, g *grid.Grid, parts [3]int, cfg StepConfig,
	precision string, threads int) (m stepResult, err error) {
	dev, done, err := o.Open(comm.Rank(), threads)
	if err != nil {
		return m, err
	}
	defer done()
	s, err := vortexOn(ctx, comm, g, parts, cfg, precision, dev)
	if err != nil {
		return m, err
	}
	defer s.Close()
	m.grid, m.step = g, math.Inf(1)
	const end = 1e6 // the velocity reverses with a period of 8 s
	advance := func(steps int) (err error) { _, err = s.Advance(ctx, end, 0, steps); return err }
	if err := advance(max(1, o.Warm)); err != nil {
		return m, err
	}
	for range o.Repeat {
		if err := errors.Join(backend.Sync(dev), comm.Barrier(ctx)); err != nil {
			return m, err
		}
		begin := bench.StartWatch()
		if err := errors.Join(advance(o.Steps), backend.Sync(dev)); err != nil {
			return m, err
		}
		m.timings = append(m.timings, begin.Timing(int64(o.Steps)*int64(g.Cells())))
		seconds := []float64{m.timings[len(m.timings)-1].Wall / float64(o.Steps)}
		if err := comm.AllreduceFloat64(ctx, dist.Max, seconds); err != nil {
			return m, err
		}
		m.step = min(m.step, seconds[0])
	}
	if o.Timeline {
		if m.timeline, err = bench.Timeline(dev, func() error { return advance(1) }); err != nil {
			return m, err
		}
	}
	d, err := vof.Diagnose(ctx, s)
	if err != nil {
		return m, err
	}
	m.mixed = d.MixedCells
	m.halo = s.Size().Halo
	m.exchange, m.sweep = s.Model().(interface {
		Schedule() (exchange, sweep string)
	}).Schedule()
	width := 8.0
	if precision == "float32" {
		width = 4
	}
	if m.bytes = 2 * width; m.sweep != "tiles" {
		m.bytes *= float64(g.Dim)
	}
	if o.Hash {
		m.hash, err = solvers.Hash(ctx, comm, s)
	}
	return m, err
}

// vortexOn sets up a rank's block of the vortex.
func vortexOn(ctx context.Context, comm dist.Comm, g *grid.Grid, parts [3]int, cfg StepConfig, precision string,
	dev backend.Device) (*engine.Engine, error) {
	lo, n := partition.Box(g.N, parts, comm.Rank())
	ghost := cfg.Ghosts(g.Dim)
	b, err := g.Block(lo, n, ghost)
	if err != nil {
		return nil, err
	}
	boxes := halo.Boxes{Dim: g.Dim, Cuts: partition.BoxCuts(g.N, parts), Periodic: g.Periodic}
	plan, err := halo.NewBoxPlan(boxes, comm.Rank(), ghost, [3]int{ghost, ghost, ghost}, halo.AxisByAxis)
	if err != nil {
		return nil, err
	}
	name, at := "rider-kothe", [3]float64{.5, .75}
	if g.Dim == 3 {
		name, at = "enright", [3]float64{.35, .35, .35}
	}
	for d := range g.Dim {
		at[d] += math.Floor(g.Centre(d, lo[d])) // the vortex repeats in each unit box, and so does the body
	}
	v, err := flow.Named(name, g, 8)
	if err != nil {
		return nil, err
	}
	f, err := shape.Fill(ctx, b, shape.Ball(at[0], at[1], at[2], .15), 3, true)
	if err != nil {
		return nil, err
	}
	env := solvers.Env{Comm: comm, Device: dev, Halo: cfg.Halo}
	return vof.New(ctx, env, precision, cfg.Config, vof.Setting{Block: &domain.Block{Block: b, Boxes: boxes, Plan: plan},
		Flow: v, Start: f})
}
