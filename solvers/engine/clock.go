package engine

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers"
)

// Clock decides the lengths of steps.
type Clock interface {
	// begin chooses and uploads the lengths of at most n steps to a time, from step k of the cycle, of which the last may
	// be the first that reaches pause, and returns their number.
	begin(e *Engine, until, pause float64, k, n int) (int, error)
	// end sets the engine's clock after these steps, or the first of them if a device has taken fewer.
	end(ctx context.Context, e *Engine, k, n int) error
	// stepsTo returns bounds of the number of steps to a time.
	stepsTo(e *Engine, until float64) (least, most float64)
}

// Given is a clock whose steps do not depend on results of the device. C is what kernels read of a step.
type Given[C any] struct {
	*Array[C] // of each step of the cycle
	host      []C
	next      func(now solvers.Clock, until float64) solvers.Clock
	of        func(step Step) C
	Bounds    func(now solvers.Clock, until float64) (least, most float64) // of the number of steps, if they are known
}

// Step is a step that is taken.
type Step struct{ Before, After solvers.Clock }

// NewGiven returns a clock for a cycle of steps: next chooses the clock after a step, of what kernels read in it.
func NewGiven[C any](t *Table, cycle int, next func(now solvers.Clock, until float64) solvers.Clock,
	of func(Step) C) *Given[C] {
	return GivenBy(Add[C](t, "clock", cycle), cycle, next, of)
}

// GivenBy is NewGiven with the array of the clocks.
func GivenBy[C any](a *Array[C], cycle int, next func(now solvers.Clock, until float64) solvers.Clock,
	of func(Step) C) *Given[C] {
	return &Given[C]{Array: a, host: make([]C, cycle), next: next, of: of}
}

// EqualSteps returns the choice of equal steps that end at a time, none longer than longest.
func EqualSteps(longest float64) func(now solvers.Clock, until float64) solvers.Clock {
	return func(now solvers.Clock, until float64) solvers.Clock { return now.Toward(until, longest) }
}

// Equal returns the number of steps to a time if all are as long as the next one, for Bounds.
func (g *Given[C]) Equal(now solvers.Clock, until float64) (least, most float64) {
	after := g.next(now, until)
	if after.Time == until {
		return 1, 1
	}
	n := math.Round((until - now.Time) / after.Dt)
	return n, n
}

// For returns the clock of step k of the cycle, for kernels.
func (g *Given[C]) For(k int) []C { return g.Data[k : k+1] }

func (g *Given[C]) begin(e *Engine, until, pause float64, k, n int) (int, error) {
	if math.IsInf(until, 0) {
		return 0, fmt.Errorf("cannot step from t = %g to %g: the target must be finite", e.now.Time, until)
	}
	now, made := e.now, 0
	for made < min(n, len(g.host)-k) {
		after := g.next(now, until)
		e.steps[k+made] = Step{now, after}
		g.host[k+made] = g.of(e.steps[k+made])
		now = after
		made++
		if now.Time >= until || pause > 0 && now.Time >= pause {
			break
		}
	}
	return made, backend.Upload(e.env.Device, g.Data[k:k+made], g.host[k:k+made])
}

func (g *Given[C]) end(_ context.Context, e *Engine, k, n int) error {
	e.now = e.steps[k+n-1].After
	return nil
}

func (g *Given[C]) stepsTo(e *Engine, until float64) (least, most float64) {
	if g.Bounds == nil {
		return 0, 0
	}
	return g.Bounds(e.now, until)
}

// Limited is a clock whose steps are as long as a result of the step before allows. C is the clock that kernels read,
// one for each step of the cycle. With OnDevice a kernel of each step passes it to that of the next one: if the host
// takes no part in steps, many are queued before the host reads the last clock, and those after its end do nothing.
type Limited[C any] struct {
	*Array[C]
	Host     []C // one element: after the last step that the host has read
	OnDevice bool
	// Begin prepares the clock for steps to a time, which end in the first that reaches pause, and returns how many of at
	// most n steps may be queued.
	Begin func(c *C, until, pause float64, n int) (queued int)
	// Reset resets what kernels reduce, before step k of the cycle.
	Reset func(k int) error
	// Tick completes the last step, of which step k of the cycle is the next, by what all ranks have reduced. read tells
	// that the clock was read from the device, where the steps before have completed it.
	Tick func(c *C, k int, read bool) error
	// Check, unless nil, returns an error if the state after the last step is not valid. All ranks call it.
	Check func(ctx context.Context) error
	// Clock returns the solver's clock.
	Clock func(c *C) solvers.Clock
}

func (l *Limited[C]) queues(e *Engine) bool { return l.OnDevice && e.free }

func (l *Limited[C]) begin(e *Engine, until, pause float64, k, n int) (int, error) {
	if n = l.Begin(&l.Host[0], until, pause, n); !l.queues(e) {
		n = 1
	}
	return n, errors.Join(l.Reset(k), backend.Upload(e.env.Device, l.Data[k:k+1], l.Host))
}

func (l *Limited[C]) end(ctx context.Context, e *Engine, k, n int) error {
	next, read := (k+n)%e.def.Cycle, l.queues(e)
	if read {
		if err := backend.Download(e.env.Device, l.Host, l.Data[next:next+1]); err != nil {
			return err
		}
	}
	if err := l.Tick(&l.Host[0], next, read); err != nil {
		return err
	}
	if e.now = l.Clock(&l.Host[0]); l.Check == nil {
		return nil
	}
	return l.Check(ctx)
}

func (*Limited[C]) stepsTo(*Engine, float64) (least, most float64) { return 0, 0 }
