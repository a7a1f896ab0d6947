package problem

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// flow is a case under way.
type flow struct {
	shallow.Solver
	c     *config.Case
	size  solvers.Size
	start shallow.Diagnostics
	cells *solvers.Space
	table []solvers.Quantity // quantities, and what came from each source
}

func newSolver(ctx context.Context, env solvers.Env, c *config.Case) (_ solvers.Solver, err error) {
	w := c.Sections.(*Sections)
	part, plan, err := domain.Distribute(ctx, c, w.Mesh, env.Comm)
	if err != nil {
		return nil, err
	}
	debug.FreeOSMemory() // the whole mesh, before the solver takes its share
	cfg, initial, err := setUp(ctx, c, part)
	cfg.Halo = env.Halo
	if err := solvers.Agree(ctx, env.Comm, err); err != nil {
		return nil, err
	}
	held := solvers.Counts{Dim: 2, Owned: part.Owned, Held: len(part.Cells)}
	if err := env.Room(ctx, c, held); err != nil {
		return nil, err
	}
	// The input is good. The solver may fail on this rank alone while others talk to it, so there is no agreeing here.
	solver, err := shallow.New(ctx, w.Physics.Precision, cfg, part, plan, initial, env.Comm, env.Device)
	if err != nil {
		return nil, err
	}
	d := &flow{Solver: solver, c: c, cells: domain.Cells(part)}
	defer func() {
		if err != nil {
			d.Close()
		}
	}()
	cells := []int64{int64(part.Owned)}
	if err := env.Comm.AllreduceInt64(ctx, dist.Sum, cells); err != nil {
		return nil, err
	}
	d.size = solvers.Size{
		Unit: "cell", Dim: 2, Entities: cells[0], Bytes: solver.Bytes(), Precision: w.Physics.Precision, Halo: solver.Halo(),
		End: c.Time.End, MaxSteps: c.Time.MaxSteps,
	}
	if w.Physics.DryDepth == 0 {
		d.size.Found = fmt.Sprintf("dry_depth = %.3g m fits the water", solver.DryDepth())
	}
	if d.start, err = solver.Diagnose(ctx); err != nil {
		return nil, err
	}
	d.size.Odd = nowhere(&d.start, w.Physics.Layers)
	d.table = tableOf(d.start, w.Physics.Layers)
	return d, nil
}

// nowhere are layers that no cell has at the start, and nothing brings in.
func nowhere(start *shallow.Diagnostics, layers int) (odd []string) {
	if len(start.Sources) > 0 {
		return nil
	}
	switch {
	case layers == 1 && start.H2Max == 0:
		odd = append(odd, "[initial] h: there is no water anywhere, and none comes in")
	case layers == 2 && start.H1Max == 0:
		odd = append(odd, "[initial] the upper layer is nowhere: layers = 1 is for one layer")
	case layers == 2 && start.H2Max == 0:
		odd = append(odd, "[initial] the lower layer is nowhere: layers = 1 is for one layer")
	}
	return odd
}

func (d *flow) Size() solvers.Size { return d.size }

func (d *flow) Advance(ctx context.Context, until, pause float64, steps int) (done bool, err error) {
	d.Pause(pause)
	return false, d.Solver.Advance(ctx, until, steps)
}

func (d *flow) Clock() solvers.Clock {
	return solvers.Clock{Time: d.Time(), Steps: d.Steps(), Dt: d.Dt()}
}

const inAll, inSummary = solvers.Column | solvers.Metric, solvers.Metric

// quantities are what is measured, in the order in which Measure has them.
var quantities = []solvers.Quantity{
	{Name: "mass1", Unit: "m³", Doc: "of the upper layer, ∫h1 dA", In: inAll},
	{Name: "mass2", Unit: "m³", Doc: "of the lower layer, ∫h2 dA", In: inAll},
	{Name: "mass1_drift", Doc: "what the budget leaves unexplained of mass1, as a share", In: inSummary | solvers.Drift},
	{Name: "mass2_drift", Doc: "what the budget leaves unexplained of mass2, as a share", In: inSummary | solvers.Drift},
	{Name: "h1_min", Unit: "m", Doc: "least thickness of the upper layer in a cell, dry ones among them", In: inSummary},
	{Name: "h1_max", Unit: "m", Doc: "greatest thickness of the upper layer in a cell", In: inSummary},
	{Name: "h2_min", Unit: "m", Doc: "least thickness of the lower layer in a cell, dry ones among them", In: inSummary},
	{Name: "h2_max", Unit: "m", Doc: "greatest thickness of the lower layer in a cell", In: inSummary},
	{Name: "speed_max", Unit: "m/s", Doc: "the greatest of either layer, where it is thicker than dry_depth", In: inSummary},
	{Name: "z1_abs_integral", Unit: "m³", Doc: "∫|z1| dA of the surface", In: inSummary},
	{Name: "h2_sq_integral", Unit: "m⁴", Doc: "∫h2² dA of the lower layer, or the only one", In: inSummary},
	{Name: "complex_edges", Doc: "edges at which two layers have a complex pair of waves, summed over all steps so far",
		In: inSummary},
	{Name: "limited_fluxes", Doc: "mass fluxes cut to what the upwind cell had, summed over all steps so far", In: inSummary},
	{Name: "cfl_max", Doc: "the largest CFL number of any step so far, by the waves of that step", In: inSummary},
}

// tableOf is what is measured of a case: with the drift as a column, and what each source brought, where there are any.
func tableOf(start shallow.Diagnostics, layers int) []solvers.Quantity {
	list := slices.Clone(quantities)
	for _, source := range start.Sources {
		for layer := 3 - layers; layer <= 2; layer++ {
			list = append(list, solvers.Quantity{
				Name: fmt.Sprintf("mass%d%s%s", layer, solvers.From, source.Name), Unit: "m³", In: inAll,
				Doc: fmt.Sprintf("what came in of mass%d from %s since the start", layer, source.Name),
			})
		}
	}
	if len(start.Sources) == 0 {
		return list
	}
	for i := range list {
		if list[i].In&solvers.Drift != 0 && (layers == 2 || list[i].Name == "mass2_drift") {
			list[i].In |= solvers.Column
		}
	}
	return list
}

func (d *flow) Measure(ctx context.Context) ([]solvers.Quantity, error) {
	return d.told(d.Diagnose(ctx))
}

func (d *flow) Observed(ctx context.Context) ([]solvers.Quantity, error) {
	return d.told(d.Solver.Observed(ctx))
}

// told is what was measured, in the order of the table.
func (d *flow) told(now shallow.Diagnostics, err error) ([]solvers.Quantity, error) {
	if err != nil {
		return nil, err
	}
	var came1, came2 float64
	var came []float64
	for _, c := range now.Sources {
		came1, came2 = came1+c.V1, came2+c.V2
		if d.c.Sections.(*Sections).Physics.Layers == 2 {
			came = append(came, c.V1)
		}
		came = append(came, c.V2)
	}
	return solvers.Measured(d.table, append([]float64{now.Mass1, now.Mass2, drift(now.Mass1, d.start.Mass1, came1),
		drift(now.Mass2, d.start.Mass2, came2), now.H1Min, now.H1Max, now.H2Min, now.H2Max, now.SpeedMax,
		now.Z1AbsIntegral, now.H2SqIntegral, float64(now.ComplexEdges), float64(now.LimitedFluxes), now.CFLMax},
		came...)...), nil
}

// drift is what is left of a mass's change when what came in is taken off, as a share of the mass at the start, or now
// if that is more; 0 where there never was any.
func drift(now, start, came float64) float64 {
	if now == start && came == 0 {
		return 0
	}
	return (now - start - came) / max(now, start)
}

func (d *flow) Shapes() []solvers.Shape { return nil }

// The fields of two layers and of one, and what the solver calls the latter: one layer is its lower one.
var (
	twoLayers = []solvers.Field{
		{Name: "h1", Unit: "m", Doc: "thickness of the upper layer", Where: "h1"},
		{Name: "h2", Unit: "m", Doc: "thickness of the lower layer", Where: "h2"},
		{Name: "z1", Unit: "m", Doc: "height of the surface above the datum", Where: "h1"},
		{Name: "z2", Unit: "m", Doc: "height of the interface above the datum", Where: "h2"},
		{Name: "u1", Unit: "m/s", Doc: "velocity of the upper layer along x", Where: "h1"},
		{Name: "v1", Unit: "m/s", Doc: "velocity of the upper layer along y", Where: "h1"},
		{Name: "u2", Unit: "m/s", Doc: "velocity of the lower layer along x", Where: "h2"},
		{Name: "v2", Unit: "m/s", Doc: "velocity of the lower layer along y", Where: "h2"},
		{Name: "depth", Unit: "m", Doc: "of the bed below the datum"},
	}
	oneLayer = []solvers.Field{
		{Name: "h", Unit: "m", Doc: "thickness of the layer", Where: "h"},
		{Name: "z", Unit: "m", Doc: "height of the surface above the datum", Where: "h"},
		{Name: "u", Unit: "m/s", Doc: "velocity along x", Where: "h"},
		{Name: "v", Unit: "m/s", Doc: "velocity along y", Where: "h"},
		{Name: "depth", Unit: "m", Doc: "of the bed below the datum"},
	}
)

// maxima are the fields of what is largest since the start.
func maxima() (fields []solvers.Field) {
	for _, m := range shallow.Maxima {
		f := m.Field
		f.Where = "max_h"
		fields = append(fields, f)
	}
	return fields
}

// declared are the fields of so many layers, and names what the solver calls them.
func declared(layers int) (fields []solvers.Field, names []string) {
	if layers == 1 {
		return oneLayer, []string{"h2", "z2", "u2", "v2", "depth"}
	}
	return twoLayers, solvers.FieldNames(twoLayers)
}

func (d *flow) Fields() []solvers.Field {
	fields, names := declared(d.c.Sections.(*Sections).Physics.Layers)
	fields = slices.Clone(fields)
	for i, name := range names {
		fields[i].On = d.cells
		fields[i].Values = func(context.Context) ([]float64, error) { return d.Field(name) }
		fields[i].At = func(_ context.Context, cells []int, values []float64) error {
			for k, cell := range cells {
				values[k] = d.Value(name, cell)
			}
			return nil
		}
	}
	fields = append(fields, d.PeakFields(d.cells)...)
	return append(append(fields, d.StateField(d.cells)), d.BudgetFields()...)
}
