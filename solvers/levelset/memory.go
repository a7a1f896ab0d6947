package levelset

import (
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
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

// Need estimates the memory of a block by declaring its arrays. seeded is the number of dual cells in which particles
// are seeded; the need grows with the interface.
func (c Config) Need(b *grid.Block, seeded int, precision string) Need {
	if precision == "float32" {
		return needOf[float32](c, b, seeded)
	}
	return needOf[float64](c, b, seeded)
}

func needOf[F num.Float](c Config, b *grid.Block, cells int) (n Need) {
	t := engine.NewTable(nil)
	peers, back := neighboursOf(b)
	a := declare[F](t, c, b, peers, back, nil)
	n.Host = 3 * 8 * int64(b.Len()) // while the level set is computed
	if c.Particles > 0 {
		seeded := c.seededParticles(cells)
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

// neighboursOf estimates how many other blocks are beside a block, and what they return to it.
func neighboursOf(b *grid.Block) (peers int, back halo.Return) {
	if b.N == b.Grid.N {
		return 0, back
	}
	peers, back.Plan = 1, &halo.Plan{}
	for axis := range b.Grid.Dim {
		for side, open := range b.HasNeighbours(axis) {
			if !open {
				continue
			}
			peers++
			if side == 0 {
				back.Plan.Ghosts += b.Cells()/b.N[axis] + b.N[0] + b.N[1] + b.N[2]
			}
		}
	}
	list := make([]int32, back.Plan.Ghosts)
	back.From, back.To = list, list
	return peers, back
}

// ParticleFileBytes returns the size on the host of the particles at the start in a frame, and of the arrays that exist
// only while the frame is made of them.
func (c Config) ParticleFileBytes(seeded int) (shown, source int64) {
	// Position, number, sign, radius, escaped, connectivity, offset, and rank of a particle in a file.
	const inFile = 3*8 + 8 + 4 + 8 + 1 + 8 + 8 + 4
	const downloaded = 4*8 + 8
	n := int64(c.seededParticles(seeded))
	return n * inFile * 5 / 4, n * (downloaded + inFile) // arrays are extended by a quarter, and copied for it
}

// StateBytes returns the size of the level set of a block, and of its particles at the start.
func (c Config) StateBytes(b *grid.Block, seeded int, precision string) (levelSet, particles int64) {
	width := solvers.Width(precision)
	return width * int64(b.Len()), 4 * width * int64(c.seededParticles(seeded))
}

// seededParticles returns the number of particles that are seeded in a number of dual cells.
func (c Config) seededParticles(cells int) int { return 2 * c.Particles * cells }
