package bench

import (
	"fmt"
	"slices"

	_ "github.com/atoll-hpc/atoll/solvers/shallow/problem" // registers the solver of these cases
)

// caseText returns the text of a case that needs as much memory as a measurement on a number of cells.
func caseText(cells int, precision string, order int) string {
	return fmt.Sprintf("solver = 'shallow-water'\n"+
		"mesh = { generate = 'rectangle', bounds = [-5, -5, 5, 5], cells = %d }\n"+
		"physics = { density_ratio = 0.5, precision = '%s', order = %d }\ninitial = { depth = 5, h1 = 2, h2 = 3 }\n"+
		"time = { end = 1 }\n", cells, precision, order)
}

// largestCases returns the texts of cases that need as much memory as the largest measurements.
func (o *StepOptions) largestCases() (texts []string) {
	for _, precision := range o.Precisions {
		for _, order := range o.Accuracy {
			texts = append(texts, caseText(slices.Max(o.Cells), precision, order))
		}
	}
	return texts
}

func (o *ScalingOptions) largestCases() (texts []string) {
	cells := o.Cells
	if o.Weak {
		cells *= slices.Max(o.Ranks)
	}
	for _, precision := range o.Precisions {
		texts = append(texts, caseText(cells, precision, 1))
	}
	return texts
}
