package bench

import (
	"fmt"
	"slices"

	_ "github.com/atoll-hpc/atoll/solvers/smooth/problem" // registers the solver of these cases
)

// maxRanks returns the largest number of ranks.
func (o *SmoothOptions) maxRanks() int { return slices.Max(append([]int{1}, o.Ranks...)) }

// largestCases returns cases that need as much memory as the largest measurements.
func (o *SmoothOptions) largestCases() (texts []string) {
	vertices := thesisSize(slices.Max(o.Sizes)).vertices
	if o.Weak {
		vertices *= o.maxRanks()
	}
	for _, smoother := range o.Smoothers {
		texts = append(texts, fmt.Sprintf("solver = 'smooth'\nmesh = { generate = 'delaunay', bounds = [0, 0, 1, 1], "+
			"cells = %d }\nmetric = { field = 'uniform' }\nmethod = { smoother = '%s', precision = '%s' }\n", 2*vertices,
			smoother, o.Precision))
	}
	return texts
}
