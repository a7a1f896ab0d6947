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
	return s.lastStep, err
}

func (s *solver[F]) Pause(at float64) { s.pause = at }

// paused reports whether a time has reached that of Pause.
func (s *solver[F]) paused(t float64) bool { return s.pause > 0 && t >= s.pause }

// Advance queues steps up to the end of a cycle at a time, whose clocks it uploads first. The lengths of steps do not
// depend on results of the device, so that the host waits at most once a cycle, for the length of a list (see
// listTiles). If no other rank takes part in exchanges, or if the devices are linked, the steps queued at a time are
// one recording.
func (s *solver[F]) Advance(ctx context.Context, until float64, steps int) error {
	s.lastStep = 0
	if left := until - s.t; !(left > 0) || math.IsInf(left, 0) {
		return fmt.Errorf("cannot step from t = %g to %g: the target must be later and finite", s.t, until)
	}
	for steps = max(1, steps); steps > 0 && s.t < until && !s.paused(s.t); {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.lapStart = time.Now()
		first := s.steps % cycleLength
		n := cycleLength - first
		if s.series != nil {
			n = 1 // each step has its own velocity
		}
		after, n := s.planSteps(until, first, min(steps, n))
		if err := s.uploadVelocity(ctx, after); err != nil {
			return err
		}
		if err := backend.Upload(s.dev, s.clocks[first:first+n], s.nextClocks[first:first+n]); err != nil {
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
			s.listValid = true
		}
		var err error
		if of := (stepRange{first, n}); s.canRecord(of) {
			err = s.runRecorded(ctx, of)
		} else {
			err = s.queue(ctx, of)
		}
		if err != nil {
			return err
		}
		s.instant = after
		if s.period == byCycle && s.steps%cycleLength == 0 {
			s.ghostsCurrent = false
		}
	}
	return nil
}

// queue queues a range of steps one by one.
func (s *solver[F]) queue(ctx context.Context, steps stepRange) error {
	passes := &s.passes
	if s.listValid {
		passes = &s.activePasses
	}
	for k := range steps.count {
		if s.narrowBand != nil {
			s.narrowBand.beginStep(s.dev)
		}
		if err := s.queueStep(ctx, passes[steps.first+k]); err != nil {
			return err
		}
	}
	return nil
}

// uploadVelocity uploads the velocity at the middle of the step that ends at an instant, for a time series.
func (s *solver[F]) uploadVelocity(ctx context.Context, end instant) error {
	if s.series == nil {
		return nil
	}
	u, err := s.series.At(ctx, end.t-end.lastStep/2)
	for axis := range s.block.Grid.Dim {
		if err == nil {
			err = backend.Upload(s.dev, s.arrays.u[axis], u[axis])
		}
	}
	return err
}

// instant is the position of a state in time. It changes when the steps to it are queued, not before, since it tells
// which field is the current one.
type instant struct {
	t        float64
	steps    int
	lastStep float64 // length of the last step in s
	longest  float64 // the largest product of a step and |factor| so far
}

// planSteps sets the clocks of at most n steps that lead to until, from the given step of a cycle. It returns the
// instant at their end and their number.
func (s *solver[F]) planSteps(until float64, first, n int) (end instant, count int) {
	end = s.instant
	for k := range n {
		dt, last := s.nextStep(end.t, until)
		factor := s.flow.FactorAt(end.t + dt/2)
		for d := range s.block.Grid.Dim {
			s.nextClocks[first+k].Courant[d] = F(factor * dt / s.block.Grid.Spacing(d))
		}
		end = instant{end.t + dt, end.steps + 1, dt, max(end.longest, dt*math.Abs(factor))}
		if last {
			end.t = until
		}
		if last || s.paused(end.t) {
			return end, k + 1
		}
	}
	return end, n
}

// queueStep queues the passes of a step. Cells that other ranks need are computed first, and sent while the core is
// computed.
func (s *solver[F]) queueStep(ctx context.Context, passes []pass[F]) error {
	for i := range passes {
		p := &passes[i]
		if s.narrowBand != nil {
			s.narrowBand.walls.fill(s.dev, i)
		} else {
			s.run(p.walls)
		}
		if p.reconstruct.end > 0 {
			s.run(p.reconstruct)
			s.lap(inPlanes)
		}
		if p.exchanged == nil {
			s.run(p.boundary...)
			s.run(p.core)
			s.lap(inSweeps)
			continue
		}
		if err := s.startExchange(ctx, p); err != nil {
			return err
		}
		s.lap(inHalo)
		s.run(p.core)
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

// startExchange queues the loops over cells that other ranks need, and starts the exchange of these cells, on a second
// stream if devices are linked.
func (s *solver[F]) startExchange(ctx context.Context, p *pass[F]) error {
	if s.fork != nil {
		return s.fork(func() error { return s.computeAndSend(ctx, p) })
	}
	return s.computeAndSend(ctx, p)
}

func (s *solver[F]) computeAndSend(ctx context.Context, p *pass[F]) error {
	s.run(p.boundary...)
	s.lap(inSweeps)
	return s.ghosts.Start(ctx, p.exchanged)
}

// run queues loops.
func (s *solver[F]) run(all ...indexedLoop) {
	for _, k := range all {
		if k.first < k.end {
			s.dev.Run(k.loop, k.first, k.end)
		}
	}
}

const (
	inHalo = iota
	inPlanes
	inSweeps
)

// lap adds the time since the last call of lap to the time of a phase.
func (s *solver[F]) lap(phase int) {
	now := time.Now()
	s.phaseTime[phase] += now.Sub(s.lapStart)
	s.lapStart = now
}

func (s *solver[F]) Phases() map[string]float64 {
	return map[string]float64{
		"halo": s.phaseTime[inHalo].Seconds(), "planes": s.phaseTime[inPlanes].Seconds(),
		"sweeps": s.phaseTime[inSweeps].Seconds(),
	}
}
