package problem

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
)

// caseSolver is a rank's share of a run. A step updates vertices.
type caseSolver struct {
	*smoothing
	comm   dist.Comm
	size   solvers.Size
	rules  *stopRules
	cells  *solvers.Space
	sweeps float64 // seconds
	made   int     // sweeps, of all rounds

	env      solvers.Env
	file     *config.Case
	sections *Sections
	best     *round // the best of the previous rounds; nil before the second
	saved    saved

	places [][]float64 // of all vertices of the part after `placed` sweeps; nil before the first frame
	placed int
	frame  *vtk.Grid // nil before the first frame
}

func newSolver(ctx context.Context, env solvers.Env, c *config.Case) (solvers.Solver, error) {
	out := c.Output.Mesh
	if out != "" {
		if err := solvers.Agree(ctx, env.Comm, meshTo(out, env.Comm.Rank())); err != nil {
			return nil, err
		}
	}
	s, err := newSmoothing(ctx, env, c)
	if err != nil {
		return nil, err
	}
	if env.Log != nil && s.body != nil && out != "" {
		if lost := s.body.notKept(out); lost != "" {
			fmt.Fprintf(env.Log, "%-16s in %s, since files of its kind cannot hold it: %s\n", "not kept", out, lost)
		}
	}
	w := c.Sections.(*Sections)
	d := &caseSolver{smoothing: s, comm: env.Comm, rules: newStopRules(w.Stop, &s.before), env: env, file: c,
		sections: w}
	ids := s.cellIDs()
	d.cells = &solvers.Space{Name: "cell", Owned: len(ids), Key: func(i int) int64 { return int64(ids[i]) },
		Format: "vtu", Geometry: d.geometry, Moving: d.moving}
	d.size = solvers.Size{Unit: "vertex", Dim: s.dim(), Entities: s.Vertices,
		Bytes: s.solver.Bytes() * w.Metric.roundsHeld(), Precision: w.Method.Precision, Halo: s.solver.Halo(),
		End: float64(w.Method.Sweeps * max(1, w.Metric.Rounds)), Sweeps: true}
	if d.rules.reason != "" {
		d.size.End = 0
	}
	if err := d.keepStart(); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// meshTo refuses a name of the output mesh that could not be written at the end by rank 0.
func meshTo(out string, rank int) error {
	err := meshio.Writable(out)
	switch {
	case err != nil:
	case !filepath.IsAbs(out):
		if filepath.Base(out) != filepath.Clean(out) {
			err = fmt.Errorf("%s: give the name of a file in the output folder, or an absolute path", out)
		}
	case rank == 0:
		err = atomicfile.CheckWritable(out)
	}
	if err != nil {
		return fmt.Errorf("[output] mesh: %w", err)
	}
	return nil
}

func (d *caseSolver) Size() solvers.Size { return d.size }

func (d *caseSolver) Advance(ctx context.Context, until, pause float64, steps int) (done bool, err error) {
	begin := time.Now()
	defer func() { d.sweeps += time.Since(begin).Seconds() }()
	sweepsBefore, most := d.solver.Sweeps(), d.sections.Method.Sweeps
	n := min(steps, int(min(until, math.Ceil(pause)))-d.made, most-sweepsBefore, d.rules.untilCheck(sweepsBefore))
	move, err := d.solver.Sweep(ctx, n)
	if err != nil {
		return false, err
	}
	d.made += d.solver.Sweeps() - sweepsBefore
	done, err = d.rules.check(ctx, d.solver, move)
	if err != nil || !done && d.solver.Sweeps() < most {
		return done, err
	}
	if err := d.solver.Finish(ctx); err != nil {
		return false, err
	}
	return d.endRound(ctx)
}

func (d *caseSolver) Clock() solvers.Clock {
	return solvers.Clock{Time: float64(d.made), Steps: d.made, Dt: 1}
}

const inAll, inSummary = solvers.Column | solvers.Metric, solvers.Metric

// quantities are the diagnostics, in the order in which Measure returns them.
var quantities = []solvers.Quantity{
	{Name: "quality_min", Doc: "of the worst cell, from 0 to 1, or below 0 where it is turned over", Outputs: inAll,
		Panel: "quality"},
	{Name: "quality_mean", Doc: "the mean of all cells", Outputs: inAll, Panel: "quality"},
	{Name: "objective", Doc: "½Σ u'Mu over edges u", Outputs: inAll, Panel: "½Σ u'Mu"},
	{Name: "edge_in_range", Doc: "share of edges of 1/√2 to √2 in the metric", Outputs: inAll, Panel: "share of edges"},
	{Name: "inverted", Doc: "cells that are inverted", Outputs: inAll},
	{Name: "area_drift", Doc: "relative change of the area or volume since the start", Outputs: inAll | solvers.Drift},
	{Name: "perimeter_drift", Doc: "relative change of the perimeter or surface since the start",
		Outputs: inSummary | solvers.Drift},
	{Name: "quality_max", Doc: "of the best cell", Outputs: inSummary},
	{Name: "quality_min_before", Doc: "the worst at the start", Outputs: inSummary},
	{Name: "quality_mean_before", Doc: "the mean at the start", Outputs: inSummary},
	{Name: "moved", Doc: "vertices that are not where they began", Outputs: inSummary},
	{Name: "active", Doc: "vertices that the last sweep visited", Outputs: inSummary},
	{Name: "sweeps", Doc: "that were made", Outputs: inSummary},
	{Name: "colours", Doc: "of vertices, or of their clusters, that move at once", Outputs: inSummary},
	{Name: "edge_min", Doc: "length of the shortest edge in the metric", Outputs: inSummary},
	{Name: "edge_max", Doc: "length of the longest edge in the metric", Outputs: inSummary},
	{Name: "worst_cell", Doc: "the id of the cell of quality_min", Outputs: inSummary},
	{Name: "limited", Doc: "steps that the guard shortened, of all sweeps", Outputs: inSummary},
	{Name: "metric_scale", Doc: "factor by which the metric was scaled", Outputs: inSummary},
	{Name: "untangled", Doc: "cells that were inverted at the start", Outputs: inSummary},
	{Name: "metric_bounded", Doc: "places held back by bounds", Outputs: inSummary},
	{Name: "metric_raised", Doc: "places held back for want of curvature", Outputs: inSummary},
	{Name: "metric_graded", Doc: "places held back by gradation", Outputs: inSummary},
	{Name: "metric_off_grid", Doc: "share by which lengths between nodes are off", Outputs: inSummary},
	{Name: "interpolation", Doc: "error left, as a share, of fields that the metric follows; 0 if none",
		Outputs: inSummary},
}

func (d *caseSolver) Measure(ctx context.Context) ([]solvers.Quantity, error) {
	now, err := d.diagnose(ctx)
	if err != nil {
		return nil, err
	}
	return solvers.Measured(quantities,
		now.QualityMin, now.QualityMean, now.Objective, now.EdgeInRange, float64(now.Inverted), now.AreaDrift,
		now.PerimeterDrift, now.QualityMax, d.before.QualityMin, d.before.QualityMean, float64(now.Moved),
		float64(now.Active), float64(d.made), float64(d.subdomain().Sets), now.EdgeMin, now.EdgeMax,
		float64(now.Worst), float64(now.Limited), d.solver.Scale(), float64(d.untangled.Before), float64(d.held.Bounded),
		float64(d.held.Raised), float64(d.held.Graded), d.held.OffGrid, d.error), nil
}

// Stopped returns the rule that ended the run.
func (d *caseSolver) Stopped() string { return d.rules.reasonText() }

func (d *caseSolver) Shapes() []solvers.Shape { return nil }

// fields are the fields that a case can write.
var fields = []solvers.Field{
	{Name: "quality", Doc: "1 for equilateral in the metric, 0 for flat, below 0 for inverted",
		Range: &[2]float64{0, 1}, Compared: true},
	{Name: "area", Unit: "m²", Doc: "of triangles"},
	{Name: "volume", Unit: "m³", Doc: "of tetrahedra"},
}

func (d *caseSolver) Fields() []solvers.Field {
	quality, size := fields[0], fields[d.dim()-1]
	quality.Space, size.Space = d.cells, d.cells
	quality.Values = func(context.Context) ([]float64, error) { return d.solver.Qualities() }
	quality.From = &solvers.Field{Name: quality.Name, Space: d.cells,
		View: func() solvers.View { return d.solver.Quality() }}
	size.Values = func(context.Context) ([]float64, error) {
		at, err := d.now()
		if err != nil {
			return nil, err
		}
		return d.sizes(at), nil
	}
	state := d.solver.StateFields()
	return append(append([]solvers.Field{quality, size}, state...), d.savedFields(state[0].Space)...)
}

// now returns the current positions of the vertices of the part.
func (d *caseSolver) now() (at [][]float64, err error) {
	if n := d.made; d.places == nil || d.placed != n {
		if d.places, err = d.solver.Positions(); err != nil {
			return nil, err
		}
		d.placed = n
	}
	return d.places, nil
}

func (d *caseSolver) geometry(context.Context) (solvers.Geometry, error) {
	at, err := d.now()
	if err != nil {
		return solvers.Geometry{}, err
	}
	if d.frame == nil {
		d.frame = d.grid(at)
	}
	g := *d.frame
	g.Points = d.points(at, len(d.frame.Points)/3)
	return solvers.Geometry{Mesh: &g}, nil
}

// moving is the geometry without where the points are, which follows from the state.
func (d *caseSolver) moving(ctx context.Context) (solvers.Geometry, solvers.MovingPoints, error) {
	if d.frame == nil {
		if _, err := d.geometry(ctx); err != nil {
			return solvers.Geometry{}, solvers.MovingPoints{}, err
		}
	}
	of := solvers.MovingPoints{Field: d.solver.StateFields()[0]}
	all := *of.Field.Space
	all.Owned = all.Held
	of.Field.Space = &all
	dim, n := d.dim(), len(d.frame.Points)/3
	of.Points = func(at []float64) []float64 {
		points := make([]float64, 3*n)
		for i := range n {
			copy(points[3*i:], at[dim*i:dim*(i+1)])
		}
		return points
	}
	g := *d.frame
	g.Points = nil
	return solvers.Geometry{Mesh: &g}, of, nil
}

func (d *caseSolver) Save(ctx context.Context, path string) error {
	r, m, err := d.report(ctx)
	if err != nil || m == nil {
		return err
	}
	if err := r.Refused(); err != nil {
		return fmt.Errorf("[output] mesh: %s: %w", path, err)
	}
	return m.write(path)
}

func (d *caseSolver) State(ctx context.Context) ([]solvers.State, error) { return d.solver.State(ctx) }

func (d *caseSolver) Phases() map[string]float64 { return map[string]float64{"sweep": d.sweeps} }

func (d *caseSolver) Close() {
	if d.best != nil && d.best.solver != d.solver {
		d.best.solver.Close()
	}
	d.solver.Close()
}
