package run

import (
	"context"
	"fmt"
	"runtime/debug"
	"unsafe"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	shallowproblem "github.com/atoll-hpc/atoll/solvers/shallow/problem"
)

// shallowRun drives solver "shallow-water".
type shallowRun struct {
	solver shallow.Solver
	c      *config.Case
	layers int
	part   *mesh.Part
	rank   int
	size   extent
	start  shallow.Diagnostics
	cells  *meshPiece // of all frames; nil before the first
}

func newShallow(ctx context.Context, o Options) (_ driver, err error) {
	c, comm, dev := o.Case, o.Comm, o.Device
	w := c.Sections.(*shallowproblem.Sections)
	part, plan, err := distribute(ctx, c, w.Mesh, comm)
	if err != nil {
		return nil, err
	}
	debug.FreeOSMemory() // the whole mesh, before the solver takes its share
	cfg, initial, err := shallowSetUp(c, part)
	cfg.Halo = o.Halo
	if err == nil {
		err = fits(dev, shallowBytes(w.Physics, part, initial.Manning != nil))
	}
	if err := agree(ctx, comm, err); err != nil {
		return nil, err
	}
	// The input is good. The solver may fail on this rank alone while others talk to it, so there is no agreeing here.
	solver, err := shallow.New(ctx, w.Physics.Precision, cfg, part, plan, initial, comm, dev)
	if err != nil {
		return nil, err
	}
	d := &shallowRun{solver: solver, c: c, layers: w.Physics.Layers, part: part, rank: comm.Rank()}
	defer func() {
		if err != nil {
			d.close()
		}
	}()
	sums := []int64{int64(part.Owned), int64(solver.BytesPerCell() * float64(part.Owned))}
	if err := comm.AllreduceInt64(ctx, dist.Sum, sums); err != nil {
		return nil, err
	}
	d.size = extent{
		cells: sums[0], bytes: sums[1], precision: w.Physics.Precision, halo: solver.Halo(), end: c.Time.End,
		maxSteps: c.Time.MaxSteps,
	}
	if w.Physics.DryDepth == 0 {
		d.size.found = fmt.Sprintf("dry_depth = %.3g m fits the water", solver.DryDepth())
	}
	if d.start, err = solver.Diagnose(ctx); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *shallowRun) extent() extent { return d.size }

func (d *shallowRun) advance(ctx context.Context, until float64, steps int) (done bool, err error) {
	return false, d.solver.Advance(ctx, until, steps)
}

func (d *shallowRun) clock() (t float64, steps int, dt float64) {
	return d.solver.Time(), d.solver.Steps(), d.solver.Dt()
}

func (d *shallowRun) report(ctx context.Context) (report, error) {
	now, err := d.solver.Diagnose(ctx)
	if err != nil {
		return report{}, err
	}
	drift1, drift2 := drift(now.Mass1, d.start.Mass1), drift(now.Mass2, d.start.Mass2)
	return report{
		table: []column{{"mass1", now.Mass1}, {"mass2", now.Mass2}},
		metrics: map[string]float64{
			"mass1": now.Mass1, "mass2": now.Mass2, "mass1_drift": drift1, "mass2_drift": drift2,
			"h1_min": now.H1Min, "h1_max": now.H1Max, "h2_min": now.H2Min, "h2_max": now.H2Max,
			"speed_max": now.SpeedMax, "z1_abs_integral": now.Z1AbsIntegral, "h2_sq_integral": now.H2SqIntegral,
			"complex_edges": float64(now.ComplexEdges), "limited_fluxes": float64(now.LimitedFluxes), "cfl_max": now.CFLMax,
		},
		conservation: map[string]float64{"mass1": drift1, "mass2": drift2},
	}, nil
}

// drift is the relative change of a mass, or the absolute one where there was none.
func drift(now, start float64) float64 {
	if start == 0 {
		return now
	}
	return (now - start) / start
}

func (d *shallowRun) frame(context.Context, string) (piece, error) {
	if d.cells == nil {
		d.cells = ownedCells(d.part, d.rank)
	}
	return d.cells.with(d.solver.Time(), d.c.Output.Fields, func(name string) ([]float64, error) {
		return d.solver.Field(d.field(name))
	})
}

func (d *shallowRun) locate(at []float64) (cell int, id int64) {
	if cell = containing(d.part, at[0], at[1]); cell < 0 {
		return -1, 0
	}
	return cell, int64(d.part.Global[cell])
}

func (d *shallowRun) columns(fields []string) []string { return fields }

func (d *shallowRun) probe(_ context.Context, fields []string, cells []int, values []float64) error {
	for i, cell := range cells {
		for k, name := range fields {
			values[i*len(fields)+k] = d.solver.Value(d.field(name), cell)
		}
	}
	return nil
}

// field is what the solver calls a field of the case: one layer is its lower one.
func (d *shallowRun) field(name string) string {
	if d.layers == 2 || name == "depth" {
		return name
	}
	return name + "2"
}

func (d *shallowRun) hash(ctx context.Context) (string, error) { return d.solver.Hash(ctx) }
func (d *shallowRun) phases() map[string]float64               { return d.solver.Phases() }
func (d *shallowRun) close()                                   { d.solver.Close() }

// shallowBytes is the least that the solver takes on a device of its own memory for a part: both states, the beds, the
// numbers of the diagnostics, friction, and the cells and edges in tiles, of which each edge is in one at least; at
// second order a third state, the slopes and what they are made from.
func shallowBytes(p shallowproblem.Physics, part *mesh.Part, friction bool) int64 {
	if p.Precision == "float32" {
		return leastShallow[float32](part, p.Order, friction)
	}
	return leastShallow[float64](part, p.Order, friction)
}

func leastShallow[F num.Float](part *mesh.Part, order int, friction bool) int64 {
	var number F
	all := 2*unsafe.Sizeof(kernels.State[F]{}) + unsafe.Sizeof(kernels.Bed[F]{})
	if friction {
		all += unsafe.Sizeof(number)
	}
	edge := unsafe.Sizeof(kernels.Ends{}) + unsafe.Sizeof(kernels.Normal[F]{})
	if order == 2 {
		all += unsafe.Sizeof(kernels.State[F]{}) + unsafe.Sizeof(kernels.Slopes[F]{})
		edge += unsafe.Sizeof(kernels.Arms[F]{})
	}
	owned := unsafe.Sizeof(kernels.TileCell{}) + unsafe.Sizeof(float64(0)) + 3*edge/2
	if order == 2 {
		owned += unsafe.Sizeof(kernels.Stencil[F]{})
	}
	return int64(all)*int64(len(part.Cells)) + int64(owned)*int64(part.Owned)
}
