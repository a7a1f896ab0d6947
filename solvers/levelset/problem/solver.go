package problem

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/balance"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
	"github.com/atoll-hpc/atoll/solvers/levelset"
)

func newSolver(ctx context.Context, env solvers.Env, c *config.Case) (solvers.Solver, error) {
	w := c.Sections.(*Sections)
	cfg := w.Method.Config()
	var costs func(*grid.Grid) (*partition.Bins, error)
	if w.Method.Balance == "particles" && cfg.Particles > 0 {
		costs = func(g *grid.Grid) (*partition.Bins, error) {
			return costsOf(cfg, g.Dim).Of(ctx, env.Comm, g, w.Shape, c.Path)
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
	p := &builder{env: env, c: c, cfg: cfg}
	var s balance.Inner
	if _, separate := env.Device.(backend.Memory); moves(w, env.Comm.Size(), separate) {
		s, err = balance.New(ctx, env, block, balance.Problem{Every: w.Method.Rebalance, Price: stepsOfMove, Build: p.build,
			Fits: p.fits})
	} else {
		s, err = p.build(ctx, block, nil)
	}
	if err != nil {
		return nil, err // and no solver that is a nil pointer
	}
	particles := s.Model().(interface{ ParticleCount() int64 }).ParticleCount()
	if err := logParticleShares(ctx, env.Comm, env.Log, particles); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// moves reports whether blocks move: those of several ranks on processors, unless the case says how the grid is
// divided. On a GPU a move takes as long as hundreds of steps, since the state goes through the host's memory.
func moves(w *Sections, ranks int, separate bool) bool {
	return w.Method.Rebalance > 0 && w.Method.Balance != "cells" && ranks > 1 && !separate && w.Grid.Blocks == [3]int{}
}

// builder makes the solver of a case on blocks.
type builder struct {
	env solvers.Env
	c   *config.Case
	cfg levelset.Config
}

// build makes the solver on a block, from the case if carried is nil.
func (p *builder) build(ctx context.Context, block *domain.Block, carried *balance.Carried) (balance.Inner, error) {
	w := p.c.Sections.(*Sections)
	at := levelset.Setting{Block: block, FlowError: new(error), Carried: carried}
	var err error
	if at.Flow, err = flow.FromCase(ctx, p.c, &w.Velocity, block.Block, p.env.Comm, at.FlowError); err != nil {
		return nil, err
	}
	at.Size = block.Size(p.c, 0, w.Method.Precision, "")
	if carried != nil {
		cpu.ReleaseMemory() // of what blocks have saved and sent
	} else if err := p.start(ctx, &at); err != nil {
		return nil, err
	}
	s, err := levelset.New(ctx, p.env, w.Method.Precision, p.cfg, at)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// start sets the initial state on a block.
func (p *builder) start(ctx context.Context, at *levelset.Setting) (err error) {
	text, comm := p.c.Sections.(*Sections).Shape, p.env.Comm
	var body *shape.Body
	body, at.Start, err = distance(ctx, text, p.c.Path, at.Block.Block)
	if err := solvers.Agree(ctx, comm, err); err != nil {
		return err
	}
	if p.cfg.Particles > 0 {
		share := at.Block.Counts()
		share.InterfaceCells = countSeeded(at.Block.Block, at.Start)
		if err := p.env.CheckMemory(ctx, p.c, share); err != nil {
			return err
		}
	}
	at.Size.Warnings, err = checkBody(ctx, comm, at.Block.Block, body, at.Start)
	return err
}

// fits returns an error if a block of an amount of work has more neighbours than particles allow, or needs more memory
// than its device has, together with present bytes of arrays.
func (p *builder) fits(block *domain.Block, work, present int64) error {
	share := block.Counts()
	_, share.SeparateMemory = p.env.Device.(backend.Memory)
	if n := int64(p.cfg.Particles); n > 0 {
		if err := levelset.CheckNeighbours(block); err != nil {
			return err
		}
		share.InterfaceCells = int(work / (2 * n * p.cfg.Work(block.Grid.Dim).Particle))
	}
	need := arrayBytes(p.c, share) - present
	return solvers.CheckDeviceMemory(p.env.Device, max(0, need), max(1, p.env.RanksOnDevice))
}
