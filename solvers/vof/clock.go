package vof

import (
	"math"

	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// lengths are those of steps, from the rates of the flow.
type lengths[F num.Float] struct {
	*rank[F]
	flow    flow.Flow
	maxStep float64 // largest step in s, for a time factor of 1
	longest float64 // the largest product of a step in s and |factor| so far
	rates   rates   // the largest so far, for a time factor of 1
}

// nextClock returns the clock after the first of equal steps that lead to the time until.
func (s *lengths[F]) nextClock(now solvers.Clock, until float64) solvers.Clock {
	dt, last := s.nextStep(now.Time, until)
	after := solvers.Clock{Time: now.Time + dt, Steps: now.Steps + 1, Dt: dt}
	if last {
		after.Time = until
	}
	return after
}

// clockOf returns the Courant numbers of a step, for the velocity in its middle.
func (s *lengths[F]) clockOf(step engine.Step) (c kernels.Clock[F]) {
	dt := step.After.Dt
	factor := s.flow.FactorAt(step.Before.Time + dt/2)
	for d := range s.block.Grid.Dim {
		c.Courant[d] = F(factor * dt / s.block.Grid.Spacing(d))
	}
	s.longest = max(s.longest, dt*math.Abs(factor))
	return c
}

// maxLengthening is the largest ratio of an adaptive step to the step for a factor of 1.
const maxLengthening = 4

// nextStep returns the length in s of the first of equal steps from time t to the time until, and whether it is the
// last one.
func (s *lengths[F]) nextStep(t, until float64) (dt float64, last bool) {
	remaining := until - t
	long := s.maxStep
	if s.cfg.Adaptive {
		long = s.longStep(t)
	}
	// The tolerance keeps round-off from adding a step.
	n := max(1, math.Ceil(remaining/long*(1-1e-12)))
	for s.cfg.Adaptive && remaining/n > s.maxStep && !s.fits(t, remaining/n) {
		n++
	}
	return remaining / n, n == 1
}

// boundSteps returns bounds of the number of steps to a time, which does not depend on the interface.
func (s *lengths[F]) boundSteps(now solvers.Clock, until float64) (least, most float64) {
	remaining := until - now.Time
	n := max(1, math.Ceil(remaining/s.maxStep*(1-1e-12)))
	if !s.cfg.Adaptive {
		return n, n
	}
	// Divide the time into many short intervals; each needs as many steps as the velocity in it requires.
	const intervals = 4096
	count := 0.0
	for k := range intervals {
		factor := math.Abs(s.flow.FactorAt(now.Time + remaining*(float64(k)+0.5)/intervals))
		count += remaining / intervals / s.maxStep * max(factor, 1./maxLengthening)
	}
	return min(n, math.Floor(count)), min(n, math.Ceil(1.05*count)+1)
}

// fits reports whether a step from time t satisfies the CFL limit for the velocity in its middle, with which it is
// computed.
func (s *lengths[F]) fits(t, dt float64) bool {
	return dt*math.Abs(s.flow.FactorAt(t+dt/2)) <= s.maxStep
}

// longStep returns a step from time t that fits, found by bisection between maxStep, which always fits, and
// maxLengthening times that.
func (s *lengths[F]) longStep(t float64) float64 {
	short, long := s.maxStep, maxLengthening*s.maxStep
	if s.fits(t, long) || math.IsInf(long, 0) {
		return long
	}
	for range 50 {
		if middle := (short + long) / 2; s.fits(t, middle) {
			short = middle
		} else {
			long = middle
		}
	}
	return short
}
