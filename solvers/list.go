package solvers

import "context"

// Lister is a solver with tables of things whose number changes, such as drops.
type Lister interface {
	// Lists returns the tables. They do not change during a run.
	Lists() []List
}

// List is a table with a row for each of some things at some times.
type List struct {
	Name    string // of the file, without extension
	Columns []Quantity
	Every   float64 // s between times; 0 for one after each step
	// Rows returns the rows of the current state, which are the same for any number of ranks. All ranks call it; rank 0
	// uses the result.
	Rows func(ctx context.Context) ([][]float64, error)
}
