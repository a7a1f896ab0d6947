package problem

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
	"github.com/atoll-hpc/atoll/solvers/levelset"
)

func newSolver(ctx context.Context, env solvers.Env, c *config.Case) (solvers.Solver, error) {
	w := c.Sections.(*Sections)
	cfg := w.Method.Config()
	var weigh func(*grid.Grid) (*domain.Weights, error)
	if w.Method.Balance == "particles" {
		weigh = func(g *grid.Grid) (*domain.Weights, error) {
			return countWeights(ctx, env.Comm, g, w.Shape, c.Path, 2*cfg.Particles)
		}
	}
	block, err := domain.NewBalancedBlock(ctx, &env, c, &w.Grid, cfg.Ghosts(), weigh, func(*domain.Block) error {
		if err := cfg.Check(); err != nil {
			return fmt.Errorf("[method] %w", err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	at := levelset.Setting{Block: block, FlowError: new(error)}
	if at.Flow, err = flow.FromCase(ctx, c, &w.Velocity, block.Block, env.Comm, at.FlowError); err != nil {
		return nil, err
	}
	at.Start, err = distance(ctx, w.Shape, c.Path, block.Block)
	if err := solvers.Agree(ctx, env.Comm, err); err != nil {
		return nil, err
	}
	inside := slices.Clone(at.Start) // 1 inside the body, where φ < 0, and -1 outside
	for i, phi := range inside {
		inside[i] = -math.Copysign(1, phi)
	}
	at.Size = block.Size(c, 0, w.Method.Precision, "")
	if at.Size.Warnings, err = domain.CheckBody(ctx, env.Comm, inside, -1, 1); err != nil {
		return nil, err
	}
	s, err := levelset.New(ctx, env, w.Method.Precision, cfg, at)
	if err != nil {
		return nil, err
	}
	particles := s.Model().(interface{ ParticleCount() int64 }).ParticleCount()
	if err := logParticleShares(ctx, env.Comm, env.Log, particles); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
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
