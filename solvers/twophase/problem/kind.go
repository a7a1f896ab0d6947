package problem

import (
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/twophase"
)

func init() {
	solvers.Register(solvers.Kind{Name: "two-phase", Title: "Incompressible flow of one or two fluids on grids",
		Decode: Decode, New: newSolver, Needs: memory, Copies: copies, Estimate: estimate, Fields: twophase.Fields,
		Quantities: twophase.Quantities})
}

// memory returns the bytes of a block's arrays on the device.
func memory(c *config.Case, share solvers.Counts) int64 {
	w := c.Sections.(*Sections)
	cfg := w.Config()
	var err error
	if cfg.Solid, _, err = solids(w.Solids, w.Grid.Dim, c.Path); err != nil {
		return 0 // newSolver returns this error
	}
	return cfg.Need(share.Block, w.Method.Precision)
}

// copies returns the bytes of the copies of a block's state that output makes.
func copies(c *config.Case, share solvers.Counts) (n solvers.Copies) {
	precision := c.Sections.(*Sections).Method.Precision
	one := solvers.Width(precision) * int64(share.Held)
	n.Checkpoint, n.Surface, n.HostSurface = int64(2+share.Dim)*one, one, solvers.SurfaceBytes(one, precision)
	n.HostShapeSource = one + solvers.Width("float64")*int64(share.Dim)*int64(share.Owned) // a copy, and velocities
	for _, name := range c.Output.Fields {
		if name == "f" || name == "p" {
			n.Frame += one
		}
	}
	return n
}

// estimate estimates the largest block.
func estimate(c *config.Case, ranks int, separate bool) (solvers.Estimate, error) {
	w := c.Sections.(*Sections)
	f, err := domain.EstimateDivided(&w.Grid, twophase.Ghosts, ranks, separate, func(g *grid.Grid) domain.Division {
		return twophase.Divide(g)
	})
	held := int64(f.LargestShare.Held)
	f.StartHost = 8 * held
	if separate {
		f.Host = solvers.Width(w.Method.Precision) * held * int64(1+w.Grid.Dim)
	}
	return f, err
}
