package solvers

import "context"

// Flowing is a solver in the plane that knows fluxes, which transects integrate along lines.
type Flowing interface {
	// Flows returns the quantities that flow, in the order in which the documentation lists them. They do not change.
	Flows() []Flow
}

// Flow is the flux of one quantity, known at the entities of a space in the plane.
type Flow struct {
	Name, Unit, Doc string // of the integral along a line, such as a discharge
	On              *Space
	// At writes the flux at each of some owned entities to values, as two components along x and y: what passes through
	// a metre of a line normal to that axis. All ranks call it, at the same steps.
	At func(ctx context.Context, entities []int, values []float64) error
}
