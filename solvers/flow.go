package solvers

import "context"

// Flowing is a solver in the plane that knows what flows through lines.
type Flowing interface {
	// Flows are what flows, in the order of the manual. They do not change.
	Flows() []Flow
}

// Flow is what flows over a space in the plane, whose entities have geometry.
type Flow struct {
	Name, Unit, Doc string // of what passes through a line
	On              *Space
	// At writes two numbers of each of some owned entities to values: what flows along x and along y through each metre of
	// a line across. All ranks call it at the same moments.
	At func(ctx context.Context, entities []int, values []float64) error
}
