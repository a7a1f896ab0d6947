package run

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
	"github.com/atoll-hpc/atoll/solvers/vof"
	vofproblem "github.com/atoll-hpc/atoll/solvers/vof/problem"
)

// vofRun drives solver "vof".
type vofRun struct {
	solver vof.Solver
	c      *config.Case
	block  *grid.Block
	boxes  halo.Boxes // of all ranks
	rank   int
	comm   dist.Comm
	size   extent
	late   error     // of the velocity's factor, which steps have asked for
	exact  []float64 // volume fractions of the block where the case knows those of the end; else nil
}

func newVOF(ctx context.Context, o Options) (driver, error) {
	c, comm := o.Case, o.Comm
	w := c.Sections.(*vofproblem.Sections)
	cfg := w.Method.Config()
	cfg.Halo = o.Halo
	cfg.Curvature = slices.Contains(c.Output.Fields, "curvature")
	d := &vofRun{c: c, rank: comm.Rank(), comm: comm}
	plan, err := d.cut(w, cfg.Ghosts(w.Grid.Dim), comm.Size())
	if err == nil {
		if err = cfg.Check(d.block); err != nil {
			err = fmt.Errorf("[method] %w", err)
		}
	}
	if err := agree(ctx, comm, err); err != nil {
		return nil, err
	}
	v, err := vofFlow(ctx, c, &w.Velocity, d.block, comm, &d.late)
	if err != nil {
		return nil, err
	}
	fractions, err := vofFractions(ctx, "[initial]", &w.Initial, c.Path, d.block)
	if err == nil && w.Exact != nil {
		d.exact, err = vofFractions(ctx, "[exact]", w.Exact, c.Path, d.block)
	}
	if err := agree(ctx, comm, err); err != nil {
		return nil, err
	}
	d.solver, err = vof.New(ctx, w.Method.Precision, cfg, d.block, plan, v, fractions, comm, o.Device)
	if err != nil {
		return nil, err
	}
	cells := int64(d.block.Grid.Cells())
	number := int64(8)
	if w.Method.Precision == "float32" {
		number = 4
	}
	d.size = extent{
		cells: cells, bytes: cells * number * int64(vofNumbers(d.block.Grid.Dim)), precision: w.Method.Precision,
		halo: d.solver.Halo(), end: c.Time.End, maxSteps: c.Time.MaxSteps,
	}
	return d, nil
}

// vofNumbers is how many numbers a cell takes: two volume fractions, velocities, and the planes of a sweep.
func vofNumbers(dim int) int { return 2 + dim + dim + 1 }

// cut makes this rank's block and the plan of its ghosts.
func (d *vofRun) cut(w *vofproblem.Sections, ghost, ranks int) (*halo.BoxPlan, error) {
	g, err := grid.New(w.Grid.Dim, w.Grid.Cells, w.Grid.Lo, w.Grid.Hi, w.Grid.Periodic)
	if err != nil {
		return nil, fmt.Errorf("[grid] %w", err)
	}
	parts, err := partition.Blocks(g.N, g.Dim, ranks, w.Grid.Blocks)
	if err != nil {
		return nil, fmt.Errorf("[grid] blocks: %w", err)
	}
	lo, n := partition.Box(g.N, parts, d.rank)
	if d.block, err = g.Block(lo, n, ghost); err != nil {
		return nil, fmt.Errorf("[grid] %w", err)
	}
	d.boxes = halo.Boxes{Dim: g.Dim, Cuts: partition.BoxCuts(g.N, parts), Periodic: g.Periodic}
	plan, err := halo.NewBoxPlan(d.boxes, d.rank, ghost, [3]int{ghost, ghost, ghost}, halo.ByAxis)
	if err != nil {
		err = fmt.Errorf("[grid] %w; use fewer ranks or a finer grid", err)
	}
	return plan, err
}

// vofFractions finds the volume fractions of a block, for a section of the case.
func vofFractions(ctx context.Context, section string, v *vofproblem.Initial, path func(string) string, b *grid.Block) (
	[]float64, error) {
	body, failed, err := shape.Parse(v.Shape, b.Grid.Dim, path)
	if err != nil {
		return nil, fmt.Errorf("%s shape: %w", section, err)
	}
	levels := v.Levels
	if v.Fractions == "quadrature" {
		levels = -1
	}
	f, err := vof.Fill(ctx, b, body, levels, v.Leaf == "plane")
	if err := cmp.Or(failed(), err); err != nil {
		return nil, fmt.Errorf("%s shape: %w", section, err)
	}
	return f, nil
}

func (d *vofRun) extent() extent { return d.size }

func (d *vofRun) advance(ctx context.Context, until float64, steps int) (done bool, err error) {
	err = d.solver.Advance(ctx, until, steps)
	return false, cmp.Or(err, d.late)
}

func (d *vofRun) clock() (t float64, steps int, dt float64) {
	return d.solver.Time(), d.solver.Steps(), d.solver.Dt()
}

func (d *vofRun) report(ctx context.Context) (report, error) {
	now, err := d.solver.Diagnose(ctx)
	if err == nil && d.exact != nil {
		now.L1Error, now.RelError, err = d.offExact(ctx)
	}
	if err != nil {
		return report{}, err
	}
	return report{
		table: []column{
			{"volume", now.Volume}, {"volume_drift", now.VolumeDrift}, {"bound_excess", now.BoundExcess},
			{"mixed_cells", float64(now.MixedCells)}, {"interface_size", now.InterfaceSize}, {"cfl_sum", now.CFLSum},
			{"cfl_axis", now.CFLAxis}, {"divergence_max", now.DivergenceMax},
		},
		metrics: map[string]float64{
			"volume": now.Volume, "volume_drift": now.VolumeDrift, "bound_excess": now.BoundExcess,
			"l1_error": now.L1Error, "rel_error": now.RelError, "mixed_cells": float64(now.MixedCells),
			"interface_size": now.InterfaceSize, "divergence_max": now.DivergenceMax, "cfl_sum": now.CFLSum,
			"cfl_axis": now.CFLAxis,
		},
		conservation: map[string]float64{"volume": now.VolumeDrift},
	}, nil
}

// offExact is Σ|f - exact| dV, and that over the exact volume. Sums are exact, as the solver's.
func (d *vofRun) offExact(ctx context.Context) (l1, rel float64, err error) {
	f, err := d.solver.Field(ctx, "f")
	if err != nil {
		return 0, 0, err
	}
	var off, volume dist.Accumulator
	for i, want := range d.exact {
		off.Add(math.Abs(f[i] - want))
		volume.Add(want)
	}
	for _, sum := range []*dist.Accumulator{&off, &volume} {
		if err := dist.AllreduceSum(ctx, d.comm, sum); err != nil {
			return 0, 0, err
		}
	}
	l1 = off.Float64() * d.block.Grid.CellVolume()
	if v := volume.Float64(); v > 0 {
		rel = off.Float64() / v
	}
	return l1, rel, nil
}

func (d *vofRun) hash(ctx context.Context) (string, error) { return d.solver.Hash(ctx) }
func (d *vofRun) phases() map[string]float64               { return d.solver.Phases() }
func (d *vofRun) close()                                   { d.solver.Close() }
