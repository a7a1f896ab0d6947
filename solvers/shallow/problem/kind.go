package problem

import (
	"slices"

	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/remesh"
)

func init() {
	solvers.Register(solvers.Kind{Name: "shallow-water", Title: "Two-layer and one-layer shallow water on triangles",
		Decode: Decode, New: newSolver, Needs: memory, Copies: copies, Estimate: estimate,
		Fields:     slices.Concat(twoLayers, oneLayer, maxima()),
		Quantities: slices.Concat(quantities(), flooded, remesh.Quantities),
		Flows:      slices.Concat(flowsOfTwo, flowsOfOne)})
}
