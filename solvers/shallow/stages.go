package shallow

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// stage is one of the two steps of Euler that make a step of second order: slopes of all cells, then the fluxes of all
// edges and after them the cells, or tiles.
type stage struct{ slopes, flux, update, tile backend.Loop }

// stage prepares a stage of step k of the turns, from the state w to out.
func (a *arrays[F]) stage(scheme kernels.Scheme, last bool, k int, w, out []kernels.State[F]) stage {
	start, counters := a.state[k%2], &a.counters[0]
	clock, next := &a.clock[k], &a.clock[(k+1)%turns]
	waves, least, spare := &a.least[a.wavesOf(k)], &a.least[(k+1)%turns], &a.least[(k+2)%turns]
	return stage{
		slopes: kernels.NewCellSlopesLoop(&a.params, &a.mesh, w, a.slopes),
		flux:   kernels.NewSlopedFluxLoop(scheme, &a.params, &a.mesh, clock, a.slopes, a.flux, counters),
		update: kernels.NewStageCellLoop(last, &a.params, &a.mesh, clock, start, w, a.slopes, a.flux, a.manning,
			&a.force, out,
			least),
		tile: kernels.NewTileStageLoop(scheme, last, &a.params, &a.tiles, clock, next, waves, spare, start, w, a.slopes,
			a.manning, &a.force, out, counters, least),
	}
}

// outs is where the stages of step k of the turns leave their states.
func (s *solver[F]) outs(k int) [2][]kernels.State[F] {
	return [2][]kernels.State[F]{s.between, s.state[1-k%2]}
}

// sweepStages takes a step of second order. In each stage the slopes of core cells are computed while the ghosts of its
// state arrive, and fluxes between owned cells while the slopes of ghosts arrive: these are sent, since a rank has not
// the neighbours of its ghosts.
func (s *solver[F]) sweepStages(ctx context.Context, l loops) error {
	s.rub(l, 0, s.part.Owned)
	for k, out := range s.outs(s.now) {
		stage := l.stages[k]
		s.present(l, k)
		if k == 1 {
			s.move(l)
		}
		s.dev.Run(stage.slopes, 0, s.part.Core)
		s.lap(inSlopes)
		if err := s.settle(ctx); err != nil {
			return err
		}
		s.lap(inHalo)
		if k == 0 {
			s.rub(l, s.part.Owned, len(s.between))
		}
		s.dev.Run(stage.slopes, s.part.Core, s.part.Owned)
		s.lap(inSlopes)
		if err := s.fluxes(ctx, stage.flux); err != nil {
			return err
		}
		if err := s.updates(ctx, stage.update, out); err != nil {
			return err
		}
	}
	return nil
}

// rub takes cells, ghosts too, through the friction of the first half of the step.
func (s *solver[F]) rub(l loops, lo, hi int) {
	if s.params.Friction {
		s.dev.Run(l.friction, lo, hi)
	}
}

// sweepTiledStages does the same by tiles. Slopes leave while those of core cells are computed, and boundary cells
// while the tiles of core cells are.
func (s *solver[F]) sweepTiledStages(ctx context.Context, l loops) error {
	for k, out := range s.outs(s.now) {
		stage := l.stages[k]
		s.present(l, k)
		if k == 1 {
			s.move(l)
		}
		if err := s.settle(ctx); err != nil {
			return err
		}
		s.lap(inHalo)
		if k == 0 {
			s.rub(l, 0, len(s.between))
		}
		s.dev.Run(stage.slopes, s.part.Core, s.part.Owned)
		if err := s.tilts.Start(ctx, s.slopes); err != nil {
			return err
		}
		s.dev.Run(stage.slopes, 0, s.part.Core)
		s.lap(inSlopes)
		if err := s.arrive(ctx); err != nil {
			return err
		}
		s.dev.Run(stage.tile, s.core, s.ntiles)
		s.lap(inUpdate)
		if err := s.leave(ctx, out); err != nil {
			return err
		}
		s.lap(inHalo)
		s.dev.Run(stage.tile, 0, s.core)
		s.lap(inUpdate)
		if err := s.ghosts.Send(ctx); err != nil {
			return err
		}
	}
	return nil
}

// arrive completes the exchange of slopes.
func (s *solver[F]) arrive(ctx context.Context) error {
	if err := s.tilts.Send(ctx); err != nil {
		return err
	}
	err := s.tilts.Finish(ctx)
	s.lap(inHalo)
	return err
}

// queueStages queues step k of the turns for devices that need no host. A device alone has nothing to exchange.
func (s *solver[F]) queueStages(ctx context.Context, k int) error {
	l := s.loops[k]
	s.rub(l, 0, len(s.between))
	for n, out := range s.outs(k) {
		stage := l.stages[n]
		s.present(l, n)
		if n == 1 {
			s.move(l)
		}
		if s.linked == nil {
			s.dev.Run(stage.slopes, 0, s.part.Owned)
			s.dev.Run(stage.tile, 0, s.ntiles)
			continue
		}
		err := s.linked.Fork(func() error {
			s.dev.Run(stage.slopes, s.part.Core, s.part.Owned)
			return s.tilts.Start(ctx, s.slopes)
		})
		if err != nil {
			return err
		}
		s.dev.Run(stage.slopes, 0, s.part.Core)
		if err := s.tilts.Finish(ctx); err != nil {
			return err
		}
		err = s.linked.Fork(func() error {
			s.dev.Run(stage.tile, s.core, s.ntiles)
			return s.linked.Start(ctx, out)
		})
		if err != nil {
			return err
		}
		s.dev.Run(stage.tile, 0, s.core)
		if err := s.linked.Finish(ctx); err != nil {
			return err
		}
	}
	return nil
}

// fluxes computes all fluxes, those between owned cells while the slopes of ghosts arrive.
func (s *solver[F]) fluxes(ctx context.Context, flux backend.Loop) error {
	if err := s.tilts.Start(ctx, s.slopes); err != nil {
		return err
	}
	s.lap(inHalo)
	s.dev.Run(flux, 0, s.inner)
	s.lap(inFlux)
	if err := s.arrive(ctx); err != nil {
		return err
	}
	s.dev.Run(flux, s.inner, len(s.mesh.Ends))
	s.lap(inFlux)
	return nil
}
