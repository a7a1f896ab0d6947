// Package adaptive checks runs of shallow water whose mesh follows the water: that they are as accurate as those on a
// fixed mesh of five times as many cells, that what the changes cost is small, and that they keep volumes, rest, and
// the same bits on any number of ranks.
package adaptive

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers"
)

// outcome is the result of a run.
type outcome struct {
	hash      string
	steps     int
	metrics   map[string]float64
	error     float64 // mean of that of the thickness
	remesh    float64 // s, with changes of the mesh
	computing float64 // s, the whole loop over steps
	// At positive x: the largest component of a velocity, and the range of levels of the water, m.
	speed, levels float64
}

// runOn runs a case on some ranks. exact is the thickness at a position at the end.
func runOn(ctx context.Context, p *verify.Page, text string, ranks int, exact func(x, y float64) float64) (o outcome,
	err error) {
	c, err := solvers.Parse("adaptive.toml", []byte(text), nil)
	if err != nil {
		return o, err
	}
	errs := make([]error, ranks)
	var wait sync.WaitGroup
	for rank, comm := range local.New(ranks) {
		wait.Go(func() {
			dev := cpu.New(p.Options.Threads)
			defer dev.Close()
			_, err := run.Run(ctx, run.Options{Case: c, Comm: comm, Device: dev, Transport: "local", LocalRanks: ranks,
				Report: func(ctx context.Context, s solvers.Solver, end solvers.Outcome) error {
					found, err := outcomeOf(ctx, comm, s, end, exact)
					if rank == 0 {
						o = found
					}
					return err
				}})
			errs[rank] = errors.Join(err, comm.Close())
		})
	}
	wait.Wait()
	return o, errors.Join(errs...)
}

// outcomeOf measures the last state.
func outcomeOf(ctx context.Context, comm dist.Comm, s solvers.Solver, end solvers.Outcome,
	exact func(x, y float64) float64) (o outcome, err error) {
	o = outcome{hash: end.Hash, steps: end.Steps, metrics: map[string]float64{}, computing: end.Seconds,
		remesh: s.Phases()["remesh"]}
	list, err := s.Measure(ctx)
	if err != nil {
		return o, err
	}
	more, err := s.(solvers.Concluder).Conclude(ctx)
	if err != nil {
		return o, err
	}
	for _, q := range append(list, more...) {
		o.metrics[q.Name] = q.Value
	}
	if _, changes := s.(solvers.Remesher); !changes {
		o.metrics["mean_cells"] = float64(s.Size().Entities)
	}
	h := solvers.Named(s.Fields(), []string{"h"})[0]
	values, err := h.Read(ctx)
	if err != nil {
		return o, err
	}
	var sum, area dist.Accumulator
	for i, v := range values {
		x := h.Space.Position(i)
		sum.Add(math.Abs(v-exact(x[0], x[1])) * h.Space.Size(i))
		area.Add(h.Space.Size(i))
	}
	if err := dist.AllreduceSum(ctx, comm, &sum, &area); err != nil {
		return o, err
	}
	o.error = sum.Float64() / area.Float64()
	return o, o.measureRest(ctx, comm, s, h.Space, values)
}

// measureRest measures what moves at positive x. h has the thicknesses.
func (o *outcome) measureRest(ctx context.Context, comm dist.Comm, s solvers.Solver, cells *solvers.Space,
	h []float64) error {
	extremes := []float64{0, math.Inf(-1), math.Inf(-1)} // of velocities, levels, and negative levels
	for _, f := range solvers.Named(s.Fields(), []string{"u", "v", "z"}) {
		values, err := f.Read(ctx)
		if err != nil {
			return err
		}
		for i, v := range values {
			switch {
			case cells.Position(i)[0] < 0 || h[i] == 0:
			case f.Name == "z":
				extremes[1], extremes[2] = max(extremes[1], v), max(extremes[2], -v)
			default:
				extremes[0] = max(extremes[0], math.Abs(v))
			}
		}
	}
	err := comm.AllreduceFloat64(ctx, dist.Max, extremes)
	o.speed, o.levels = extremes[0], extremes[1]+extremes[2]
	return err
}

// flow is a case with an exact solution, on fixed meshes and on one that follows the water.
type flow struct {
	name  string
	text  string // of the case, without mesh and [adapt]
	mesh  string // with the number of cells
	fixed int    // number of cells
	start int    // cells of the mesh that adapts
	adapt string
	exact func(x, y float64) float64
}

// mostCells is the share of the cells of the fixed mesh that a run whose mesh follows the water may have.
const mostCells = 0.2

// check compares both, and runs the second on other numbers of ranks.
func (f *flow) check(ctx context.Context, p *verify.Page, t *verify.Table) error {
	p.Progress("%s on a fixed mesh", f.name)
	fixed, err := runOn(ctx, p, f.text+fmt.Sprintf(f.mesh, f.fixed), 1, f.exact)
	if err != nil {
		return err
	}
	text := f.text + fmt.Sprintf(f.mesh, f.start) + f.adapt
	t.Row(verify.Info, f.name, "fixed", fixed.steps, fixed.metrics["mean_cells"], "", fixed.error, "",
		fixed.metrics["mass_drift"])
	var first outcome
	for _, ranks := range []int{1, 2, 5} {
		p.Progress("%s on a mesh that follows it, %d ranks", f.name, ranks)
		o, err := runOn(ctx, p, text, ranks, f.exact)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("follows, %d ranks", ranks)
		if ranks > 1 {
			t.Row(verify.VerdictOf(o.hash == first.hash, "the same bits"), f.name, name, o.steps, o.metrics["mean_cells"],
				o.metrics["mesh_changes"], o.error, "", o.metrics["mass_drift"])
			continue
		}
		first = o
		cells, time := o.metrics["mean_cells"]/fixed.metrics["mean_cells"], o.remesh/o.computing
		row := func(v verify.Verdict) {
			t.Row(v, f.name, name, o.steps, o.metrics["mean_cells"], o.metrics["mesh_changes"], o.error,
				fmt.Sprintf("%.1f%%", 100*time), o.metrics["mass_drift"])
		}
		row(verify.AtMost(o.error, fixed.error))
		row(verify.AtMost(cells, mostCells))
		row(verify.AtMost(math.Abs(o.metrics["mass_drift"]), 1e-13))
	}
	return nil
}
