package relief

import (
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/formats/epsg"
	"github.com/atoll-hpc/atoll/mesh/sphere"
)

// InMetres returns positions of a case in m: longitudes and latitudes as a map has them along its middle parallel,
// others, and those without a case, as they are.
func InMetres(c *config.Case, x, y []float64) (east, north []float64) {
	if c == nil || !epsg.Geographic(c.EPSG()) || len(y) == 0 {
		return x, y
	}
	middle := (slices.Min(y) + slices.Max(y)) / 2
	east, north = make([]float64, len(x)), make([]float64, len(y))
	for i := range x {
		east[i], north[i] = sphere.Vector(middle, 0, 0, x[i], y[i])
	}
	return east, north
}
