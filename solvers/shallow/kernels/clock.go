package kernels

import (
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Clock is the time of a run and the step common to all cells. It is stored on the device, so that steps need not
// wait for the host.
type Clock[F num.Float] struct {
	Time    float64 // of the state, s
	Until   float64 // where the run ends, s: no step goes beyond
	Pause   float64 // when output is due, s: the state stays as it is after the first step that reaches it
	CFL     float64 // requested by the case
	Courant float64 // the largest of all steps according to their own waves
	Steps   int64
	Dt      F    // the step to take, s
	Limit   F    // the longest step that the waves of the previous step allowed, s
	Took    F    // the previous step, s
	Before  F    // the one before that, s
	Stop    bool // there is no step to take: the end or the pause has come, or the state is broken
	Pending bool // the step of length Dt is being taken
}

// SetTarget sets the time to stop at, and the next time of output; a pause of 0 is none.
func (c *Clock[F]) SetTarget(until, pause float64) {
	c.Until, c.Pause = until, pause
	c.setStep()
}

// Tick completes a step whose waves allow the next one a length of limit; NaN if the step broke the state.
func (c *Clock[F]) Tick(limit F) {
	c.Time = c.end()
	c.Before, c.Took, c.Limit = c.Took, c.Dt, limit
	c.Steps++
	c.Pending = false
	c.setStep()
}

// end returns the time at the end of the step.
func (c *Clock[F]) end() float64 {
	if float64(c.Limit) >= c.Until-c.Time {
		return c.Until
	}
	return c.Time + float64(c.Dt)
}

// setStep computes the length of the next step.
func (c *Clock[F]) setStep() {
	left := c.Until - c.Time
	c.Dt = c.Limit
	if float64(c.Limit) >= left {
		c.Dt = F(left)
	}
	c.Stop = !(c.Limit > 0) || left <= 0 || c.Pause > 0 && c.Time >= c.Pause
}

// RecordCourant updates the maximum CFL number with a step of length dt whose own waves allowed limit.
func (c *Clock[F]) RecordCourant(dt, limit F) {
	if courant := c.CFL * float64(dt) / float64(limit); courant > c.Courant {
		c.Courant = courant
	}
}

// atStepStart returns the clock at the beginning of a step: the previous step is complete, and waves is the length
// that it allowed, or, if steps lag, that of the step before it.
func (c *Clock[F]) atStepStart(waves *atomics.Least[F]) Clock[F] {
	n := *c
	if n.Pending {
		n.Tick(waves.Value())
	}
	return n
}

// passTo copies the clock to that of the next step in the cycle.
func (c *Clock[F]) passTo(next *Clock[F], lag bool) {
	n := *c
	took := n.Took
	if lag {
		took = n.Before
	}
	n.RecordCourant(took, n.Limit)
	n.Pending = !n.Stop
	*next = n
}
