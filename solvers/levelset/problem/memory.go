package problem

import (
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/levelset"
)

func needOf(c *config.Case, held solvers.Counts) levelset.Need {
	w := c.Sections.(*Sections)
	return w.Method.Config().Need(held.Block, held.InterfaceCells, w.Method.Precision)
}

// arrayBytes returns the bytes of a block's arrays on the device; without particles if the cells in which they are
// seeded were not counted.
func arrayBytes(c *config.Case, held solvers.Counts) int64 {
	n := needOf(c, held)
	if held.SeparateMemory { // only these devices sort by backend.Primitives, which needs scratch memory
		return n.Arrays + n.Scratch
	}
	return n.Arrays
}

// copyBytes returns the bytes of the copies of a block's state that output makes.
func copyBytes(c *config.Case, held solvers.Counts) (n solvers.Copies) {
	method := c.Sections.(*Sections).Method
	levelSet, particles := method.Config().StateBytes(held.Block, held.InterfaceCells, method.Precision)
	n.Checkpoint, n.Surface = levelSet+particles, levelSet
	n.HostSurface = solvers.SurfaceBytes(levelSet, method.Precision)
	n.HostShape, n.HostShapeSource = method.Config().ParticleFileBytes(held.InterfaceCells)
	if slices.Contains(c.Output.Fields, levelset.Fields[0].Name) {
		n.Frame = levelSet
	}
	return n
}

// estimate estimates the block that needs the most memory, with its particles at the start. There may be more particles
// later if the interface grows.
func estimate(c *config.Case, ranks int, separate bool) (solvers.Estimate, error) {
	w := c.Sections.(*Sections)
	blocks, cells, err := seededShares(c, ranks)
	if err != nil {
		return solvers.Estimate{}, err
	}
	var largest solvers.Counts
	most, seeded := int64(-1), 0
	for k, b := range blocks {
		share := b.Counts()
		share.InterfaceCells, share.SeparateMemory = cells[k], separate
		if n := arrayBytes(c, share); n > most {
			most, largest = n, share
		}
		seeded += cells[k]
	}
	estimateOf := func(share solvers.Counts) (e solvers.Estimate) {
		e.Entities, e.LargestShare, e.StartHost = int64(blocks[0].Grid.Cells()), share, needOf(c, share).Host
		if separate {
			e.Host = solvers.Width(w.Method.Precision) * int64(share.Held)
		}
		if moves(w, ranks, separate) {
			e.Host += arrayBytes(c, share) // of what a block has sent, while the arrays of the next are filled
		}
		return e
	}
	e, mean := estimateOf(largest), largest // of the other ranks
	mean.InterfaceCells = (seeded - largest.InterfaceCells) / max(1, ranks-1)
	others := estimateOf(mean)
	e.Others = &others
	return e, nil
}
