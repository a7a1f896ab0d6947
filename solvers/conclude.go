package solvers

import "context"

// Concluder is a solver that finds some metrics at the end of a run alone.
type Concluder interface {
	// Conclude measures what all steps have led to, for the summary. What there is none of is left out. It is the same on
	// all ranks, and for any number of them.
	Conclude(ctx context.Context) ([]Quantity, error)
}
