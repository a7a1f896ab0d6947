package solvers

import (
	"context"
	"errors"
)

// Observer is a solver that measures on its device while steps are queued.
type Observer interface {
	Solver
	// Observe queues the measurement of the state as it is. All ranks call it at the same moments.
	Observe(ctx context.Context) error
	// Observed returns what Measure would have, of the earliest observation that was not returned. It waits for that, and
	// not for steps that were taken since. All ranks call it at the same moments.
	Observed(ctx context.Context) ([]Quantity, error)
}

// Observations is how many an [Observer] has room for.
const Observations = 8

// Observing holds the buffers of pending observations, and one of an observation that is waited for at once.
type Observing[T any] struct {
	now     T
	rooms   [Observations]T
	first   int // of those under way
	waiting int // how many these are
}

// All are all buffers.
func (o *Observing[T]) All() []*T {
	all := []*T{&o.now}
	for k := range o.rooms {
		all = append(all, &o.rooms[k])
	}
	return all
}

// Now is the buffer of an observation that is waited for at once.
func (o *Observing[T]) Now() *T { return &o.now }

// Begin is the buffer of the next observation.
func (o *Observing[T]) Begin() (*T, error) {
	if o.waiting == Observations {
		return nil, errors.New("an observation too many is under way")
	}
	room := &o.rooms[(o.first+o.waiting)%Observations]
	o.waiting++
	return room, nil
}

// End is the buffer of the earliest pending observation, which is then no longer pending. It is valid until the next
// Begin.
func (o *Observing[T]) End() (*T, error) {
	if o.waiting == 0 {
		return nil, errors.New("no observation is under way")
	}
	room := &o.rooms[o.first]
	o.first = (o.first + 1) % Observations
	o.waiting--
	return room, nil
}
