package problem

import (
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
	"github.com/atoll-hpc/atoll/solvers/levelset"
)

func needOf(c *config.Case, held solvers.Counts) levelset.Need {
	w := c.Sections.(*Sections)
	return w.Method.Config().Need(held.Block, held.InterfaceEdges, w.Method.Precision)
}

// arrayBytes returns the bytes of a block's arrays on the device; without particles if the edges that the interface
// crosses were not counted.
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
	levelSet, particles := method.Config().StateBytes(held.Block, held.InterfaceEdges, method.Precision)
	n.Checkpoint, n.Surface = levelSet+particles, levelSet
	n.HostSurface = solvers.SurfaceBytes(levelSet, method.Precision)
	n.HostShape, n.HostShapeSource = method.Config().ParticleFileBytes(held.Block, held.InterfaceEdges)
	if slices.Contains(c.Output.Fields, levelset.Fields[0].Name) {
		n.Frame = levelSet
	}
	return n
}

// estimate estimates the largest block, and its share of the particles at the start. There may be more particles later
// if the interface grows, and a rank may have more than its share if only cells are balanced.
func estimate(c *config.Case, ranks int, separate bool) (solvers.Estimate, error) {
	w := c.Sections.(*Sections)
	estimated, err := domain.Estimate(&w.Grid, w.Method.Config().Ghosts(), ranks, separate)
	if err != nil {
		return estimated, err
	}
	if w.Method.Particles > 0 {
		body, failed, err := shape.Parse(w.Shape, w.Grid.Dim, c.Path)
		if err != nil {
			return estimated, fmt.Errorf("[initial] shape: %w", err)
		}
		edges := interfaceEdges(estimated.LargestShare.Block.Grid, body)
		if err := failed(); err != nil {
			return estimated, fmt.Errorf("[initial] shape: %w", err)
		}
		estimated.LargestShare.InterfaceEdges = (edges + ranks - 1) / ranks
	}
	n := needOf(c, estimated.LargestShare)
	estimated.StartHost = n.Host
	if separate {
		estimated.Host = solvers.Width(w.Method.Precision) * int64(estimated.LargestShare.Held)
	}
	return estimated, nil
}

// sampledCells is the largest number of cells along an axis of the coarse grid on which a body is sampled.
const sampledCells = 48

// interfaceEdges estimates the number of pairs of neighbouring cells that the surface of a body separates, from a
// coarser grid: a coarse pair represents all pairs of cells on both sides of that face. For cells that are not
// cubes it returns the number of pairs in a grid of cubes in which particles are seeded in the same volume.
func interfaceEdges(g *grid.Grid, body shape.Body) int {
	coarse := *g
	longest, volume := 0.0, g.CellVolume()
	for d := range g.Dim {
		coarse.N[d] = min(g.N[d], sampledCells)
		longest = max(longest, g.Spacing(d))
	}
	w := weightCounter{g: &coarse, body: body}
	area, bodyVolume := 0.0, 0.0 // area of the faces of coarse cells that the interface crosses, and volume of the body
	var cell [3]int
	for c := range coarse.N[0] * coarse.N[1] * coarse.N[2] {
		cell[0], cell[1], cell[2] = c%coarse.N[0], c/coarse.N[0]%coarse.N[1], c/coarse.N[0]/coarse.N[1]
		inside := w.inside(cell)
		if inside {
			bodyVolume += coarse.CellVolume()
		}
		for d := range g.Dim {
			next := cell
			if next[d]++; next[d] < coarse.N[d] && w.inside(next) != inside {
				area += coarse.CellVolume() / coarse.Spacing(d)
			}
		}
	}
	if area == 0 {
		return 0
	}
	mean := math.Sqrt(volume)
	share := levelset.SeededLayers(longest, mean)
	if g.Dim == 3 {
		mean = math.Cbrt(volume)
		share = levelset.SeededLayers(longest, mean)
		// The shell around a ball has more volume than area times thickness. The radius is 3V/A; the faces that
		// approximate a sphere have 1.5 times its area.
		thickness, radius := levelset.Layers*share*mean, 3*bodyVolume/(area/1.5)
		share *= 1 + thickness*thickness/(12*radius*radius)
	}
	return int(area * mean * share / volume)
}
