package solvers

// Driven is a solver with numbers that a driver may set between steps (package run/drive).
type Driven interface {
	// Inputs returns the numbers, the same ones on all ranks.
	Inputs() []Input
}

// Input is a number that holds from the time at which it is set, such as the rain of a model of the weather.
// Checkpoints have it.
type Input struct {
	Name, Unit, Doc string
	Least, Most     float64 // that can be set
	Get             func() float64
	Set             func(value float64) error // before the next step; all ranks call it
}
