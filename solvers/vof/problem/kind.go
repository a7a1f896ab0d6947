package problem

import (
	"slices"

	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/vof"
)

func init() {
	solvers.Register(solvers.Kind{Name: "vof", Title: "Volume of fluid on grids, in a given flow", Decode: Decode,
		New: newSolver, Needs: memory, Copies: copies, Estimate: estimate, Fields: vof.Fields,
		Quantities: slices.Concat(vof.Quantities, vof.EndQuantities)})
}
