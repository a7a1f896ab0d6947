package solvers

// Sampler is a solver that can record values of gauges and transects on its device after each step, while many steps
// are queued.
type Sampler interface {
	Solver
	// Sample makes Advance record the named fields and the fluxes at some owned entities after each step. It returns
	// false if the solver cannot do that or would not be faster. All ranks call it once, before the first step.
	Sample(fields []string, entities []int) (bool, error)
	// Sampled returns the times at the ends of the steps that the last Advance has taken.
	Sampled() []float64
	// SelectSample makes Field.Pick and Flow.ValuesAt return, for the entities given to Sample, the values after the k-th
	// step of the last Advance. This lasts until the next Advance.
	SelectSample(k int)
}
