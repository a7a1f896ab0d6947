package problem

import (
	"cmp"
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
	"github.com/atoll-hpc/atoll/solvers/twophase"
	"github.com/atoll-hpc/atoll/solvers/twophase/solid"
)

func newSolver(ctx context.Context, env solvers.Env, c *config.Case) (solvers.Solver, error) {
	w := c.Sections.(*Sections)
	cfg := w.Config()
	var failed func() error
	var err error
	if cfg.Solid, failed, err = solids(w.Solids, w.Grid.Dim, c.Path); err != nil {
		return nil, err
	}
	if err := solvers.Agree(ctx, env.Comm, w.setFunctions(c, &cfg)); err != nil {
		return nil, err
	}
	divide := func(g *grid.Grid) (domain.Division, error) { return twophase.Divide(g), nil }
	block, err := domain.NewDividedBlock(ctx, &env, c, &w.Grid, twophase.Ghosts, divide, func(b *domain.Block) error {
		if err := cfg.Check(b.Grid); err != nil {
			return fmt.Errorf("[grid] %w", err)
		}
		if err := cfg.CheckSides(b.Grid); err != nil {
			return fmt.Errorf("[sides] %w", err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	at := twophase.Setting{Block: block, Velocity: velocityOf(w.Initial.Velocity[:w.Grid.Dim])}
	if w.Initial.Body != nil {
		at.Body = velocityOf(w.Initial.Body)
	}
	at.Size = block.Size(c, 0, w.Method.Precision, "")
	at.Fractions = make([]float64, block.Cells())
	if w.Initial.Shape != "" {
		var body *shape.Body
		body, at.Fractions, err = fractions(ctx, w.Initial.Shape, c.Path, block.Block, w.Rings)
		if err := solvers.Agree(ctx, env.Comm, err); err != nil {
			return nil, err
		}
		if at.Size.Warnings, err = domain.CheckBody(ctx, env.Comm, "[initial] shape", body, at.Fractions); err != nil {
			return nil, err
		}
	}
	s, err := twophase.New(ctx, env, w.Method.Precision, cfg, at)
	if err != nil {
		return nil, err
	}
	if err := solvers.Agree(ctx, env.Comm, failed()); err != nil {
		s.Close()
		return nil, fmt.Errorf("[[solid]] shape: %w", err)
	}
	return s, nil
}

// solids returns the union of the bodies that texts describe, nil if there are none; failed returns the error of an
// expression that could not be evaluated.
func solids(texts []string, dim int, path func(string) string) (s *solid.Solid, failed func() error, err error) {
	var bodies []shape.Body
	var errs []func() error
	failed = func() (err error) {
		for _, f := range errs {
			err = cmp.Or(err, f())
		}
		return err
	}
	for _, text := range texts {
		b, f, err := shape.Parse(text, dim, path)
		if err != nil {
			return nil, failed, fmt.Errorf("[[solid]] shape: %w", err)
		}
		bodies, errs = append(bodies, b), append(errs, f)
	}
	if len(bodies) == 0 {
		return nil, failed, nil
	}
	all := shape.Union(bodies...)
	return &solid.Solid{Phi: all.Phi, Slope: all.Slope}, failed, nil
}

// fractions computes the volume fractions of a body in the cells of a block, which may be rings.
func fractions(ctx context.Context, text string, path func(string) string, b *grid.Block, rings bool) (*shape.Body,
	[]float64, error) {
	body, failed, err := shape.Parse(text, b.Grid.Dim, path)
	if err != nil {
		return nil, nil, fmt.Errorf("[initial] shape: %w", err)
	}
	levels := -1 // quadrature
	if shape.MixesSTL(text) {
		levels = 3
	}
	fill := func(b *grid.Block) ([]float64, error) { return shape.Fill(ctx, b, body, levels, true) }
	f, err := fill(b)
	if rings {
		f, err = twophase.RingFractions(b, fill)
	}
	if err := cmp.Or(failed(), err); err != nil {
		return nil, nil, fmt.Errorf("[initial] shape: %w", err)
	}
	return &body, f, nil
}

// velocityOf evaluates the components of a velocity.
func velocityOf(fields []config.Field) func(x, y, z float64, d int) (float64, error) {
	return func(x, y, z float64, d int) (float64, error) { return fields[d].Program.Eval(x, y, z, 0) }
}
