package kernels

import (
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Clock is the time of a run and the step that all cells take. It lives where the kernels run, so that steps need not
// wait for the host.
type Clock[F num.Float] struct {
	Time    float64 // of the state, s
	Until   float64 // where the run ends, s: no step goes beyond
	Pause   float64 // where somebody looks at the state, s: it is not touched after the first step that comes so far
	CFL     float64 // that the case asks for
	Courant float64 // the largest that a step had by its own waves
	Steps   int64
	Dt      F    // the step to take, s
	Limit   F    // the longest step that the waves of the step before allowed, s
	Took    F    // the step before, s
	Before  F    // the one before that, s
	Stop    bool // there is no step to take: the end or the pause has come, or the state is broken
	Pending bool // the step of length Dt is being taken
}

// Aim sets where to stop. A pause at 0 is none.
func (c *Clock[F]) Aim(until, pause float64) {
	c.Until, c.Pause = until, pause
	c.set()
}

// Tick ends a step whose waves allow the next one a length of limit; NaN if the step broke the state.
func (c *Clock[F]) Tick(limit F) {
	c.Time = c.End()
	c.Before, c.Took, c.Limit = c.Took, c.Dt, limit
	c.Steps++
	c.Pending = false
	c.set()
}

// End is the time at the end of the step.
func (c *Clock[F]) End() float64 {
	if float64(c.Limit) >= c.Until-c.Time {
		return c.Until
	}
	return c.Time + float64(c.Dt)
}

// set finds the length of the next step.
func (c *Clock[F]) set() {
	left := c.Until - c.Time
	c.Dt = c.Limit
	if float64(c.Limit) >= left {
		c.Dt = F(left)
	}
	c.Stop = !(c.Limit > 0) || left <= 0 || c.Pause > 0 && c.Time >= c.Pause
}

// Book keeps the largest CFL number of the steps: of one that took dt, and whose waves allowed limit.
func (c *Clock[F]) Book(dt, limit F) {
	if courant := c.CFL * float64(dt) / float64(limit); courant > c.Courant {
		c.Courant = courant
	}
}

// now is the clock when a step begins: the step before has ended, and waves is what it allowed, or where steps lag, the
// one before that.
func (c *Clock[F]) now(waves *atomics.Least[F]) Clock[F] {
	n := *c
	if n.Pending {
		n.Tick(waves.Value())
	}
	return n
}

// hand gives the clock on to the next step.
func (c *Clock[F]) hand(next *Clock[F], lag bool) {
	n := *c
	took := n.Took
	if lag {
		took = n.Before
	}
	n.Book(took, n.Limit)
	n.Pending = !n.Stop
	*next = n
}
