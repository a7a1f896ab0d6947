package vof

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/backend"
)

func (s *solver[F]) Step(ctx context.Context, until float64) (float64, error) {
	err := s.Advance(ctx, until, 1)
	return s.took, err
}

func (s *solver[F]) Pause(at float64) { s.pause = at }

// paused tells that the time of Pause has come.
func (s *solver[F]) paused() bool { return s.pause > 0 && s.t >= s.pause }

// Advance queues as many steps at a time as there are clocks. Their lengths depend on nothing that the device computes,
// so that the host waits for it only once a cycle, for the number of tiles with work, whether the steps are taken in
// one call or in several. Where no other rank takes part, or none in whose messages the host takes part, the steps of a
// call are one recording.
func (s *solver[F]) Advance(ctx context.Context, until float64, steps int) error {
	s.took = 0
	if left := until - s.t; !(left > 0) || math.IsInf(left, 0) {
		return fmt.Errorf("a step from t = %g to %g", s.t, until)
	}
	recorder, records := s.dev.(backend.Recorder)
	for steps = max(1, steps); steps > 0 && s.t < until && !s.paused(); {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.clockAt = time.Now()
		first := s.steps % cycleLength
		n := cycleLength - first
		if s.course != nil {
			n = 1 // each step has a velocity of its own
		}
		n = s.setClocks(until, first, min(steps, n))
		if err := s.uploadVelocity(ctx); err != nil {
			return err
		}
		if err := backend.Upload(s.dev, s.clocks[first:first+n], s.next[first:first+n]); err != nil {
			return err
		}
		steps -= n
		if err := s.beginStep(ctx, first); err != nil {
			return err
		}
		if first == 0 {
			if err := s.listTiles(); err != nil {
				return err
			}
			s.haveList = true
		}
		var err error
		if of := (stepRange{first, n}); records && s.canRecord(of) {
			err = s.runRecorded(ctx, recorder, of)
		} else {
			err = s.queue(ctx, of)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// queue queues a range step by step.
func (s *solver[F]) queue(ctx context.Context, of stepRange) error {
	passes := &s.passes
	if s.haveList {
		passes = &s.activePasses
	}
	for k := range of.count {
		if err := s.sweeps(ctx, passes[of.first+k]); err != nil {
			return err
		}
	}
	return nil
}

// uploadVelocity uploads the velocity in the middle of the step that was scheduled, where that is one of a series.
func (s *solver[F]) uploadVelocity(ctx context.Context) error {
	if s.course == nil {
		return nil
	}
	u, err := s.course.At(ctx, s.t-s.took/2)
	for axis := range s.block.Grid.Dim {
		if err == nil {
			err = backend.Upload(s.dev, s.arrays.u[axis], u[axis])
		}
	}
	return err
}

// listTiles lists the tiles or bricks with work in a cycle. The host waits for their number.
func (s *solver[F]) listTiles() error {
	if s.parts == 0 {
		return nil
	}
	for _, k := range s.listLoops {
		s.dev.Run(k.loop, 0, k.size)
	}
	if err := backend.Download(s.dev, s.activeCount[:], s.arrays.activeTiles.count); err != nil {
		return err
	}
	// A recording has room for some more, so as to be of use when the number grows.
	n := int(s.activeCount[0])
	if n > s.recordedTiles || n < s.recordedTiles/2 {
		s.recordedTiles = min(n+n/8+spare, s.parts)
		s.forgetRecordings()
	}
	for k := range cycleLength {
		for n := range s.activePasses[k] {
			s.activePasses[k][n].first[0].size = s.recordedTiles
		}
	}
	return nil
}

// spare is how many tiles more than there are a recording has room for, at least.
const spare = 64

// setClocks sets the clocks of at most n steps that lead to until, from the given step of a cycle on, and returns how
// many there are.
func (s *solver[F]) setClocks(until float64, first, n int) int {
	for k := range n {
		dt, last := s.stepTo(until)
		factor := s.flow.FactorAt(s.t + dt/2)
		for d := range s.block.Grid.Dim {
			s.next[first+k].Courant[d] = F(factor * dt / s.block.Grid.Spacing(d))
		}
		s.steps++
		s.longest = max(s.longest, dt*math.Abs(factor))
		s.took = dt
		if s.t += dt; last {
			s.t = until
			return k + 1
		}
		if s.paused() {
			return k + 1
		}
	}
	return n
}

// sweeps queues a step. Boxes that other ranks need go first, and are sent while the rest is computed.
func (s *solver[F]) sweeps(ctx context.Context, passes []pass[F]) error {
	for i := range passes {
		p := &passes[i]
		if p.walls != nil {
			s.dev.Run(p.walls, 0, len(s.to))
		}
		if p.planes > 0 {
			s.dev.Run(p.reconstruct, 0, p.planes)
			s.lap(inPlanes)
		}
		if p.field == nil {
			s.run(p.first...)
			s.run(p.rest)
			s.lap(inSweeps)
			continue
		}
		if err := s.startGhosts(ctx, p); err != nil {
			return err
		}
		s.lap(inHalo)
		s.run(p.rest)
		s.lap(inSweeps)
		if err := s.ghosts.Send(ctx); err != nil {
			return err
		}
		if err := s.ghosts.Finish(ctx); err != nil {
			return err
		}
		s.lap(inHalo)
	}
	return nil
}

// startGhosts queues what other ranks need and starts its exchange, on a second stream where devices are linked.
func (s *solver[F]) startGhosts(ctx context.Context, p *pass[F]) error {
	if s.fork != nil {
		return s.fork(func() error { return s.sendGhosts(ctx, p) })
	}
	return s.sendGhosts(ctx, p)
}

func (s *solver[F]) sendGhosts(ctx context.Context, p *pass[F]) error {
	s.run(p.first...)
	s.lap(inSweeps)
	return s.ghosts.Start(ctx, p.field)
}

// run queues kernels.
func (s *solver[F]) run(all ...kernelOver) {
	for _, k := range all {
		if k.size > 0 {
			s.dev.Run(k.loop, 0, k.size)
		}
	}
}

const (
	inHalo = iota
	inPlanes
	inSweeps
)

// lap adds the time since the last lap to a phase.
func (s *solver[F]) lap(phase int) {
	now := time.Now()
	s.spent[phase] += now.Sub(s.clockAt)
	s.clockAt = now
}

func (s *solver[F]) Phases() map[string]float64 {
	return map[string]float64{
		"halo": s.spent[inHalo].Seconds(), "planes": s.spent[inPlanes].Seconds(), "sweeps": s.spent[inSweeps].Seconds(),
	}
}
