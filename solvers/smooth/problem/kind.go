package problem

import "github.com/atoll-hpc/atoll/solvers"

func init() {
	solvers.Register(solvers.Kind{Name: "smooth", Title: "Mesh smoothing toward a metric", Decode: Decode,
		New: newSolver, Commands: []solvers.Command{command}})
}
