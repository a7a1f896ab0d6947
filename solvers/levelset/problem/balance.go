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

// weigher computes the cost of slabs of cells: 1 for each cell, and 1 for each particle, which takes about as long in
// a step. particles is the number of particles in a cell next to the interface.
type weigher struct {
	g         *grid.Grid
	body      shape.Body
	particles int64

	lock    sync.Mutex
	weights domain.Weights
}

// empty returns a weigher for the same body without counts.
func (w *weigher) empty() *weigher {
	e := &weigher{g: w.g, body: w.body, particles: w.particles}
	for axis := range e.weights {
		e.weights[axis] = make([]int64, w.g.N[axis])
	}
	return e
}

// add adds the weights of another weigher.
func (w *weigher) add(o *weigher) {
	w.lock.Lock()
	defer w.lock.Unlock()
	for axis, of := range o.weights {
		for i, v := range of {
			w.weights[axis][i] += v
		}
	}
}

// seededBand is the half-width in cells of the seeded band.
const seededBand = 3

// weights returns the weights for a body at the start. Ranks share the work, and all get the same result.
func weights(ctx context.Context, comm dist.Comm, g *grid.Grid, text string, path func(string) string,
	particles int) (*domain.Weights, error) {
	body, failed, err := shape.Parse(text, g.Dim, path)
	w := (&weigher{g: g, body: body, particles: int64(particles)}).empty()
	last := g.Dim - 1
	if err == nil {
		// Slabs are distributed cyclically to ranks, and those of a rank to goroutines.
		first, ranks := comm.Rank(), comm.Size()
		err = parallel.Each(ctx, "weights", max(0, g.N[last]-first+ranks-1)/ranks, 1, func(lo, hi int) error {
			part := w.empty()
			for n := lo; n < hi; n++ {
				part.slab(last, first+n*ranks)
			}
			w.add(part)
			return nil
		})
		err = cmp.Or(failed(), err)
	}
	if err != nil {
		err = fmt.Errorf("[initial] shape: %w", err)
	}
	if err := solvers.Agree(ctx, comm, err); err != nil {
		return nil, err
	}
	for axis, of := range w.weights {
		if err := comm.AllreduceInt64(ctx, dist.Sum, of); err != nil {
			return nil, err
		}
		for i := range of {
			of[i] += int64(g.Cells() / g.N[axis])
		}
	}
	return &w.weights, nil
}

// slab adds the particles near the edges between the centres of a slab's cells and the next cells that the interface
// crosses.
func (w *weigher) slab(axis, position int) {
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
				w.crossed(cell, d)
			}
		}
	}
}

func (w *weigher) inside(cell [3]int) bool {
	x := [3]float64{w.g.Lo[0], w.g.Lo[1], w.g.Lo[2]}
	for d := range w.g.Dim {
		x[d] = w.g.Centre(d, cell[d])
	}
	return w.body.Phi(x[0], x[1], x[2]) < 0
}

// crossed adds the particles around an edge that the interface crosses.
func (w *weigher) crossed(cell [3]int, axis int) {
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

// logShares logs the distribution of particles over ranks.
func logShares(ctx context.Context, comm dist.Comm, to io.Writer, own int64) error {
	sums, most, least := []int64{own}, []int64{own}, []int64{own}
	for _, r := range []struct {
		op dist.Op
		of []int64
	}{{dist.Sum, sums}, {dist.Max, most}, {dist.Min, least}} {
		if err := comm.AllreduceInt64(ctx, r.op, r.of); err != nil {
			return err
		}
	}
	if to != nil && comm.Size() > 1 && sums[0] > 0 {
		mean := float64(sums[0]) / float64(comm.Size())
		fmt.Fprintf(to, "%-16s %d, on a rank %d to %d, %.2f times the mean\n", "particles", sums[0], least[0], most[0],
			float64(most[0])/mean)
	}
	return nil
}
