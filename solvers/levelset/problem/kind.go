package problem

import (
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/levelset"
)

func init() {
	solvers.Register(solvers.Kind{Name: "level-set", Title: "Particle level set on grids, in a given flow", Decode: Decode,
		New: newSolver, Needs: arrayBytes, Copies: copyBytes, Estimate: estimate, Fields: levelset.Fields,
		Quantities: levelset.Quantities})
}
