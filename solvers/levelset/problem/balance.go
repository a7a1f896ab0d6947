package problem

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// weightCounter computes the cost of slabs of cells: 1 for each cell, and 1 for each particle, which takes about as
// long in a step. particles is the number of particles in a seeded cell.
type weightCounter struct {
	g         *grid.Grid
	inside    func(cell [3]int) bool // the centre of a cell is inside the body
	particles int64

	lock    sync.Mutex
	weights domain.Weights
}

// emptyCopy returns a counter for the same body with weights of 0.
func (w *weightCounter) emptyCopy() *weightCounter {
	empty := &weightCounter{g: w.g, inside: w.inside, particles: w.particles}
	for axis := range empty.weights {
		empty.weights[axis] = make([]int64, w.g.N[axis])
	}
	return empty
}

// addWeights adds the weights of another counter.
func (w *weightCounter) addWeights(other *weightCounter) {
	w.lock.Lock()
	defer w.lock.Unlock()
	for axis, axisWeights := range other.weights {
		for i, v := range axisWeights {
			w.weights[axis][i] += v
		}
	}
}

// seededBand is the half-width in cells of the band in which package levelset seeds particles.
const seededBand = 3

// countWeights returns the weights of the slabs along each axis for a body at the start. Ranks share the work, and
// all get the same result.
func countWeights(ctx context.Context, comm dist.Comm, g *grid.Grid, text string, path func(string) string,
	particles int) (*domain.Weights, error) {
	body, evaluationErr, err := shape.Parse(text, g.Dim, path)
	w := (&weightCounter{g: g, inside: insideOf(g, body), particles: int64(particles)}).emptyCopy()
	last := g.Dim - 1
	if err == nil {
		// Slabs are distributed cyclically to ranks, and those of a rank to goroutines.
		first, ranks := comm.Rank(), comm.Size()
		err = parallel.Each(ctx, "weights", max(0, g.N[last]-first+ranks-1)/ranks, 1, func(lo, hi int) error {
			part := w.emptyCopy()
			for n := lo; n < hi; n++ {
				part.addSlab(last, first+n*ranks)
			}
			w.addWeights(part)
			return nil
		})
		err = cmp.Or(evaluationErr(), err)
	}
	if err != nil {
		err = fmt.Errorf("[initial] shape: %w", err)
	}
	if err := solvers.Agree(ctx, comm, err); err != nil {
		return nil, err
	}
	for _, axisWeights := range w.weights {
		if err := comm.AllreduceInt64(ctx, dist.Sum, axisWeights); err != nil {
			return nil, err
		}
	}
	return w.withCells(), nil
}

// withCells returns the weights together with those of cells.
func (w *weightCounter) withCells() *domain.Weights {
	for axis, axisWeights := range w.weights {
		for i := range axisWeights {
			axisWeights[i] += int64(w.g.Cells() / w.g.N[axis])
		}
	}
	return &w.weights
}

// addSlab adds the particles of a slab of cells: those near each edge that the interface crosses, between the
// centres of a cell and of the next one along an axis.
func (w *weightCounter) addSlab(axis, position int) {
	n := w.g.N
	n[axis] = 1
	var cell [3]int
	for c := range n[0] * n[1] * n[2] {
		cell[0], cell[1], cell[2] = c%n[0], c/n[0]%n[1], c/n[0]/n[1]
		cell[axis] += position
		inside := w.inside(cell)
		for d := range w.g.Dim {
			next := cell
			if next[d]++; next[d] < w.g.N[d] && w.inside(next) != inside {
				w.addEdge(cell, d)
			}
		}
	}
}

// insideOf tells whether the centre of a cell is inside a body.
func insideOf(g *grid.Grid, body shape.Body) func(cell [3]int) bool {
	return func(cell [3]int) bool {
		x := [3]float64{g.Lo[0], g.Lo[1], g.Lo[2]}
		for d := range g.Dim {
			x[d] = g.Centre(d, cell[d])
		}
		return body.Phi(x[0], x[1], x[2]) < 0
	}
}

// addEdge adds the particles around an edge that the interface crosses.
func (w *weightCounter) addEdge(cell [3]int, axis int) {
	for d := range w.g.Dim {
		if d != axis {
			w.weights[d][cell[d]] += 2 * seededBand * w.particles
			continue
		}
		for i := max(0, cell[d]-seededBand+1); i <= min(w.g.N[d]-1, cell[d]+seededBand); i++ {
			w.weights[d][i] += w.particles
		}
	}
}

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
