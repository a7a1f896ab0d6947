package shallow

import (
	"context"
	"errors"
	"math"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// cycleLength is the number of steps after which the use of states, clocks and limits repeats.
const cycleLength = 4

// cycleStep is the number of a step, modulo cycleLength. States, clocks and limits rotate, so that nothing is copied
// between steps, and several steps can be queued without the host:
//
//	                            step k reads    and writes
//	state                       k%2             (k+1)%2
//	clock                       k               k+1: by a kernel if steps are queued, else by the host
//	limit of the step's length  k               k+1; it clears k+2
//	the same, if steps lag      k-1             k+1; it clears k+2
//
// A limit is the largest step that the waves of a state allow. Limits k-1 to k+2 are in use at the same time, hence a
// cycle of four.
type cycleStep int

// plus is the step that is n later.
func (k cycleStep) plus(n int) cycleStep { return (k + cycleStep(n)) % cycleLength }

// from returns the index of the state before the step, and to that of the state after it.
func (k cycleStep) from() int { return int(k % 2) }
func (k cycleStep) to() int   { return int(1 - k%2) }

// limit returns the index of the limit that sets the length of the step.
func (k cycleStep) limit(lag bool) cycleStep {
	if lag {
		return k.plus(cycleLength - 1)
	}
	return k
}

// limitsOf returns the limits that step k reads, writes and clears.
func (a *arrays[F]) limitsOf(k cycleStep) (limit, next, cleared *atomics.Least[F]) {
	l := a.limits.Data
	return &l[k.limit(a.params.Lag)], &l[k.plus(1)], &l[k.plus(2)]
}

// stepsPerRecording is the number of steps that are queued with one call.
const stepsPerRecording = 4 * cycleLength

// maxQueued bounds the number of steps that are queued at a time, so that a run can be interrupted.
const maxQueued = 1024

// lengths are those of steps, by the limits of all ranks.
type lengths[F num.Float] struct {
	*rank[F]
	limit      [cycleLength]*engine.Extreme
	hostLimits [cycleLength]atomics.Least[F]
}

// prepareClock makes the clock and the reductions of limits. Steps are queued by tiles on devices that can record, if
// the rank is alone or the devices are linked and reduce the limits themselves; kernels of each step then read the
// clock that those of the step before have passed on. Otherwise the host computes the length of each step.
func (s *solver[F]) prepareClock() {
	alone := s.Env().Comm.Size() == 1
	if _, records := s.dev.(backend.Recorder); records && s.tiled {
		// The host joins what all ranks know of conveyances and of structures in each step.
		joins := (len(s.distributed) > 0 || s.works.Any()) && !alone
		s.queued = (alone || s.steps.exchanges[0].Linked()) && !joins
	}
	limit := &s.lengths.limit
	for k := range limit {
		if limit[k] = engine.ExtremeForHost(s.limits, k); s.queued {
			limit[k] = engine.ExtremeOf(s.steps.exchanges[0], s.limits, k)
		}
	}
	begin := kernels.Clock[F]{CFL: s.cfg.CFL, Time: s.at.Time}
	s.clock = &engine.Limited[kernels.Clock[F]]{Array: s.clocks, Host: []kernels.Clock[F]{begin}, OnDevice: s.queued,
		Begin: func(c *kernels.Clock[F], until, pause float64, n int) int {
			c.SetTarget(until, pause)
			return s.lengths.queueable(c, min(n, s.samples.maxSteps()))
		},
		Reset: s.lengths.resetLimits, Tick: s.lengths.tick, Check: s.check,
		Clock: func(c *kernels.Clock[F]) solvers.Clock {
			return solvers.Clock{Time: c.Time, Steps: int(c.Steps), Dt: float64(c.LastDt)}
		}}
}

// combined is the limit of all ranks, of step k.
func (s *lengths[F]) combined(k cycleStep) *atomics.Least[F] {
	return engine.Combined[atomics.Least[F]](s.limit[k])
}

// queueable returns how many of the given steps to queue at a time: at most as many as reach the time at which the
// clock stops if all are as long as the next one.
func (s *lengths[F]) queueable(clock *kernels.Clock[F], steps int) int {
	n, next := steps, clock.Until
	if clock.Pause > 0 { // the time at which output is due
		next = min(next, clock.Pause)
	}
	if needed := math.Ceil((next - clock.Time) / float64(clock.Dt)); needed < float64(n) {
		n = max(1, int(needed))
	}
	return n
}

// resetLimits clears the limits before step k, except the one that the step after next needs if steps lag.
func (s *lengths[F]) resetLimits(k int) error {
	clear(s.hostLimits[:])
	if s.params.Lag {
		s.hostLimits[k] = *s.combined(cycleStep(k))
	}
	return backend.Upload(s.dev, s.limits.Data, s.hostLimits[:])
}

// tick completes the last step on the host's clock, of which step k of the cycle is the next. The limiter of mass
// fluxes needs the length of a step before the fluxes, so it comes from the waves of the previous step, as in Figure 2
// of the paper; if steps lag from those of the step before that.
func (s *lengths[F]) tick(c *kernels.Clock[F], k int, read bool) error {
	next := cycleStep(k)
	if read {
		if err := backend.Download(s.dev, s.hostLimits[:], s.limits.Data); err != nil {
			return err
		}
		if c.Pending {
			s.complete(c, s.hostLimits[next.limit(s.params.Lag)].Value())
		}
		last := cycleStep(c.Steps % cycleLength) // later steps of the queue did nothing
		*s.combined(last) = s.hostLimits[last]
	} else {
		s.complete(c, s.combined(next.limit(s.params.Lag)).Value())
	}
	return nil
}

// check returns an error if no step can follow the last one.
func (s *solver[F]) check(ctx context.Context) error {
	if s.clock.Host[0].Limit > 0 {
		return nil
	}
	if err := s.Settle(ctx); err != nil {
		return err
	}
	return s.findFault(ctx)
}

// complete completes a step, and records the CFL number of the last step whose waves are known.
func (s *lengths[F]) complete(c *kernels.Clock[F], limit F) {
	if s.tiers != nil {
		limit *= F(s.tiers.Substeps()) // it is that of the shortest local steps
	}
	c.Tick(limit)
	if s.params.Lag {
		c.RecordCourant(c.EarlierDt, c.Limit)
	} else {
		c.RecordCourant(c.LastDt, c.Limit)
	}
}

// shortest is the length of a first step for which there is no other, s. Later ones are each at most twice as long.
const shortest = 1e-30

// takeFirstStep takes a step of length 0, which changes nothing, and computes the limit of the first step. It is the
// last step of a cycle.
func (s *solver[F]) takeFirstStep(ctx context.Context) error {
	const last = cycleLength - 1
	if _, err := s.loadWeather(ctx, solvers.Clock{Time: s.at.Time}); err != nil {
		return err
	}
	if err := errors.Join(s.forgetDry(), s.lengths.resetLimits(last)); err != nil {
		return err
	}
	c := &s.clock.Host[0]
	if err := backend.Upload(s.dev, s.clocks.Data[last:], s.clock.Host); err != nil {
		return err
	}
	if err := s.Do(ctx, func(p *engine.Program) { s.steps.step(p, last) }); err != nil {
		return err
	}
	if err := s.Settle(ctx); err != nil {
		return err
	}
	if s.queued {
		if err := backend.Download(s.dev, s.lengths.hostLimits[:], s.limits.Data); err != nil {
			return err
		}
		*s.lengths.combined(0) = s.lengths.hostLimits[0]
	}
	if s.lengths.combined(0).Value() == 0 { // a series brings more later than any step could take
		s.lengths.combined(0).Reset()
		s.lengths.combined(0).Take(shortest)
	}
	s.lengths.complete(c, s.lengths.combined(0).Value())
	c.Steps = 0
	if err := s.check(ctx); err != nil {
		return err
	}
	return s.counters.Set([]kernels.Counters{{}})
}

// updateSaved makes what is saved that of the state after the last step: the extremes too, which steps update with the
// state that they start from. A mesh that changes now would lose it.
func (s *solver[F]) updateSaved(ctx context.Context) error {
	if err := s.budget.readTotals(ctx); err != nil || len(s.peaks.Most) == 0 {
		return err
	}
	return s.extremes.updatePeaksNow(0, len(s.peaks.Most))
}

// quiesce checks the state after the last step, whose limit lagged steps do not know.
func (s *solver[F]) quiesce(ctx context.Context) error {
	if s.lengths.combined(s.now()).Value() > 0 {
		return nil
	}
	return s.findFault(ctx)
}
