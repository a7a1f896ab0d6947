package levelset

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/backend"
)

// Advance takes equal steps.
func (s *solver[F]) Advance(ctx context.Context, until float64, steps int) error {
	if left := until - s.t; !(left > 0) || math.IsInf(left, 0) {
		return fmt.Errorf("cannot step from t = %g to %g: the target must be later and finite", s.t, until)
	}
	defer s.updateRadii()
	for steps = max(1, steps); steps > 0 && s.t < until; steps-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := s.stepCount(until)
		if err := s.step(ctx, (until-s.t)/n); err != nil {
			return err
		}
		if s.t += s.lastDt; n == 1 {
			s.t = until
		}
		if s.pauseAt > 0 && s.t >= s.pauseAt {
			break
		}
	}
	return nil
}

// StepsTo returns the number of equal steps that lead to a time.
func (s *solver[F]) StepsTo(until float64) (least, most float64) {
	n := s.stepCount(until)
	return n, n
}

// stepCount returns the number of equal steps that lead to a time. The tolerance keeps round-off from adding a
// step.
func (s *solver[F]) stepCount(until float64) float64 {
	return max(1, math.Ceil((until-s.t)/s.maxDt*(1-1e-12)))
}

func (s *solver[F]) Pause(at float64) { s.pauseAt = at }

// step takes a step of length dt.
func (s *solver[F]) step(ctx context.Context, dt float64) error {
	s.lastDt, s.phaseStart, s.phase = dt, time.Now(), inAdvect
	if err := s.setClock(dt); err != nil {
		return err
	}
	if err := s.uploadVelocity(ctx, dt); err != nil {
		return err
	}
	if err := s.advect(ctx); err != nil {
		return err
	}
	if err := s.advectParticles(ctx); err != nil {
		return err
	}
	s.setPhase(inReinit)
	if err := s.recorded(ctx, &s.reinitialising); err != nil {
		return err
	}
	s.setPhase(inCorrect)
	if err := s.setBounds(now); err != nil {
		return err
	}
	s.steps++
	if err := s.recorded(ctx, &s.finishing); err != nil {
		return err
	}
	s.setPhase(inCorrect)
	err := s.maintainParticles()
	s.setPhase(inCorrect)
	return err
}

// correctAndReinitialise applies the bounds to the level set next, and computes now from it.
func (s *solver[F]) correctAndReinitialise(ctx context.Context) error {
	if err := s.applyBounds(ctx, next); err != nil {
		return err
	}
	return s.reinitialise(ctx)
}

// correctAgain applies the bounds to the level set now, and updates its ghosts for the next step, reseeding and output.
func (s *solver[F]) correctAgain(ctx context.Context) error {
	if err := s.applyBounds(ctx, now); err != nil {
		return err
	}
	return s.refreshGhosts(ctx, &s.allLayers, now)
}

// advectParticles advects the particles, which set bounds on the level set next.
func (s *solver[F]) advectParticles(ctx context.Context) error {
	w := s.swarm
	if w == nil {
		return nil
	}
	s.setPhase(inParticles)
	if s.cfg.Correct == "fused" {
		s.dev.Run(w.loops().advectAndCorrect, 0, w.n)
		return w.migrate(ctx, true)
	}
	s.updateRadii()
	s.dev.Run(w.loops().advect, 0, w.n)
	if err := w.migrate(ctx, false); err != nil {
		return err
	}
	s.setPhase(inCorrect)
	return s.setBounds(next)
}

// updateRadii updates the radii of particles from the current level set. It is idempotent: a step begins with it, and
// output between steps and reseeding need it too.
func (s *solver[F]) updateRadii() {
	if s.swarm != nil {
		s.dev.Run(s.swarm.loops().updateRadii, 0, s.swarm.n)
	}
}

// setClock uploads the time factors of a step.
func (s *solver[F]) setClock(dt float64) error {
	begin, middle, end := s.flow.FactorAt(s.t), s.flow.FactorAt(s.t+dt/2), s.flow.FactorAt(s.t+dt)
	c := &s.hostClock[0]
	for d := range s.block.Grid.Dim {
		part := dt / s.block.Grid.Spacing(d)
		c.Half[d], c.Back[d], c.Whole[d] = F(begin*part/2), F(end*part/2), F(middle*part)
		c.Stage[0][d], c.Stage[1][d], c.Stage[2][d] = F(begin*part), F(end*part), F(middle*part)
	}
	return backend.Upload(s.dev, s.clock, s.hostClock[:])
}

// uploadVelocity uploads the velocity at the middle of a step for a time series, which makes the step second-order in
// time.
func (s *solver[F]) uploadVelocity(ctx context.Context, dt float64) error {
	if s.series == nil {
		return nil
	}
	u, err := s.series.At(ctx, s.t+dt/2)
	for axis := range s.block.Grid.Dim {
		if err == nil {
			err = backend.Upload(s.dev, s.u[axis], u[axis])
		}
	}
	return err
}

// advect computes the level set next, with one layer of ghosts, from now, whose ghosts are up to date.
func (s *solver[F]) advect(ctx context.Context) error {
	for n, k := range s.loops.advect {
		s.run(k)
		if n == len(s.loops.advect)-1 {
			break
		}
		if err := s.refreshGhosts(ctx, &s.wenoLayers, advectionStages[n].to); err != nil {
			return err
		}
	}
	return s.refreshGhosts(ctx, &s.oneLayer, next)
}

// reinitialise computes the level set now, a distance with at least one layer of ghosts, from next.
func (s *solver[F]) reinitialise(ctx context.Context) error {
	switch s.cfg.Reinit {
	case "sweep":
		// A cell next to the interface needs the slopes of its neighbours across it.
		if err := s.refreshGhosts(ctx, &s.wenoLayers, next); err != nil {
			return err
		}
		s.run(s.loops.initDistances)
		return s.sweep(ctx)
	case "weno":
		return s.relax(ctx)
	}
	if err := backend.Copy(s.dev, s.f[now], s.f[next]); err != nil {
		return err
	}
	return s.refreshGhosts(ctx, &s.oneLayer, now)
}

// sweep propagates distances from the interface to the edge of the band. Ghosts beyond walls are updated in the first
// passes only: later they are at least as far from the interface as their neighbours, so their values do not matter.
func (s *solver[F]) sweep(ctx context.Context) error {
	s.run(s.loops.markBricks)
	for n := range s.cfg.sweeps(s.block.Grid.Dim) {
		from := sweepsFrom[n%2]
		if err := s.exchangeGhosts(ctx, &s.oneLayer, from); err != nil {
			return err
		}
		if n < 2 {
			s.dev.Run(s.oneLayer.walls[from], 0, s.oneLayer.wallGhosts)
		}
		s.run(s.loops.sweep[n%2])
	}
	return s.refreshGhosts(ctx, &s.oneLayer, now)
}

// relax relaxes the level set toward a distance by pseudo-time steps.
func (s *solver[F]) relax(ctx context.Context) error {
	if err := s.refreshGhosts(ctx, &s.wenoLayers, next); err != nil {
		return err
	}
	for _, to := range []int{now, stage1, stage2} {
		if err := backend.Copy(s.dev, s.f[to], s.f[next]); err != nil {
			return err
		}
	}
	for range s.cfg.Iterations {
		for n, k := range s.loops.relax {
			s.run(k)
			if err := s.refreshGhosts(ctx, &s.wenoLayers, relaxStages[n].to); err != nil {
				return err
			}
		}
	}
	return nil
}

// correct corrects a level set with one layer of ghosts by escaped particles. Its ghosts are not up to date afterwards.
func (s *solver[F]) correct(ctx context.Context, field int) error {
	if err := s.setBounds(field); err != nil {
		return err
	}
	return s.applyBounds(ctx, field)
}

// setBounds computes the bounds that escaped particles set to a level set with one layer of ghosts.
func (s *solver[F]) setBounds(field int) error {
	if s.swarm == nil {
		return nil
	}
	if s.cfg.Correct == "sorted" {
		return s.swarm.correctSorted(field)
	}
	s.dev.Run(s.swarm.loops().correct[field], 0, s.swarm.n)
	return nil
}

// applyBounds applies the bounds to the block's cells of a level set.
func (s *solver[F]) applyBounds(ctx context.Context, field int) error {
	if s.swarm == nil {
		return nil
	}
	if err := s.gatherBounds(ctx); err != nil {
		return err
	}
	s.run(s.loops.applyBounds[field])
	return nil
}

// Phases of a step, whose times are measured.
const (
	inAdvect = iota
	inParticles
	inCorrect
	inReinit
	inHalo
	inSetUp
	phaseCount
)

// setPhase adds the time since its last call to the current phase, begins another one, and returns the one before.
func (s *solver[F]) setPhase(phase int) (before int) {
	present := time.Now()
	s.phaseTime[s.phase] += present.Sub(s.phaseStart)
	before, s.phase, s.phaseStart = s.phase, phase, present
	return before
}

func (s *solver[F]) Phases() map[string]float64 {
	seconds := map[string]float64{}
	for n, name := range []string{"advection", "particles", "correction", "reinitialisation", "halo"} {
		seconds[name] = s.phaseTime[n].Seconds()
	}
	return seconds
}
