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

// weigher finds what slabs of cells cost: each cell 1, and as much again each particle, which takes as long in a step.
// particles is how many a cell next to the interface has.
type weigher struct {
	g         *grid.Grid
	body      shape.Body
	particles int64

	lock    sync.Mutex
	weights domain.Weights
}

// empty is another weigher of the same, which knows of no particles yet.
func (w *weigher) empty() *weigher {
	e := &weigher{g: w.g, body: w.body, particles: w.particles}
	for axis := range e.weights {
		e.weights[axis] = make([]int64, w.g.N[axis])
	}
	return e
}

// add adds what another one has found.
func (w *weigher) add(o *weigher) {
	w.lock.Lock()
	defer w.lock.Unlock()
	for axis, of := range o.weights {
		for i, v := range of {
			w.weights[axis][i] += v
		}
	}
}

// sown is how many cells from the interface particles are sown.
const sown = 3

// weights are those of a body at the start. Ranks share the work, and all get the same.
func weights(ctx context.Context, comm dist.Comm, g *grid.Grid, text string, path func(string) string,
	particles int) (*domain.Weights, error) {
	body, failed, err := shape.Parse(text, g.Dim, path)
	w := (&weigher{g: g, body: body, particles: int64(particles)}).empty()
	last := g.Dim - 1
	if err == nil {
		// Slabs go in turn to ranks, and of a rank to goroutines.
		first, turn := comm.Rank(), comm.Size()
		err = parallel.Each(ctx, "weights", max(0, g.N[last]-first+turn-1)/turn, 1, func(lo, hi int) error {
			part := w.empty()
			for n := lo; n < hi; n++ {
				part.slab(last, first+n*turn)
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

// slab adds the particles near where the interface crosses edges between the centres of a slab and those after them.
func (w *weigher) slab(axis, at int) {
	n := w.g.N
	n[axis] = 1
	var cell [3]int
	for c := range n[0] * n[1] * n[2] {
		cell[0], cell[1], cell[2] = c%n[0], c/n[0]%n[1], c/n[0]/n[1]
		cell[axis] += at
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

// crossed weighs the particles around an edge along an axis, which are before and behind it along that.
func (w *weigher) crossed(cell [3]int, axis int) {
	for d := range w.g.Dim {
		if d != axis {
			w.weights[d][cell[d]] += 2 * sown * w.particles
			continue
		}
		for i := max(0, cell[d]-sown+1); i <= min(w.g.N[d]-1, cell[d]+sown); i++ {
			w.weights[d][i] += w.particles
		}
	}
}

// tellShares tells how many particles ranks have.
func tellShares(ctx context.Context, comm dist.Comm, to io.Writer, own int64) error {
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
