package levelset

import (
	"math"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// Need is the memory of a block, in bytes.
type Need struct {
	Arrays  int64 // when it is set up
	Later   int64 // on the same device besides, in steps that sort or reseed particles
	Scratch int64 // with Later, of a device that has memory of its own
	Host    int64 // in the host's memory
}

// Need is what a block takes on a device in which a surface crosses so many edges between neighbouring cells, at the
// start: it may grow.
func (c Config) Need(b *grid.Block, crossed int, precision string) Need {
	if precision == "float32" {
		return needOf[float32](c, b, crossed)
	}
	return needOf[float64](c, b, crossed)
}

func needOf[F num.Float](c Config, b *grid.Block, crossed int) (n Need) {
	var number F
	width, cells, dim := int64(unsafe.Sizeof(number)), int64(b.Len()), b.Grid.Dim
	n.Arrays = (fields + 1 + int64(dim)) * width * cells
	bricks := kernels.CountBricks(b.N)
	n.Arrays += 8 * int64(bricks[0]) * int64(bricks[1]) * int64(bricks[2])
	n.Arrays += 8 * int64(b.Walled())
	n.Host = 3 * 8 * cells // while the level set is made
	if c.Particles == 0 {
		return n
	}
	dual := int64(1)
	for axis := range dim {
		dual *= int64(b.N[axis] + 1)
	}
	sown := c.sowing(crossed, dim)
	room := int64(sown) * 5 / 4
	particle := int64(unsafe.Sizeof(kernels.Particle[F]{})) + 8
	n.Arrays += int64(unsafe.Sizeof(kernels.Bounds[F]{}))*cells + 4*dual + room*(2*particle+2)
	if c.Sort > 0 || c.Reseed > 0 {
		n.Later, n.Scratch = 20*dual+8*room, backend.OrderScratch(sown)
	}
	n.Host += room*particle + 8*room
	return n
}

// Layers is how thick the dual cells that are seeded lie around a surface, in cubes: counted around balls.
const Layers = 7.53

// SownLayers is how thick that is, as a share of Layers, of cells that are no cubes: a band on both sides by the
// longest spacing, and what the mean one adds.
func SownLayers(longest, mean float64) float64 {
	return (2*sownBand*longest/mean + Layers - 2*sownBand) / Layers
}

// sowing is about how many particles are sown where a surface crosses so many edges between neighbouring cells: of a
// surface that has all directions alike, 1.5 a cell of its area in space, and 4/π a cell of its length in the plane.
func (c Config) sowing(crossed, dim int) int {
	size := float64(crossed) / 1.5
	if dim == 2 {
		size = float64(crossed) * math.Pi / 4
	}
	return int(2 * float64(c.Particles) * Layers * size)
}
