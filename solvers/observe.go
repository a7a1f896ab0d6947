package solvers

import (
	"context"
	"errors"

	"github.com/atoll-hpc/atoll/dist"
)

// Observer is a solver that can queue measurements on its device between steps, without waiting for their results.
type Observer interface {
	Solver
	// Observe queues a measurement of the current state. All ranks call it at the same steps.
	Observe(ctx context.Context) error
	// Observed adds what ranks must reduce of the earliest pending observation, and returns its result, which equals that
	// of Measure at the time of Observe; quantities that are no column may be missing. It waits for that measurement, but
	// not for later steps. All ranks call it at the same steps, and use the result before they call Observe again.
	Observed(ctx context.Context, to *dist.Joint) (dist.Result[[]Quantity], error)
}

// MaxObservations is the largest number of pending observations of an [Observer].
const MaxObservations = 8

// ObservationBuffers holds the buffers of pending observations in a ring, and one buffer for measurements that are not
// queued.
type ObservationBuffers[T any] struct {
	now     T
	ring    [MaxObservations]T
	first   int // index in the ring of the earliest pending observation
	pending int // number of pending observations
}

// All returns all buffers.
func (o *ObservationBuffers[T]) All() []*T {
	all := []*T{&o.now}
	for k := range o.ring {
		all = append(all, &o.ring[k])
	}
	return all
}

// Now returns the buffer for a measurement that is not queued.
func (o *ObservationBuffers[T]) Now() *T { return &o.now }

// Begin returns the buffer for the next observation, which becomes pending.
func (o *ObservationBuffers[T]) Begin() (*T, error) {
	if o.pending == MaxObservations {
		return nil, errors.New("too many pending observations")
	}
	buffer := &o.ring[(o.first+o.pending)%MaxObservations]
	o.pending++
	return buffer, nil
}

// End returns the buffer of the earliest pending observation, which is no longer pending. Buffers are valid until the
// next Begin.
func (o *ObservationBuffers[T]) End() (*T, error) {
	if o.pending == 0 {
		return nil, errors.New("no pending observation")
	}
	buffer := &o.ring[o.first]
	o.first = (o.first + 1) % MaxObservations
	o.pending--
	return buffer, nil
}
