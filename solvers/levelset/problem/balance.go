package problem

import (
	"context"
	"fmt"
	"io"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/levelset"
)

// seededBand is the half-width in cells of the band in which package levelset seeds particles.
const seededBand = 3

// costsOf are the costs of cells with particles of both signs in each seeded cell. On the blocks of many ranks, which
// are small, most bricks are active since other blocks adjoin them.
func costsOf(cfg levelset.Config, dim int) domain.InterfaceCosts {
	w := cfg.Work(dim)
	return domain.InterfaceCosts{Band: seededBand, Cell: w.Cell + w.Active, Cost: 2 * int64(cfg.Particles) * w.Particle}
}

// stepsOfMove is how many steps take as long as a move: to send the state, to evaluate the velocity, and to allocate
// arrays.
const stepsOfMove = 3

// logParticleShares logs the distribution of particles over ranks.
func logParticleShares(ctx context.Context, comm dist.Comm, to io.Writer, ownCount int64) error {
	total, largest, smallest := []int64{ownCount}, []int64{ownCount}, []int64{ownCount}
	for _, r := range []struct {
		op dist.Op
		of []int64
	}{{dist.Sum, total}, {dist.Max, largest}, {dist.Min, smallest}} {
		if err := comm.AllreduceInt64(ctx, r.op, r.of); err != nil {
			return err
		}
	}
	if to != nil && comm.Size() > 1 && total[0] > 0 {
		mean := float64(total[0]) / float64(comm.Size())
		fmt.Fprintf(to, "%-16s %d, on a rank %d to %d, %.2f times the mean\n", "particles", total[0], smallest[0], largest[0],
			float64(largest[0])/mean)
	}
	return nil
}
