package problem

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
)

// caseSolver is one rank's part of a run. A step is a sweep.
type caseSolver struct {
	*smoothing
	comm         dist.Comm
	size         solvers.Size
	rules        *stopRules
	cells        *solvers.Space
	sweepSeconds float64 // wall-clock time of all sweeps, s
	sweepsMade   int     // number of sweeps, of all rounds

	env         solvers.Env
	file        *config.Case
	sections    *Sections
	best        *round // the best of the previous rounds; nil before the second
	saved       savedPositions
	pending     []pendingRow // observations, the earliest first
	positions   [][]float64  // of all vertices of the part, after positionsAt sweeps; nil before the first frame
	positionsAt int
	frameCells  func() (cells *vtk.Grid, points int) // cells of all frames, without points, and the number of points
}

func newSolver(ctx context.Context, env solvers.Env, c *config.Case) (solvers.Solver, error) {
	out := c.Output.Mesh
	if out != "" {
		if err := solvers.Agree(ctx, env.Comm, checkOutputMesh(out, env.Comm.Rank())); err != nil {
			return nil, err
		}
	}
	s, err := newSmoothing(ctx, env, c)
	if err != nil {
		return nil, err
	}
	if env.Log != nil && s.initialMesh != nil && out != "" {
		if lost := s.initialMesh.notKept(out); lost != "" {
			fmt.Fprintf(env.Log, "%-16s in %s, since files of its kind cannot hold it: %s\n", "not kept", out, lost)
		}
	}
	w := c.Sections.(*Sections)
	d := &caseSolver{smoothing: s, comm: env.Comm, rules: newStopRules(w.Stop, &s.before), env: env, file: c,
		sections: w, frameCells: sync.OnceValues(s.cellsOfFrame)}
	ids := s.cellIDs()
	d.cells = &solvers.Space{Name: "cell", Owned: len(ids), Key: func(i int) int64 { return int64(ids[i]) },
		Format: "vtu", Geometry: d.geometry, Moving: d.moving}
	d.size = solvers.Size{Unit: "vertex", Dim: s.dim(), Entities: s.Vertices,
		Bytes: s.solver.Size().Bytes * concurrentRounds(&w.Metric), Precision: w.Method.Precision, Halo: s.solver.Halo(),
		End: float64(w.Method.Sweeps * max(1, w.Metric.Rounds)), Sweeps: true}
	if s.initialMesh != nil {
		d.size.Warnings = s.initialMesh.notes()
	}
	if d.rules.rule != "" {
		d.size.End = 0
	}
	if err := d.keepStart(); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// checkOutputMesh refuses a name of the output mesh that rank 0 could not write at the end.
func checkOutputMesh(out string, rank int) error {
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
	defer func() { d.sweepSeconds += time.Since(begin).Seconds() }()
	sweepsBefore, maxSweeps := d.solver.Sweeps(), d.sections.Method.Sweeps
	n := min(steps, int(min(until, math.Ceil(pause)))-d.sweepsMade, maxSweeps-sweepsBefore,
		d.rules.untilCheck(sweepsBefore))
	move, err := d.solver.Sweep(ctx, n)
	if err != nil {
		return false, err
	}
	d.sweepsMade += d.solver.Sweeps() - sweepsBefore
	done, err = d.rules.check(ctx, d.solver, move)
	if err != nil || !done && d.solver.Sweeps() < maxSweeps {
		return done, err
	}
	if err := d.solver.Finish(ctx); err != nil {
		return false, err
	}
	return d.endRound(ctx)
}

func (d *caseSolver) Clock() solvers.Clock {
	return solvers.Clock{Time: float64(d.sweepsMade), Steps: d.sweepsMade, Dt: 1}
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
		at, err := d.currentPositions()
		if err != nil {
			return nil, err
		}
		return d.sizes(at), nil
	}
	state := d.solver.Fields()
	return append(append([]solvers.Field{quality, size}, state...), d.savedFields(state[0].Space)...)
}

// currentPositions returns the positions of the vertices of the part after the last sweep.
func (d *caseSolver) currentPositions() (at [][]float64, err error) {
	if n := d.sweepsMade; d.positions == nil || d.positionsAt != n {
		if d.positions, err = d.solver.Positions(); err != nil {
			return nil, err
		}
		d.positionsAt = n
	}
	return d.positions, nil
}

func (d *caseSolver) geometry(context.Context) (solvers.Geometry, error) {
	at, err := d.currentPositions()
	if err != nil {
		return solvers.Geometry{}, err
	}
	cells, points := d.frameCells()
	g := *cells
	g.Points = d.points(at, points)
	return solvers.Geometry{Mesh: &g}, nil
}

// moving describes the mesh of frames.
func (d *caseSolver) moving() solvers.MovingMesh {
	field := d.solver.Fields()[0]
	held := *field.Space
	held.Owned = held.Held
	field.Space = &held
	return solvers.MovingMesh{Field: field, Cells: d.frameCells}
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

func (d *caseSolver) Phases() map[string]float64 { return map[string]float64{"sweep": d.sweepSeconds} }

func (d *caseSolver) Close() {
	if d.best != nil && d.best.solver != d.solver {
		d.best.solver.Close()
	}
	d.solver.Close()
}
