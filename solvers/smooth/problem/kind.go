package problem

import "github.com/atoll-hpc/atoll/solvers"

func init() {
	solvers.Register(solvers.Kind{Name: "smooth", Title: "Mesh smoothing toward a metric", Decode: Decode, New: newSolver,
		Needs: memory, Copies: copies, Estimate: estimate, Fields: fields, Quantities: quantities, Sweeps: true,
		Commands: []solvers.Command{command}})
}
