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

func newSolver(ctx context.Context, env solvers.Env, c *config.Case) (solvers.Solver, error) {
	w := c.Sections.(*Sections)
	cfg := methodOf(c)
	block, err := domain.NewBlock(ctx, &env, c, &w.Grid, cfg.Ghosts(w.Grid.Dim), func(b *domain.Block) error {
		if err := cmp.Or(cfg.Check(b.Block), cfg.CheckPlan(b.Plan)); err != nil {
			return fmt.Errorf("[method] %w", err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	at := vof.Setting{Block: block, Size: block.Size(c, 0, w.Method.Precision, ""), FlowError: new(error)}
	if at.Flow, err = flow.FromCase(ctx, c, &w.Velocity, block.Block, env.Comm, at.FlowError); err != nil {
		return nil, err
	}
	at.Start, at.Size.Warnings, err = fractions(ctx, env.Comm, "[initial]", &w.Initial, c.Path, block.Block)
	if err != nil {
		return nil, err
	}
	if w.Exact != nil {
		var more []string
		if at.Exact, more, err = fractions(ctx, env.Comm, "[exact]", w.Exact, c.Path, block.Block); err != nil {
			return nil, err
		}
		at.Size.Warnings = append(at.Size.Warnings, more...)
	}
	if at.Final, err = finalBody(c); err != nil {
		return nil, err
	}
	e, err := vof.New(ctx, env, w.Method.Precision, cfg, at)
	if err != nil {
		return nil, err // and no solver that is a nil pointer
	}
	return e, nil
}

// finalBody returns the exact body at the end: that of the case, or the initial one. Bodies from STL files have none,
// since their normals are discontinuous.
func finalBody(c *config.Case) (*shape.Body, error) {
	w := c.Sections.(*Sections)
	text := w.Initial.Shape
	if w.Exact != nil {
		text = w.Exact.Shape
	}
	if strings.Contains(text, "stl(") {
		return nil, nil
	}
	body, _, err := shape.Parse(text, w.Grid.Dim, c.Path)
	return &body, err
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
