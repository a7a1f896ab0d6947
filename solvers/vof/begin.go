package vof

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// initialField returns the initial volume fractions with ghosts in the precision of the state, and without ghosts as
// they are in the state.
func initialField[F num.Float](ctx context.Context, b *grid.Block, fractions []float64) (start []F, begun []float64,
	err error) {
	start, begun = make([]F, b.Len()), make([]float64, len(fractions))
	row := b.N[0]
	return start, begun, parallel.Each(ctx, "volume fractions", b.N[1]*b.N[2], cellsPerWorker/row+1, func(lo,
		hi int) error {
		for r := lo; r < hi; r++ {
			first := b.Index(0, r%b.N[1], r/b.N[1])
			for i, f := range fractions[r*row : (r+1)*row] {
				if !(f >= 0 && f <= 1) {
					return fmt.Errorf("cell %d: the initial volume fraction is %g, which is not in [0, 1]", b.Number(r*row+i), f)
				}
				start[first+i], begun[r*row+i] = F(f), float64(F(f))
			}
		}
		return nil
	})
}

// rates are maxima over cells in 1/s: flow through a cell summed over the axes, flow through a cell along one axis,
// and net flow out of a cell.
type rates [3]float64

// measure updates the largest step and the divergence of the velocity, the same on all ranks; for a time series these
// are the worst so far.
func (s *solver[F]) measure(ctx context.Context, u [3][]F) error {
	var most rates
	var lock sync.Mutex
	b := s.block
	err := parallel.Each(ctx, "rates of flow", b.N[1]*b.N[2], cellsPerWorker/b.N[0]+1, func(lo, hi int) error {
		var local rates
		for r := lo; r < hi; r++ {
			if err := s.rate(u, b.Index(0, r%b.N[1], r/b.N[1]), &local); err != nil {
				return err
			}
		}
		lock.Lock()
		defer lock.Unlock()
		for k, v := range local {
			most[k] = max(most[k], v)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.comm.AllreduceFloat64(ctx, dist.Max, most[:]); err != nil {
		return err
	}
	s.rates[0], s.rates[1], s.rates[2] = max(s.rates[0], most[0]), max(s.rates[1], most[1]), max(s.rates[2], most[2])
	s.limit = s.cfg.CFL / s.rates[0]
	if s.cfg.PerAxis {
		s.limit = s.cfg.CFL / s.rates[1]
	}
	return nil
}

// rate updates the rates with a row of cells that begins at index first.
func (s *solver[F]) rate(u [3][]F, first int, most *rates) error {
	b := s.block
	var strides [3]int
	strides[0], strides[1], strides[2] = b.Strides()
	for c := first; c < first+b.N[0]; c++ {
		sum, divergence := 0.0, 0.0
		for axis := range b.Grid.Dim {
			h := b.Grid.Spacing(axis)
			lo, hi := float64(u[axis][c]), float64(u[axis][c+strides[axis]])
			if lo-lo != 0 || hi-hi != 0 {
				return fmt.Errorf("the velocity along axis %d is %g and %g at the faces of a cell of rank %d", axis, lo, hi,
					s.comm.Rank())
			}
			r := max(math.Abs(lo), math.Abs(hi)) / h
			sum += r
			divergence += (hi - lo) / h
			most[1] = max(most[1], r)
		}
		most[0], most[2] = max(most[0], sum), max(most[2], math.Abs(divergence))
	}
	return nil
}
