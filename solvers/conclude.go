package solvers

import "context"

// Concluder is a solver with metrics that can be computed only at the end of a run.
type Concluder interface {
	// Conclude returns metrics of the whole run for the summary. Metrics that the case does not have are left out.
	// They are the same on all ranks and for any number of ranks.
	Conclude(ctx context.Context) ([]Quantity, error)
}
