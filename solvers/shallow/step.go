package shallow

import (
	"context"
	"fmt"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/shallow/bands"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// shortest is the length of a first step for which there is no other, s. Later ones are each at most twice as long.
const shortest = 1e-30

// step takes a step of the clock's length. The limiter of mass fluxes needs this length before the fluxes, so it
// comes from the waves of the previous step, as in the paper's Figure 2.
func (s *solver[F]) step(ctx context.Context) error {
	s.lapStart = time.Now()
	if err := s.uploadClock(); err != nil {
		return err
	}
	if !s.updatesPeaksInStep() {
		if err := s.updatePeaksNow(0, len(s.peaks.Most)); err != nil {
			return err
		}
	}
	if err := s.sweep(ctx, s.loops[s.now]); err != nil {
		return err
	}
	next := s.now.plus(1)
	if err := backend.Download(s.dev, s.hostLimits[:1], s.arrays.stepLimits[next:next+1]); err != nil {
		return err
	}
	s.lap(inUpdate)

	own := float64(s.hostLimits[0].Value())
	if s.hostClock[0].Dt == 0 && own == 0 { // in set-up: a series brings more later than any step could take
		own = shortest
	}
	limit, err := s.reducer.limit(ctx, own)
	if err != nil {
		return fmt.Errorf("time step: %w", err)
	}
	s.lap(inReduce)
	s.hostClock[0].Tick(F(limit))
	s.recordCourant()
	s.now = next
	s.forgetHostState()
	return s.check(ctx)
}

// recordCourant records the CFL number of the last step whose waves are known.
func (s *solver[F]) recordCourant() {
	c := &s.hostClock[0]
	if s.params.Lag {
		c.RecordCourant(c.EarlierDt, c.Limit)
	} else {
		c.RecordCourant(c.LastDt, c.Limit)
	}
}

// sweepCells computes all fluxes and updates all cells. Core cells are updated while ghosts arrive.
func (s *solver[F]) sweepCells(ctx context.Context, l loops) error {
	if err := s.evaluateSeries(ctx, l, 0); err != nil {
		return err
	}
	s.moveBed(l)
	loops := [bands.Kernels]backend.Loop{bands.Flux: l.flux, bands.Update: l.update}
	s.runBands(s.bands.Early, loops)
	s.runBands(s.bands.Updates, loops)
	if err := s.finishExchange(ctx); err != nil {
		return err
	}
	s.lap(inHalo)
	return s.updateBoundary(ctx, l.flux, l.update, s.state[s.now.to()])
}

// updateBoundary computes the fluxes of edges that touch a ghost, updates the boundary cells to the state out, and
// sends them.
func (s *solver[F]) updateBoundary(ctx context.Context, flux, update backend.Loop, out []kernels.State[F]) error {
	s.dev.Run(flux, s.innerEdges, len(s.mesh.EdgeCells))
	s.lap(inFlux)
	s.dev.Run(update, s.part.Core, s.part.Owned)
	s.lap(inUpdate)
	if err := s.startExchange(ctx, out); err != nil {
		return err
	}
	err := s.ghosts.Send(ctx)
	s.lap(inHalo)
	return err
}

// sweepTiles advances the tiles whose cells other ranks need first, and the others while these are sent.
func (s *solver[F]) sweepTiles(ctx context.Context, l loops) error {
	if err := s.evaluateSeries(ctx, l, 0); err != nil {
		return err
	}
	s.moveBed(l)
	if err := s.finishExchange(ctx); err != nil {
		return err
	}
	s.lap(inHalo)
	s.dev.Run(l.tile, s.coreTiles, s.ntiles)
	s.lap(inUpdate)
	if err := s.startExchange(ctx, s.state[s.now.to()]); err != nil {
		return err
	}
	s.lap(inHalo)
	s.dev.Run(l.tile, 0, s.coreTiles)
	s.lap(inUpdate)
	return s.ghosts.Send(ctx)
}

// evaluateSeries evaluates the time series in a stage of a step, and at its start distributes discharges.
func (s *solver[F]) evaluateSeries(ctx context.Context, l loops, stage int) error {
	if n := len(s.series); n > 0 {
		s.dev.Run(l.series[stage], 0, n)
	}
	if stage > 0 {
		return nil
	}
	return s.distributeDischarges(ctx, l)
}

// uploadClock uploads the clock and clears the limits.
func (s *solver[F]) uploadClock() error {
	if err := backend.Upload(s.dev, s.clock[s.now:s.now+1], s.hostClock[:]); err != nil {
		return err
	}
	clear(s.hostLimits[:])
	if s.params.Lag {
		s.hostLimits[s.now].Take(F(s.reducer.last)) // the step after next needs it
	}
	return backend.Upload(s.dev, s.arrays.stepLimits, s.hostLimits[:])
}

// current is the state after the last step.
func (s *solver[F]) current() []kernels.State[F] { return s.state[s.now.from()] }

// check returns an error if the state became invalid in the step.
func (s *solver[F]) check(ctx context.Context) error {
	if s.hostClock[0].Limit > 0 {
		return nil
	}
	if _, err := s.reducer.latest(ctx); err != nil {
		return err
	}
	return s.findFault(ctx)
}

// quiesce waits for a pending reduction, so that other collective calls can be made. It also checks the state after
// the last step.
func (s *solver[F]) quiesce(ctx context.Context) error {
	limit, err := s.reducer.latest(ctx)
	if err != nil || limit > 0 {
		return err
	}
	return s.findFault(ctx)
}

const (
	inFlux = iota
	inHalo
	inUpdate
	inReduce
	inSlopes
	phases
)

// lap adds the time since the last call to a phase.
func (s *solver[F]) lap(phase int) {
	now := time.Now()
	s.spent[phase] += now.Sub(s.lapStart)
	s.lapStart = now
}

func (s *solver[F]) Phases() map[string]float64 {
	spent := map[string]float64{
		"flux": s.spent[inFlux].Seconds(), "halo": s.spent[inHalo].Seconds(),
		"update": s.spent[inUpdate].Seconds(), "reduce": s.spent[inReduce].Seconds(),
	}
	if s.middle != nil {
		spent["slopes"] = s.spent[inSlopes].Seconds()
	}
	return spent
}
