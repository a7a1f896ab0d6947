package problem

import "github.com/atoll-hpc/atoll/solvers"

func init() {
	solvers.Register(solvers.Kind{Name: "level-set", Title: "Particle level set on grids, in a given flow", Decode: Decode,
		New: newSolver, Needs: arrayBytes, Copies: copyBytes, Estimate: estimate, Fields: fields, Quantities: quantities})
}
