package problem

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
	"github.com/atoll-hpc/atoll/solvers/levelset"
)

func newSolver(ctx context.Context, env solvers.Env, c *config.Case) (solvers.Solver, error) {
	w := c.Sections.(*Sections)
	cfg := w.Method.Config()
	var costs func(*grid.Grid) (*partition.Bins, error)
	if w.Method.Balance == "particles" {
		costs = func(g *grid.Grid) (*partition.Bins, error) {
			return costsOf(cfg.Particles).Of(ctx, env.Comm, g, w.Shape, c.Path)
		}
	}
	block, err := domain.NewBalancedBlock(ctx, &env, c, &w.Grid, cfg.Ghosts(), costs, func(*domain.Block) error {
		if err := cfg.Check(w.Grid.Dim); err != nil {
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
	var body *shape.Body
	body, at.Start, err = distance(ctx, w.Shape, c.Path, block.Block)
	if err := solvers.Agree(ctx, env.Comm, err); err != nil {
		return nil, err
	}
	if cfg.Particles > 0 {
		share := block.Counts()
		share.InterfaceCells = countSeeded(block.Block, at.Start)
		if err := env.CheckMemory(ctx, c, share); err != nil {
			return nil, err
		}
	}
	at.Size = block.Size(c, 0, w.Method.Precision, "")
	if at.Size.Warnings, err = checkBody(ctx, env.Comm, block.Block, body, at.Start); err != nil {
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
