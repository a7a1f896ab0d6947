package shallow

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// stage is one of the two steps of Euler that make a step of second order: slopes of all cells, fluxes of all edges,
// and then the cells.
type stage struct{ slopes, flux, update backend.Loop }

// stage prepares one that takes the state w to out, in a step that began with start.
func (a *arrays[F]) stage(scheme kernels.Scheme, last bool, clock *kernels.Clock[F], start, w, out []kernels.State[F],
	least *atomics.Least[F]) stage {
	return stage{
		slopes: kernels.NewCellSlopesLoop(&a.params, &a.mesh, w, a.slopes),
		flux:   kernels.NewSlopedFluxLoop(scheme, &a.params, &a.mesh, clock, w, a.slopes, a.flux, &a.counters[0]),
		update: kernels.NewStageCellLoop(last, &a.params, &a.mesh, clock, start, w, a.slopes, a.flux, a.manning, out,
			least),
	}
}

// sweepStages takes a step of second order. In each stage the slopes of core cells are computed while the ghosts of its
// state arrive, and fluxes between owned cells while the slopes of ghosts arrive: these are sent, since a rank has not
// the neighbours of its ghosts.
func (s *solver[F]) sweepStages(ctx context.Context, l loops) error {
	core, owned := s.part.Core, s.part.Owned
	if s.params.Friction {
		s.dev.Run(l.friction, 0, owned)
	}
	for k, out := range [][]kernels.State[F]{s.between, s.state[1-s.now%2]} {
		stage := l.stages[k]
		s.dev.Run(stage.slopes, 0, core)
		s.lap(inSlopes)
		if err := s.settle(ctx); err != nil {
			return err
		}
		s.lap(inHalo)
		if s.params.Friction && k == 0 {
			s.dev.Run(l.friction, owned, len(s.between))
		}
		s.dev.Run(stage.slopes, core, owned)
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

// fluxes computes all fluxes, those between owned cells while the slopes of ghosts arrive.
func (s *solver[F]) fluxes(ctx context.Context, flux backend.Loop) error {
	if err := s.tilts.Start(ctx, s.slopes); err != nil {
		return err
	}
	s.lap(inHalo)
	s.dev.Run(flux, 0, s.inner)
	s.lap(inFlux)
	if err := s.tilts.Send(ctx); err != nil {
		return err
	}
	if err := s.tilts.Finish(ctx); err != nil {
		return err
	}
	s.lap(inHalo)
	s.dev.Run(flux, s.inner, len(s.mesh.Ends))
	s.lap(inFlux)
	return nil
}
