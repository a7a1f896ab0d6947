package shallow

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/shallow/bands"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// stage is one of the two Euler stages of a step of second order: slopes of all cells, then the fluxes of all edges
// and the cells, or tiles.
type stage struct {
	slopes, flux, update  backend.Loop // by cells; by tiles, slopes computes those that are sent
	table, received, tile backend.Loop // by tiles
}

// stage prepares a stage of step k of the cycle, from state w to out.
func (a *arrays[F]) stage(scheme kernels.Scheme, last bool, k cycleStep, w, out []kernels.State[F]) stage {
	start, counters := a.state[k.from()], &a.counters[0]
	clock, next := &a.clock[k], &a.clock[k.plus(1)]
	limit, nextLimit, cleared := a.limits(k)
	oneLayer := scheme == kernels.OneLayer
	st := stage{
		slopes: kernels.NewCellSlopesLoop(oneLayer, &a.params, &a.mesh, w, a.slopes),
		flux:   kernels.NewSlopedFluxLoop(scheme, &a.params, &a.mesh, clock, a.slopes, a.flux, counters),
		update: kernels.NewStageCellLoop(last, oneLayer, &a.params, &a.mesh, clock, start, w, a.slopes, a.flux, a.manning,
			&a.forcing, out, nextLimit),
		table:    kernels.NewTableSlopesLoop(oneLayer, &a.params, &a.mesh, w, &a.slopeTable),
		received: kernels.NewTableReceivedLoop(oneLayer, a.slopes, &a.slopeTable),
		tile: kernels.NewTileStageLoop(scheme, last, &a.params, &a.tiles, clock, next, limit, cleared, start, w,
			&a.slopeTable, a.manning, &a.forcing, out, counters, nextLimit),
	}
	if _, separate := a.allocated.Device.(backend.Memory); !separate {
		m := &a.mesh
		st.slopes = backend.Preload(st.slopes, backend.ElementsOf(m.Stencils), backend.ElementsOf(w))
		st.flux = backend.Preload(st.flux, backend.ElementsOf(m.EdgeCells), backend.ElementsOf(m.Normals),
			backend.ElementsOf(m.Arms))
		st.update = backend.Preload(st.update, backend.ElementsOf(m.CellEdges), backend.ElementsOf(start),
			backend.ElementsOf(out))
	}
	return st
}

// stageOutputs are the states after the stages of step k of the cycle.
func (s *solver[F]) stageOutputs(k cycleStep) [2][]kernels.State[F] {
	return [2][]kernels.State[F]{s.middle, s.state[k.to()]}
}

// sweepStages takes a step of second order. In each stage core cells are updated, as far as they do not depend on
// ghosts, while ghosts arrive and while the slopes of ghosts arrive. Slopes of ghosts are exchanged, since a rank does
// not have all neighbours of its ghosts.
func (s *solver[F]) sweepStages(ctx context.Context, l loops) error {
	for k, out := range s.stageOutputs(s.now) {
		stage := l.stages[k]
		if err := s.evaluateSeries(ctx, l, k); err != nil {
			return err
		}
		if k == 1 {
			s.moveBed(l)
		}
		loops := [bands.Kernels]backend.Loop{stage.slopes, stage.flux, stage.update}
		s.runBands(s.bands.Early, loops)
		if err := s.finishExchange(ctx); err != nil {
			return err
		}
		s.lap(inHalo)
		s.dev.Run(stage.slopes, s.part.Core, s.part.Owned)
		s.lap(inSlopes)
		if err := s.slopeGhosts.Start(ctx, s.slopes); err != nil {
			return err
		}
		s.lap(inHalo)
		s.runBands(s.bands.Late, loops)
		s.runBands(s.bands.Fluxes, loops)
		s.runBands(s.bands.Updates, loops)
		if err := s.finishSlopes(ctx); err != nil {
			return err
		}
		if err := s.updateBoundary(ctx, stage.flux, stage.update, out); err != nil {
			return err
		}
	}
	return nil
}

// sweepTiledStages takes a step of second order by tiles. Slopes of boundary cells are sent while those of core cells
// are computed, and boundary cells while the tiles of core cells are updated.
func (s *solver[F]) sweepTiledStages(ctx context.Context, l loops) error {
	for k, out := range s.stageOutputs(s.now) {
		stage := l.stages[k]
		if err := s.evaluateSeries(ctx, l, k); err != nil {
			return err
		}
		if k == 1 {
			s.moveBed(l)
		}
		if err := s.finishExchange(ctx); err != nil {
			return err
		}
		s.lap(inHalo)
		if err := s.tableSlopes(ctx, stage); err != nil {
			return err
		}
		s.dev.Run(stage.tile, s.coreTiles, s.ntiles)
		s.lap(inUpdate)
		if err := s.startExchange(ctx, out); err != nil {
			return err
		}
		s.lap(inHalo)
		s.dev.Run(stage.tile, 0, s.coreTiles)
		s.lap(inUpdate)
		if err := s.ghosts.Send(ctx); err != nil {
			return err
		}
	}
	return nil
}

// tableSlopes writes the slopes of all cells to the slope table that tile kernels read, those of ghosts when they have
// arrived.
func (s *solver[F]) tableSlopes(ctx context.Context, stage stage) error {
	if s.slopes == nil {
		s.dev.Run(stage.table, 0, s.part.Owned)
		s.lap(inSlopes)
		return nil
	}
	s.dev.Run(stage.slopes, s.part.Core, s.part.Owned)
	if err := s.slopeGhosts.Start(ctx, s.slopes); err != nil {
		return err
	}
	s.dev.Run(stage.table, 0, s.part.Owned)
	s.lap(inSlopes)
	err := s.finishSlopes(ctx)
	s.dev.Run(stage.received, s.part.Owned, len(s.slopes))
	return err
}

// finishSlopes completes the exchange of slopes.
func (s *solver[F]) finishSlopes(ctx context.Context) error {
	if err := s.slopeGhosts.Send(ctx); err != nil {
		return err
	}
	err := s.slopeGhosts.Finish(ctx)
	s.lap(inHalo)
	return err
}

// queueStages queues step k of the cycle on devices that exchange ghosts without the host: linked ones, or a single
// one, which exchanges nothing.
func (s *solver[F]) queueStages(ctx context.Context, k cycleStep) error {
	l := s.loops[k]
	for n, out := range s.stageOutputs(k) {
		stage := l.stages[n]
		if err := s.evaluateSeries(ctx, l, n); err != nil {
			return err
		}
		if n == 1 {
			s.moveBed(l)
		}
		if s.linked == nil {
			s.dev.Run(stage.table, 0, s.part.Owned)
			s.dev.Run(stage.tile, 0, s.ntiles)
			continue
		}
		err := s.linked.Fork(func() error {
			s.dev.Run(stage.slopes, s.part.Core, s.part.Owned)
			return s.slopeGhosts.Start(ctx, s.slopes)
		})
		if err != nil {
			return err
		}
		s.dev.Run(stage.table, 0, s.part.Owned)
		if err := s.slopeGhosts.Finish(ctx); err != nil {
			return err
		}
		s.dev.Run(stage.received, s.part.Owned, len(s.slopes))
		err = s.linked.Fork(func() error {
			s.dev.Run(stage.tile, s.coreTiles, s.ntiles)
			return s.linked.Start(ctx, out)
		})
		if err != nil {
			return err
		}
		s.dev.Run(stage.tile, 0, s.coreTiles)
		if err := s.linked.Finish(ctx); err != nil {
			return err
		}
	}
	return nil
}
