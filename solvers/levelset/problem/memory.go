package problem

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
	"github.com/atoll-hpc/atoll/solvers/levelset"
)

func needOf(c *config.Case, held solvers.Counts) levelset.Need {
	w := c.Sections.(*Sections)
	return w.Method.Config().Need(held.Block, held.Crossed, w.Method.Precision)
}

// memory is what the arrays of a block take. Where nobody has counted the edges that the surface crosses, particles are
// left out.
func memory(c *config.Case, held solvers.Counts) int64 {
	n := needOf(c, held)
	if held.Apart {
		return n.Arrays + n.Later + n.Scratch
	}
	return n.Arrays + n.Later
}

// foresee counts the fullest block, and its share of the particles at the start. They may become more where the surface
// grows, and a rank may have more of them than its share where blocks are balanced by cells alone.
func foresee(c *config.Case, ranks int, separate bool) (solvers.Foreseen, error) {
	w := c.Sections.(*Sections)
	f, err := domain.Foresee(&w.Grid, w.Method.Config().Ghosts(), ranks, separate)
	if err != nil {
		return f, err
	}
	if w.Method.Particles > 0 {
		body, failed, err := shape.Parse(w.Shape, w.Grid.Dim, c.Path)
		if err != nil {
			return f, fmt.Errorf("[initial] shape: %w", err)
		}
		all := crossedBy(f.Held.Block.Grid, body)
		if err := failed(); err != nil {
			return f, fmt.Errorf("[initial] shape: %w", err)
		}
		f.Held.Crossed = (all + ranks - 1) / ranks
	}
	n := needOf(c, f.Held)
	f.Host = n.Host
	return f, nil
}

// sampledCells is how many cells along an axis a body is sampled in, at most.
const sampledCells = 48

// crossedBy estimates how many edges between neighbouring cells the surface of a body crosses, from a coarser grid:
// each of its edges stands for all edges of the fine grid through the same side of a coarse cell. Where cells are no
// cubes it is the number of crossed cubes around which particles would be seeded in the same volume.
func crossedBy(g *grid.Grid, body shape.Body) int {
	coarse := *g
	longest, volume := 0.0, g.CellVolume()
	for d := range g.Dim {
		coarse.N[d] = min(g.N[d], sampledCells)
		longest = max(longest, g.Spacing(d))
	}
	w := weigher{g: &coarse, body: body}
	area, within := 0.0, 0.0 // of sides of coarse cells between which the surface lies, and the volume of the body
	var cell [3]int
	for c := range coarse.N[0] * coarse.N[1] * coarse.N[2] {
		cell[0], cell[1], cell[2] = c%coarse.N[0], c/coarse.N[0]%coarse.N[1], c/coarse.N[0]/coarse.N[1]
		inside := w.inside(cell)
		if inside {
			within += coarse.CellVolume()
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
	share := levelset.SownLayers(longest, mean)
	if g.Dim == 3 {
		mean = math.Cbrt(volume)
		share = levelset.SownLayers(longest, mean)
		// A shell around a ball has more volume than its area times its thickness. The radius is 3V/A; the sides of cells
		// that stand for the sphere have 1.5 times its area.
		thick, radius := levelset.Layers*share*mean, 3*within/(area/1.5)
		share *= 1 + thick*thick/(12*radius*radius)
	}
	return int(area * mean * share / volume)
}
