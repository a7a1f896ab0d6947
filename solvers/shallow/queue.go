package shallow

import (
	"context"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/backend"
)

// A single rank needs no reduction of the time step over ranks, and linked devices (those with a device communicator)
// reduce it themselves. The clock then stays on the devices, where the kernels of each step read it, and several
// steps are recorded once and queued with one call.

// stepsPerRecording is a multiple of the cycle, so that a recording can be repeated.
const stepsPerRecording = 4 * cycleLength

// maxQueued bounds the number of steps that are queued at a time, so that a run can be interrupted.
const maxQueued = 1024

// queueSteps queues at most the given number of steps, and waits for them. Steps after the clock has stopped do
// nothing.
func (s *solver[F]) queueSteps(ctx context.Context, steps int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.lapStart = time.Now()
	if err := s.quiesce(ctx); err != nil {
		return err
	}
	if err := s.finishExchange(ctx); err != nil {
		return err
	}
	if err := s.uploadClock(); err != nil {
		return err
	}
	clock := &s.hostClock[0]
	n := s.queueable(steps)
	end := s.now.plus(n)
	for ; n >= stepsPerRecording; n -= stepsPerRecording {
		if err := s.recordings[s.now].Queue(s.dev, func() error { return s.queueRecording(ctx, s.now) }); err != nil {
			return err
		}
	}
	for k := range n {
		if err := s.queueStep(ctx, s.now.plus(k)); err != nil {
			return err
		}
	}
	if s.linked != nil {
		if err := s.linked.Finish(ctx); err != nil {
			return err
		}
	}
	stepsBefore := clock.Steps
	if err := backend.Download(s.dev, s.hostClock[:], s.clock[end:end+1]); err != nil {
		return err
	}
	if err := backend.Download(s.dev, s.hostLimits[:], s.arrays.stepLimits); err != nil {
		return err
	}
	if clock.Pending {
		clock.Tick(s.hostLimits[end.limit(s.params.Lag)].Value())
		s.recordCourant()
	}
	s.lap(inUpdate)
	s.now = s.now.plus(int(clock.Steps - stepsBefore))
	s.reducer.last = float64(s.hostLimits[s.now].Value()) // of the last step, though later ones of the queue did nothing
	s.forgetHostState()
	if err := s.fetchSamples(stepsBefore); err != nil {
		return err
	}
	return s.check(ctx)
}

// queueable returns how many of the given steps to queue at a time: at most as many as reach the time at which the
// clock stops if all are as long as the next one.
func (s *solver[F]) queueable(steps int) int {
	clock := &s.hostClock[0]
	n := min(steps, s.samples.maxSteps())
	next := clock.Until
	if clock.Pause > 0 { // the time at which output is due
		next = min(next, clock.Pause)
	}
	if needed := math.Ceil((next - clock.Time) / float64(clock.Dt)); needed < float64(n) {
		n = max(1, int(needed))
	}
	return n
}

// queueStep queues step k of the cycle.
func (s *solver[F]) queueStep(ctx context.Context, k cycleStep) error {
	s.updatePeaks(k)
	if err := s.schedule.queue(ctx, k); err != nil {
		return err
	}
	if s.linked != nil {
		// The bits are stored so that the largest integer is the smallest limit.
		if err := s.linked.Max(s.limitBits(k.plus(1))); err != nil {
			return err
		}
		if !s.params.Lag { // a lagged minimum arrives with the next step's ghosts
			if err := s.linked.Finish(ctx); err != nil {
				return err
			}
		}
	}
	s.sample(k)
	return nil
}

// queueTiles queues step k for all tiles, and the exchange of the ghosts that it updates.
func (s *solver[F]) queueTiles(ctx context.Context, k cycleStep) error {
	tile := s.loops[k].tile
	if err := s.evaluateSeries(ctx, s.loops[k], 0); err != nil {
		return err
	}
	s.moveBed(s.loops[k])
	if s.linked == nil {
		s.dev.Run(tile, 0, s.ntiles)
		return nil
	}
	err := s.linked.Fork(func() error {
		s.dev.Run(tile, s.coreTiles, s.ntiles)
		return s.linked.Start(ctx, s.state[k.to()])
	})
	if err != nil {
		return err
	}
	s.dev.Run(tile, 0, s.coreTiles)
	return s.linked.Finish(ctx)
}

// queueRecording queues the stepsPerRecording steps that begin with step k of the cycle.
func (s *solver[F]) queueRecording(ctx context.Context, k cycleStep) error {
	for n := range stepsPerRecording {
		if err := s.queueStep(ctx, k.plus(n)); err != nil {
			return err
		}
	}
	if s.linked != nil {
		return s.linked.Finish(ctx)
	}
	return nil
}
