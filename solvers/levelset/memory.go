package levelset

import (
	"math"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// Need is the memory that a block needs, in bytes.
type Need struct {
	Arrays  int64 // on the device
	Scratch int64 // memory that sorts of particles need in addition, on a device with separate memory
	Host    int64 // in the host's memory
}

// Need estimates the memory of a block whose initial interface separates a number of pairs of neighbouring cells,
// `crossed`, by declaring its arrays. The need grows if the interface does.
func (c Config) Need(b *grid.Block, crossed int, precision string) Need {
	if precision == "float32" {
		return needOf[float32](c, b, crossed)
	}
	return needOf[float64](c, b, crossed)
}

func needOf[F num.Float](c Config, b *grid.Block, crossed int) (n Need) {
	t := engine.NewTable(nil)
	a := declare[F](t, c, b, 0, nil)
	n.Host = 3 * 8 * int64(b.Len()) // while the level set is computed
	if c.Particles > 0 {
		seeded := c.seededParticles(crossed, b.Grid.Dim)
		_ = a.particles.set.Reserve(seeded) // only counted
		if c.Sort > 0 || c.Reseed > 0 {
			n.Scratch = backend.OrderScratch(seeded)
		}
		particle := int64(unsafe.Sizeof(kernels.Particle[F]{})) + 8
		n.Host += int64(seeded) * 5 / 4 * (particle + 8)
	}
	n.Arrays = t.Bytes() + 8*int64(b.BoundaryGhostCount())
	return n
}

// ParticleFileBytes returns the size on the host of the particles at the start in a frame, and of the arrays that exist
// only while the frame is made of them.
func (c Config) ParticleFileBytes(b *grid.Block, crossed int) (shown, source int64) {
	// Position, number, sign, radius, escaped, connectivity, offset, and rank of a particle in a file.
	const inFile = 3*8 + 8 + 4 + 8 + 1 + 8 + 8 + 4
	const downloaded = 4*8 + 8
	n := int64(c.seededParticles(crossed, b.Grid.Dim))
	return n * inFile * 5 / 4, n * (downloaded + inFile) // arrays are extended by a quarter, and copied for it
}

// StateBytes returns the size of the level set of a block, and of its particles at the start.
func (c Config) StateBytes(b *grid.Block, crossed int, precision string) (levelSet, particles int64) {
	width := solvers.Width(precision)
	return width * int64(b.Len()), 4 * width * int64(c.seededParticles(crossed, b.Grid.Dim))
}

// Layers is the thickness of the layer of seeded dual cells around an interface, in cubic cells. It was counted
// around balls.
const Layers = 7.53

// SeededLayers returns the thickness relative to Layers for cells that are not cubes: the band on both sides is
// proportional to the longest spacing, the remainder to the mean spacing.
func SeededLayers(longest, mean float64) float64 {
	return (2*seededBand*longest/mean + Layers - 2*seededBand) / Layers
}

// seededParticles estimates the number of seeded particles from the number of cell pairs that the interface separates:
// an isotropic surface separates 1.5 pairs per cell of its area in space, and 4/π per cell of its length in the plane.
func (c Config) seededParticles(crossed, dim int) int {
	size := float64(crossed) / 1.5
	if dim == 2 {
		size = float64(crossed) * math.Pi / 4
	}
	return int(2 * float64(c.Particles) * Layers * size)
}
