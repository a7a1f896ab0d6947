package problem

import "github.com/atoll-hpc/atoll/solvers"

// Fluxes through transects of two layers, and of one.
var (
	flowsOfTwo = []solvers.Flow{
		{Name: "discharge1", Unit: "m³/s", Doc: "upper layer through the line, from its left to its right"},
		{Name: "discharge2", Unit: "m³/s", Doc: "lower layer through the line, from its left to its right"},
	}
	flowsOfOne = []solvers.Flow{
		{Name: "discharge", Unit: "m³/s", Doc: "water through the line, from its left to its right"},
	}
)
