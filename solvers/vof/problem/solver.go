package problem

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
	"github.com/atoll-hpc/atoll/solvers/vof"
)

// caseSolver is the solver of a case on a rank.
type caseSolver struct {
	vof.Solver
	block     *domain.Block
	cells     *solvers.Space
	size      solvers.Size
	factorErr error // the first error in evaluating the time factor of the velocity during steps

	comm   dist.Comm
	exact  *surface // the exact interface at the end; nil if it is not smooth
	curved bool     // the case outputs curvatures or their errors
}

func newSolver(ctx context.Context, env solvers.Env, c *config.Case) (solvers.Solver, error) {
	w := c.Sections.(*Sections)
	cfg := methodOf(c)
	cfg.Halo = env.Halo
	d := &caseSolver{comm: env.Comm, curved: cfg.Curvature}
	var err error
	d.block, err = domain.NewBlock(ctx, &env, c, &w.Grid, cfg.Ghosts(w.Grid.Dim), func(b *domain.Block) error {
		if err := cmp.Or(cfg.Check(b.Block), cfg.CheckPlan(b.Plan)); err != nil {
			return fmt.Errorf("[method] %w", err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	v, err := flow.FromCase(ctx, c, &w.Velocity, d.block.Block, env.Comm, &d.factorErr)
	if err != nil {
		return nil, err
	}
	f, warnings, err := fractions(ctx, env.Comm, "[initial]", &w.Initial, c.Path, d.block.Block)
	if err != nil {
		return nil, err
	}
	var exact []float64
	if w.Exact != nil {
		var more []string
		if exact, more, err = fractions(ctx, env.Comm, "[exact]", w.Exact, c.Path, d.block.Block); err != nil {
			return nil, err
		}
		warnings = append(warnings, more...)
	}
	d.Solver, err = vof.New(ctx, w.Method.Precision, cfg, d.block.Block, d.block.Plan, v, f, env.Comm, env.Device)
	if err != nil {
		return nil, err
	}
	if exact != nil {
		if err := d.SetReference(ctx, exact); err != nil {
			d.Close()
			return nil, err
		}
	}
	if err := d.setExact(c); err != nil {
		d.Close()
		return nil, err
	}
	d.cells = d.block.Space()
	d.size = d.block.Size(c, d.Bytes(), w.Method.Precision, d.Halo())
	d.size.Warnings = warnings
	return d, nil
}

// setExact sets the exact interface at the end: that of the case, or the initial one. Bodies from STL files have none,
// since their normals are discontinuous.
func (d *caseSolver) setExact(c *config.Case) error {
	w := c.Sections.(*Sections)
	text := w.Initial.Shape
	if w.Exact != nil {
		text = w.Exact.Shape
	}
	if strings.Contains(text, "stl(") {
		return nil
	}
	g := d.block.Grid
	body, _, err := shape.Parse(text, g.Dim, c.Path)
	if err != nil {
		return err
	}
	d.exact = &surface{body: body, dim: g.Dim, width: g.Spacing(0)}
	for axis := 1; axis < g.Dim; axis++ {
		d.exact.width = min(d.exact.width, g.Spacing(axis))
	}
	return nil
}

// methodOf returns the configuration of the solver, including what the outputs need.
func methodOf(c *config.Case) vof.Config {
	cfg := c.Sections.(*Sections).Method.Config()
	cfg.Curvature = slices.Contains(c.Output.Fields, "curvature") || slices.Contains(c.Output.Fields, "curvature_error")
	return cfg
}

// fractions computes the volume fractions of a block for a section of the case, with warnings, the same on all ranks.
func fractions(ctx context.Context, comm dist.Comm, section string, v *Initial, path func(string) string,
	b *grid.Block) (f []float64, warnings []string, err error) {
	body, failed, err := shape.Parse(v.Shape, b.Grid.Dim, path)
	if err == nil {
		levels := v.Levels
		if v.Fractions == "quadrature" {
			levels = -1
		}
		f, err = shape.Fill(ctx, b, body, levels, v.Leaf == "plane")
		err = cmp.Or(failed(), err)
	}
	if err != nil {
		err = fmt.Errorf("%s shape: %w", section, err)
	}
	if err := solvers.Agree(ctx, comm, err); err != nil {
		return nil, nil, err
	}
	warnings, err = domain.CheckBody(ctx, comm, section+" shape", &body, f)
	return f, warnings, err
}

func (d *caseSolver) Size() solvers.Size { return d.size }

func (d *caseSolver) Advance(ctx context.Context, until, pause float64, steps int) (done bool, err error) {
	d.Pause(pause)
	err = d.Solver.Advance(ctx, until, steps)
	return false, cmp.Or(err, d.factorErr)
}

// Quiesce has nothing to wait for: reading a view waits for the device.
func (d *caseSolver) Quiesce(context.Context) error { return nil }

func (d *caseSolver) Clock() solvers.Clock {
	return solvers.Clock{Time: d.Time(), Steps: d.Steps(), Dt: d.Dt()}
}

const inAll, inSummary = solvers.Column | solvers.Metric, solvers.Metric

// quantities are the diagnostics, in the order in which Measure returns them.
var quantities = []solvers.Quantity{
	{Name: "volume", Doc: "volume of the fluid; in the plane its area", Outputs: inAll},
	{Name: "volume_drift", Doc: "relative change of the volume since the start", Outputs: inAll | solvers.Drift},
	{Name: "bound_excess", Doc: "largest excess of f over [0, 1]; f is not clipped", Outputs: inAll},
	{Name: "mixed_cells", Doc: "number of cells with 2⁻⁴⁶ < f < 1 - 2⁻⁴⁶ (float32: 2⁻¹⁷)",
		Outputs: inAll},
	{Name: "interface_size", Doc: "total length of the lines in mixed cells, in space area of the planes", Outputs: inAll},
	{Name: "cfl_sum", Doc: "the largest CFL number of any step so far, Σ|u|dt/h over the axes of a cell", Outputs: inAll},
	{Name: "cfl_axis", Doc: "the largest CFL number of any step so far, |u|dt/h along one axis", Outputs: inAll},
	{Name: "divergence_max", Unit: "1/s", Doc: "the largest |divergence| of the velocity in a cell, at a factor of 1",
		Outputs: inAll},
	{Name: "l1_error", Doc: "Σ|f - exact| dV, against [exact] or the start", Outputs: inSummary, Error: true},
	{Name: "rel_error", Doc: "l1_error divided by the exact volume", Outputs: inSummary, Error: true},
}

func (d *caseSolver) Measure(ctx context.Context) ([]solvers.Quantity, error) {
	return quantitiesOf(d.Diagnose(ctx))
}

func (d *caseSolver) Observed(_ context.Context, to *dist.Joint) (dist.Result[[]solvers.Quantity], error) {
	result, err := d.Solver.Observed(to)
	return func(ctx context.Context) ([]solvers.Quantity, error) {
		all, err := quantitiesOf(result(ctx))
		// It does not measure errors.
		return slices.DeleteFunc(all, func(q solvers.Quantity) bool { return q.Outputs&solvers.Column == 0 }), err
	}, err
}

// quantitiesOf returns the quantities with the values of the diagnostics.
func quantitiesOf(d vof.Diagnostics, err error) ([]solvers.Quantity, error) {
	if err != nil {
		return nil, err
	}
	return solvers.Measured(quantities, d.Volume, d.VolumeDrift, d.BoundExcess, float64(d.MixedCells),
		d.InterfaceSize, d.CFLSum, d.CFLAxis, d.DivergenceMax, d.L1Error, d.RelError), nil
}

// fields are the fields that a case can write.
var fields = []solvers.Field{
	{Name: "f", Doc: "volume fraction of the fluid", Range: &[2]float64{0, 1}},
	{Name: "normal", Doc: "unit normal of the interface, out of the fluid; 0 in cells without an interface",
		Components: []string{"nx", "ny", "nz"}, OnRequest: true},
	{Name: "alpha", Unit: "m", Doc: "the fluid is where n·x ≤ alpha, x from the lowest corner of the cell",
		OnRequest: true},
	{Name: "curvature", Unit: "1/m", Doc: "of the interface: 1/r of a disk, 2/r of a ball", OnRequest: true},
	{Name: "normal_error", Doc: "|normal - exact|, relative to the expected final body; 0 in cells without",
		OnRequest: true},
	{Name: "curvature_error", Unit: "1/m", Doc: "|curvature - exact| likewise", OnRequest: true},
}

func (d *caseSolver) Fields() []solvers.Field {
	list := slices.Clone(fields)
	for i := range list {
		list[i].Space = d.cells
		if list[i].Name == "f" {
			list[i].View, list[i].Hashed, list[i].Saved = d.View, true, true
			continue
		}
		if curved := list[i].Name == "curvature_error"; curved || list[i].Name == "normal_error" {
			list[i].Values = func(ctx context.Context) ([]float64, error) { return d.shownErrors(ctx, curved) }
			continue
		}
		numbers := list[i].Numbers()
		if len(numbers) > 1 {
			numbers = numbers[:d.block.Grid.Dim]
			list[i].Components = numbers
		}
		list[i].Values = func(ctx context.Context) ([]float64, error) { return d.values(ctx, numbers) }
		list[i].ValuesAt = func(ctx context.Context, cells []int, values []float64) error {
			return d.Probe(ctx, numbers, cells, values)
		}
	}
	return list
}

// values returns fields of all cells of the block, cell by cell.
func (d *caseSolver) values(ctx context.Context, names []string) ([]float64, error) {
	if len(names) == 1 {
		return d.Field(ctx, names[0])
	}
	values := make([]float64, d.block.Cells()*len(names))
	for k, name := range names {
		v, err := d.Field(ctx, name)
		if err != nil {
			return nil, err
		}
		for i, x := range v {
			values[i*len(names)+k] = x
		}
	}
	return values, nil
}
