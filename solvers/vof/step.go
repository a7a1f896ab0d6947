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

// paused tells that the time has come.
func (s *solver[F]) paused() bool { return s.pause > 0 && s.t >= s.pause }

// Advance queues as many steps at a time as clocks have room for. Nothing that the device finds has a part in their
// lengths, so that the host waits for it only to hear, once a cycle, how many tiles have work, whether the steps
// are taken in one call or in several. Where no other rank has a part either, or none that the host must see to, the
// steps of a call are one recording.
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
			n = 1 // each has a velocity of its own
		}
		n = s.schedule(until, first, min(steps, n))
		if err := s.blow(ctx); err != nil {
			return err
		}
		if err := backend.Upload(s.dev, s.clocks[first:first+n], s.next[first:first+n]); err != nil {
			return err
		}
		steps -= n
		if err := s.takeGhosts(ctx, first); err != nil {
			return err
		}
		if first == 0 {
			if err := s.listTiles(); err != nil {
				return err
			}
			s.lists = true
		}
		var err error
		if of := (stretch{first, n}); records && s.repeats(of) {
			err = s.repeat(ctx, recorder, of)
		} else {
			err = s.queue(ctx, of)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// queue queues a stretch step by step.
func (s *solver[F]) queue(ctx context.Context, of stretch) error {
	passes := &s.passes
	if s.lists {
		passes = &s.listed
	}
	for k := range of.count {
		if err := s.sweeps(ctx, passes[of.first+k]); err != nil {
			return err
		}
	}
	return nil
}

// blow brings the velocity of the middle of the step that was scheduled, where that is one of a series.
func (s *solver[F]) blow(ctx context.Context) error {
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

// listTiles finds the tiles or bricks with work in a cycle. The host waits for their number.
func (s *solver[F]) listTiles() error {
	if s.parts == 0 {
		return nil
	}
	for _, k := range s.find {
		s.dev.Run(k.loop, 0, k.size)
	}
	if err := backend.Download(s.dev, s.busy[:], s.arrays.busy.count); err != nil {
		return err
	}
	// A recording is made for some more, so as not to be made anew each time.
	n := int(s.busy[0])
	if n > s.blocks || n < s.blocks/2 {
		s.blocks = min(n+n/8+spare, s.parts)
		s.forgetReplays()
	}
	for k := range cycleLength {
		for n := range s.listed[k] {
			s.listed[k][n].first[0].size = s.blocks
		}
	}
	return nil
}

// spare is how many tiles more than there are a recording has room for, at least.
const spare = 64

// schedule sets the clocks of at most n steps that lead to until, from the given step of a cycle on, and returns how
// many there
// are.
func (s *solver[F]) schedule(until float64, first, n int) int {
	for k := range n {
		dt, last := s.stepTo(until)
		factor := s.flow.At(s.t + dt/2)
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

// sweeps queues a step. What others need goes first, and travels beside the rest.
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
			s.advance(p.first...)
			s.advance(p.rest)
			s.lap(inSweeps)
			continue
		}
		if err := s.lead(ctx, p); err != nil {
			return err
		}
		s.lap(inHalo)
		s.advance(p.rest)
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

// lead queues what others need and sets it going, beside what is queued after it where devices are linked.
func (s *solver[F]) lead(ctx context.Context, p *pass[F]) error {
	if s.fork != nil {
		return s.fork(func() error { return s.sendGhosts(ctx, p) })
	}
	return s.sendGhosts(ctx, p)
}

func (s *solver[F]) sendGhosts(ctx context.Context, p *pass[F]) error {
	s.advance(p.first...)
	s.lap(inSweeps)
	return s.ghosts.Start(ctx, p.field)
}

// advance queues kernels.
func (s *solver[F]) advance(all ...kernelOver) {
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

// lap books the time since the last lap.
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
