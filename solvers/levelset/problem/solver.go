package problem

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
	"github.com/atoll-hpc/atoll/solvers/levelset"
)

// levelSetCase is the solver of a case on a rank.
type levelSetCase struct {
	levelset.Solver
	block       *domain.Block
	cells       *solvers.Space
	size        solvers.Size
	velocityErr error // the first error in evaluating the time factor of the velocity during steps
	maxEscaped  int64 // the largest number of escaped particles in any measurement
}

func newSolver(ctx context.Context, env solvers.Env, c *config.Case) (solvers.Solver, error) {
	w := c.Sections.(*Sections)
	cfg := w.Method.Config()
	cfg.Halo = env.Halo
	d := &levelSetCase{}
	var err error
	var weigh func(*grid.Grid) (*domain.Weights, error)
	if w.Method.Balance == "particles" {
		weigh = func(g *grid.Grid) (*domain.Weights, error) {
			return countWeights(ctx, env.Comm, g, w.Shape, c.Path, 2*cfg.Particles)
		}
	}
	d.block, err = domain.NewBalancedBlock(ctx, &env, c, &w.Grid, cfg.Ghosts(), weigh, func(*domain.Block) error {
		if err := cfg.Check(); err != nil {
			return fmt.Errorf("[method] %w", err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	v, err := flow.FromCase(ctx, c, &w.Velocity, d.block.Block, env.Comm, &d.velocityErr)
	if err != nil {
		return nil, err
	}
	start, err := distance(ctx, w.Shape, c.Path, d.block.Block)
	if err := solvers.Agree(ctx, env.Comm, err); err != nil {
		return nil, err
	}
	inside := slices.Clone(start) // 1 inside the body, where φ < 0, and -1 outside
	for i, phi := range inside {
		inside[i] = -math.Copysign(1, phi)
	}
	warnings, err := domain.CheckBody(ctx, env.Comm, inside, -1, 1)
	if err != nil {
		return nil, err
	}
	d.Solver, err = levelset.New(ctx, w.Method.Precision, cfg, d.block.Block, d.block.Plan, d.block.Boxes, v, start,
		env.Comm, env.Device)
	if err != nil {
		return nil, err
	}
	if err := logParticleShares(ctx, env.Comm, env.Log, d.ParticleCount()); err != nil {
		d.Solver.Close()
		return nil, err
	}
	d.cells = d.block.Space()
	d.size = d.block.Size(c, d.Bytes(), w.Method.Precision, d.Halo())
	d.size.Warnings = warnings
	return d, nil
}

// distance returns the initial level set on a block, of the shape that the text describes.
func distance(ctx context.Context, text string, path func(string) string, b *grid.Block) ([]float64, error) {
	parsed, failed, err := shape.Parse(text, b.Grid.Dim, path)
	if err != nil {
		return nil, fmt.Errorf("[initial] shape: %w", err)
	}
	v, err := levelset.Distance(ctx, b, parsed)
	if err := cmp.Or(failed(), err); err != nil {
		return nil, fmt.Errorf("[initial] shape: %w", err)
	}
	return v, nil
}

// Size returns the present size: the arrays grow with the number of particles.
func (d *levelSetCase) Size() solvers.Size {
	size := d.size
	size.Bytes = d.Bytes()
	return size
}

func (d *levelSetCase) Advance(ctx context.Context, until, pause float64, steps int) (done bool, err error) {
	d.Pause(pause)
	err = d.Solver.Advance(ctx, until, steps)
	return false, cmp.Or(err, d.velocityErr)
}

func (d *levelSetCase) Clock() solvers.Clock {
	return solvers.Clock{Time: d.Time(), Steps: d.Steps(), Dt: d.Dt()}
}

const everywhere, onlySummary = solvers.Column | solvers.Metric, solvers.Metric

// quantities are the diagnostics, in the order in which Measure returns them.
var quantities = []solvers.Quantity{
	{Name: "volume", Doc: "volume of the body, φ < 0; in the plane its area", Outputs: everywhere, Panel: "volume"},
	{Name: "volume_loss", Doc: "volume lost since the start, as a share of the volume at the start", Outputs: everywhere,
		Error: true},
	{Name: "grad_error", Doc: "the largest ||∇φ| - 1| in the inner half of the band", Outputs: everywhere},
	{Name: "particles", Doc: "number of particles of both signs", Outputs: everywhere},
	{Name: "escaped", Doc: "number of particles on the wrong side by more than [method] escape times their radius",
		Outputs: everywhere, Panel: "escaped particles"},
	{Name: "escaped_max", Doc: "largest number of escaped particles in any row of conservation.csv so far",
		Outputs: onlySummary},
	{Name: "left", Doc: "number of particles that have left the grid since the start", Outputs: everywhere},
	{Name: "deleted", Doc: "number of particles that reseeding has deleted since the start", Outputs: everywhere},
	{Name: "flips", Doc: "number of changes of sign by reinitialisation that were prevented since the start",
		Outputs: everywhere},
	{Name: "l1_error", Doc: "volume that is inside now or at the start, but not both", Outputs: onlySummary, Error: true},
}

func (d *levelSetCase) Measure(ctx context.Context) ([]solvers.Quantity, error) {
	return d.listQuantities(d.Diagnose(ctx))
}

func (d *levelSetCase) Observed(_ context.Context, to *dist.Joint) (dist.Result[[]solvers.Quantity], error) {
	result, err := d.Solver.Observed(to)
	return func(ctx context.Context) ([]solvers.Quantity, error) { return d.listQuantities(result(ctx)) }, err
}

// listQuantities lists diagnostics in the order of quantities.
func (d *levelSetCase) listQuantities(m levelset.Diagnostics, err error) ([]solvers.Quantity, error) {
	if err != nil {
		return nil, err
	}
	d.maxEscaped = max(d.maxEscaped, m.Escaped)
	return solvers.Measured(quantities, m.Volume, m.VolumeLoss, m.GradError, float64(m.Particles), float64(m.Escaped),
		float64(d.maxEscaped), float64(m.Left), float64(m.Deleted), float64(m.Flips), m.Changed), nil
}

// fields are the fields that a case can write.
var fields = []solvers.Field{
	{Name: "phi", Unit: "m", Doc: "distance from the interface, negative inside; beyond the band a constant"},
}

func (d *levelSetCase) Fields() []solvers.Field {
	f := fields[0]
	f.Space, f.View, f.Hashed, f.Saved, f.MaxDistance = d.cells, d.View, true, true, d.Band()
	return append([]solvers.Field{f}, d.ParticleFields()...)
}

func (d *levelSetCase) State(ctx context.Context) ([]solvers.State, error) {
	if err := d.Quiesce(ctx); err != nil {
		return nil, err
	}
	return solvers.HashedState(d.Fields())
}

func (d *levelSetCase) Scalars(ctx context.Context) (map[string]float64, error) {
	scalars, err := d.Solver.Scalars(ctx)
	if err != nil {
		return nil, err
	}
	scalars["escaped_max"] = float64(d.maxEscaped)
	return scalars, nil
}

func (d *levelSetCase) Restore(ctx context.Context, clock solvers.Clock, scalars map[string]float64,
	fill func() error) error {
	d.maxEscaped = int64(scalars["escaped_max"])
	return d.Solver.Restore(ctx, clock, scalars, fill)
}
