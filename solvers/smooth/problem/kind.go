package problem

import (
	"slices"

	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth/adaptation"
)

func init() {
	solvers.Register(solvers.Kind{Name: "smooth", Title: "Mesh smoothing toward a metric", Decode: Decode, New: newSolver,
		Needs: memory, Copies: copies, Estimate: estimate, Fields: fields,
		Quantities: slices.Concat(quantities, endQuantities), Sweeps: true,
		Commands: []solvers.Command{command, adaptation.Command}})
}
