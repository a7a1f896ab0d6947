package problem

import (
	"slices"

	"github.com/atoll-hpc/atoll/solvers"
)

func init() {
	solvers.Register(solvers.Kind{Name: "vof", Title: "Volume of fluid on grids, in a given flow", Decode: Decode,
		New: newSolver, Needs: memory, Copies: copies, Estimate: estimate, Fields: fields,
		Quantities: slices.Concat(quantities, endQuantities)})
}
