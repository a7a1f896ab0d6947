package solvers

// Sampler is a solver whose device can note, in each step, what entities hold at which somebody looks, while many steps
// are queued.
type Sampler interface {
	Solver
	// Sample has Advance note what Pick of the named fields, and Flow.At, tell of some owned entities. It returns false
	// where the solver cannot, or gains nothing. All ranks call it once, before the first step.
	Sample(fields []string, entities []int) (bool, error)
	// Sampled are the times at the ends of the steps that the last Advance took.
	Sampled() []float64
	// Turn has Pick and Flow.At of these entities tell of the k-th of these moments, until the next Advance.
	Turn(k int)
}
