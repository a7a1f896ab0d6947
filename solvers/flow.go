package solvers

import "context"

// Flowing is a solver in two dimensions with fluxes that transects integrate along lines.
type Flowing interface {
	// Flows returns the fluxes, in the order of the documentation. They do not change during a run.
	Flows() []Flow
}

// Flow is the flux density of one quantity on a space in the plane.
type Flow struct {
	Name, Unit, Doc string // of the integral along a line, such as a discharge
	Space           *Space
	// ValuesAt writes the flux density at some owned entities to values, two components each: the amount that passes per
	// second through one metre of a line normal to x, and of one normal to y. All ranks call it at the same steps.
	ValuesAt func(ctx context.Context, entities []int, values []float64) error
}
