package problem

import (
	"slices"

	"github.com/atoll-hpc/atoll/solvers"
)

func init() {
	solvers.Register(solvers.Kind{Name: "shallow-water", Title: "Two-layer and one-layer shallow water on triangles",
		Decode: Decode, New: newSolver, Needs: memory, Copies: copies, Estimate: estimate,
		Fields:     slices.Concat(twoLayers, oneLayer, maxima()),
		Quantities: quantities(), Flows: slices.Concat(flowsOfTwo, flowsOfOne)})
}
