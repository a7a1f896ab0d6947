package bench

import (
	"fmt"
	"slices"

	_ "github.com/atoll-hpc/atoll/solvers/shallow/problem" // whose cases these are
)

// textOf returns a case that needs as much memory as a measurement on a number of cells.
func textOf(cells int, precision string, order int) string {
	return fmt.Sprintf("solver = 'shallow-water'\n"+
		"mesh = { generate = 'rectangle', bounds = [-5, -5, 5, 5], cells = %d }\n"+
		"physics = { density_ratio = 0.5, precision = '%s', order = %d }\ninitial = { depth = 5, h1 = 2, h2 = 3 }\n"+
		"time = { end = 1 }\n", cells, precision, order)
}

// largest returns cases that need as much memory as the largest measurements.
func (o *StepOptions) largest() (texts []string) {
	for _, precision := range o.Precisions {
		for _, order := range o.Accuracy {
			texts = append(texts, textOf(slices.Max(o.Cells), precision, order))
		}
	}
	return texts
}

func (o *ScalingOptions) largest() (texts []string) {
	cells := o.Cells
	if o.Weak {
		cells *= slices.Max(o.Ranks)
	}
	for _, precision := range o.Precisions {
		texts = append(texts, textOf(cells, precision, 1))
	}
	return texts
}
