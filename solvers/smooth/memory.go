package smooth

import (
	"math"
	"unsafe"

	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/survey"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
)

// SurveyBytes is the size in bytes of a survey's result, the sums and extremes of the mesh, which every rank holds.
const SurveyBytes = int64(unsafe.Sizeof(survey.Surveyed{}))

// TileBytes returns the size of the arrays that sweeps by tiles need on a GPU besides those of the mesh (see
// uploadTiles), for these numbers of vertices of the part and of nodes of the metric's grid; 0 if sweeps go by
// sets.
func (c Config) TileBytes(vertices, samples int64, precision string) int64 {
	if c.Sweep == "sets" || !hasTileKernel(&c) {
		return 0
	}
	if precision == "float32" {
		return tileBytes[float32](vertices, samples)
	}
	return tileBytes[float64](vertices, samples)
}

// Numbers of layers of vertices around a tile's own vertices that it moves as copies, and that it holds in memory,
// as measured on tiles of 60 to 700 vertices.
const movedLayers, heldLayers = 0.95, 2.45

func tileBytes[F num.Float](vertices, samples int64) int64 {
	var number F
	width := int64(unsafe.Sizeof(number))
	tiles := float64(layout.TileCount(int(vertices), float64(samples)/float64(vertices)))
	// verticesWith returns the vertices of all tiles, if each is a square of vertices with so many layers around it.
	verticesWith := func(layers float64) int64 {
		side := math.Sqrt(float64(vertices)/tiles) + 2*layers
		return int64(tiles * side * side)
	}
	visits, slots := verticesWith(movedLayers), verticesWith(heldLayers)
	perVertex := 2 * (int64(unsafe.Sizeof(kernels.Place[F]{})+unsafe.Sizeof(kernels.Row[F]{})) + width)
	return vertices*(perVertex+4) + visits*int64(unsafe.Sizeof(kernels.Visit{})) + slots*4 +
		int64(tiles)*int64(unsafe.Sizeof(kernels.Tile{})+unsafe.Sizeof(kernels.Window{})) +
		samples*(int64(unsafe.Sizeof(kernels.Row[F]{}))+width)
}
