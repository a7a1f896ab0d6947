package kernels

import (
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Clock is the time of a run and the step common to all cells. It is stored on the device, so that steps need not
// wait for the host.
type Clock[F num.Float] struct {
	Time      float64 // of the state, s
	Until     float64 // time at which the run ends, s: no step goes beyond it
	Pause     float64 // time of the next output, s: no step is taken after the first one that reaches it; 0 for none
	CFL       float64 // CFL number of the case
	Courant   float64 // the largest CFL number of the steps so far, each by the waves of the state at its start
	Steps     int64
	Dt        F    // length of the next step, or of the pending one, s
	Limit     F    // the longest step that the waves of an earlier step allowed, s; not above 0 if the state is invalid
	LastDt    F    // length of the last complete step, s
	EarlierDt F    // length of the complete step before that one, s
	Full      F    // length that the last step would have had if Until had been later, s; 0 before the first
	Stop      bool // no step is taken: Until or Pause has been reached, or the state is invalid
	Pending   bool // a step of length Dt has begun, and Tick has not completed it
}

// SetTarget sets Until and Pause.
func (c *Clock[F]) SetTarget(until, pause float64) {
	c.Until, c.Pause = until, pause
	c.setStep()
}

// Tick completes the step. limit is the longest step that the waves of that step (or, if steps lag, of the one before
// it) allowed; NaN if the new state is invalid. It bounds the next step.
func (c *Clock[F]) Tick(limit F) {
	c.Time = c.end()
	c.Full = c.grown()
	c.EarlierDt, c.LastDt, c.Limit = c.LastDt, c.Dt, limit
	c.Steps++
	c.Pending = false
	c.setStep()
}

// end returns the time at the end of the step.
func (c *Clock[F]) end() float64 {
	if float64(c.grown()) >= c.Until-c.Time {
		return c.Until
	}
	return c.Time + float64(c.Dt)
}

// grown returns the length of the next step if Until is far: the limit, but at most twice the length of the last step,
// so that what begins to flow in a step, of which the waves of earlier ones know nothing, has not gone far at its end.
func (c *Clock[F]) grown() F {
	if c.Full > 0 && c.Limit > 2*c.Full {
		return 2 * c.Full
	}
	return c.Limit
}

// setStep computes the length of the next step.
func (c *Clock[F]) setStep() {
	remaining := c.Until - c.Time
	c.Dt = c.grown()
	if float64(c.Dt) >= remaining {
		c.Dt = F(remaining)
	}
	if remaining > 0 && c.end() == c.Time { // such steps would go on for ever
		c.Limit = 0
	}
	c.Stop = !(c.Limit > 0) || remaining <= 0 || c.Pause > 0 && c.Time >= c.Pause
}

// RecordCourant updates Courant with a step of length dt whose own waves allowed a length of limit.
func (c *Clock[F]) RecordCourant(dt, limit F) {
	if courant := c.CFL * float64(dt) / float64(limit); courant > c.Courant {
		c.Courant = courant
	}
}

// AtStepStart returns the clock at the beginning of a step: the previous step, if it is pending, is complete. limit is
// as for Tick.
func (c *Clock[F]) AtStepStart(limit *atomics.Least[F]) Clock[F] {
	n := *c
	if n.Pending {
		n.Tick(limit.Value())
	}
	return n
}

// passTo copies the clock to that of the next step in the cycle, and marks the step that begins as pending. If a step
// has just been completed, it records the CFL number of that whose waves gave Limit: the last one, or, if steps lag,
// the one before it. Otherwise Limit may be that of another mesh.
func (c *Clock[F]) passTo(next *Clock[F], completed, lag bool) {
	n := *c
	if completed {
		took := n.LastDt
		if lag {
			took = n.EarlierDt
		}
		n.RecordCourant(took, n.Limit)
	}
	n.Pending = !n.Stop
	*next = n
}
