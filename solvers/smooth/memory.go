package smooth

import (
	"math"
	"unsafe"

	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
)

// TileBytes is what sweeps by tiles take besides the arrays of the mesh, where a GPU makes them, for so many vertices
// and samples of a metric's grid: those of uploadTiles. It is 0 where sweeps go by sets.
func (c Config) TileBytes(vertices, samples int64, precision string) int64 {
	if c.Sweep == "sets" || !tileable(&c) {
		return 0
	}
	if precision == "float32" {
		return tileBytes[float32](vertices, samples)
	}
	return tileBytes[float64](vertices, samples)
}

// Layers of vertices around those of its own that a tile moves too, and that it holds: measured on 60 to 700 vertices a
// tile.
const movedLayers, heldLayers = 0.95, 2.45

func tileBytes[F num.Float](vertices, samples int64) int64 {
	var number F
	width := int64(unsafe.Sizeof(number))
	tiles := float64(layout.TileCount(int(vertices), float64(samples)/float64(vertices)))
	within := func(layers float64) int64 { // of all tiles, where each is a square of vertices
		side := math.Sqrt(float64(vertices)/tiles) + 2*layers
		return int64(tiles * side * side)
	}
	visits, slots := within(movedLayers), within(heldLayers)
	each := 2 * (int64(unsafe.Sizeof(kernels.Place[F]{})+unsafe.Sizeof(kernels.Row[F]{})) + width)
	return vertices*(each+4) + visits*int64(unsafe.Sizeof(kernels.Visit{})) + slots*4 +
		int64(tiles)*int64(unsafe.Sizeof(kernels.Tile{})+unsafe.Sizeof(kernels.Window{})) +
		samples*(int64(unsafe.Sizeof(kernels.Row[F]{}))+width)
}
