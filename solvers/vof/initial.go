package vof

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// initialField returns the initial volume fractions in the precision of the state: as a field with ghosts, which are 0,
// and rounded to that precision without ghosts.
func initialField[F num.Float](ctx context.Context, b *grid.Block, fractions []float64) (start []F, rounded []float64,
	err error) {
	start, rounded = make([]F, b.Len()), make([]float64, len(fractions))
	row := b.N[0]
	return start, rounded, parallel.Each(ctx, "volume fractions", b.N[1]*b.N[2], cellsPerWorker/row+1, func(lo,
		hi int) error {
		for r := lo; r < hi; r++ {
			first := b.Index(0, r%b.N[1], r/b.N[1])
			for i, f := range fractions[r*row : (r+1)*row] {
				if !(f >= 0 && f <= 1) {
					return fmt.Errorf("cell %d: the initial volume fraction is %g, which is not in [0, 1]", b.Number(r*row+i), f)
				}
				start[first+i], rounded[r*row+i] = F(f), float64(F(f))
			}
		}
		return nil
	})
}

// rates are maxima over cells in 1/s: flow through a cell summed over the axes, flow through a cell along one axis,
// and net flow out of a cell.
type rates [3]float64

// measureRates updates the rates of the velocity, and from them the largest step; they are the same on all ranks. For a
// time series of velocities it is called with each of them, and keeps the maxima.
func (s *lengths[F]) measureRates(ctx context.Context, u [3][]F) error {
	var maxima rates
	var lock sync.Mutex
	b := s.block
	err := parallel.Each(ctx, "rates of flow", b.N[1]*b.N[2], cellsPerWorker/b.N[0]+1, func(lo, hi int) error {
		var local rates
		for r := lo; r < hi; r++ {
			if err := s.updateRates(u, b.Index(0, r%b.N[1], r/b.N[1]), &local); err != nil {
				return err
			}
		}
		lock.Lock()
		defer lock.Unlock()
		for k, v := range local {
			maxima[k] = max(maxima[k], v)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.Env().Comm.AllreduceFloat64(ctx, dist.Max, maxima[:]); err != nil {
		return err
	}
	s.rates[0], s.rates[1], s.rates[2] = max(s.rates[0], maxima[0]), max(s.rates[1], maxima[1]), max(s.rates[2], maxima[2])
	s.maxStep = s.cfg.CFL / s.rates[0]
	if s.cfg.PerAxis {
		s.maxStep = s.cfg.CFL / s.rates[1]
	}
	return nil
}

// updateRates updates the rates with a row of cells that begins at index first.
func (s *lengths[F]) updateRates(u [3][]F, first int, maxima *rates) error {
	b := s.block
	var strides [3]int
	strides[0], strides[1], strides[2] = b.Strides()
	for c := first; c < first+b.N[0]; c++ {
		sum, divergence := 0.0, 0.0
		for axis := range b.Grid.Dim {
			h := b.Grid.Spacing(axis)
			lo, hi := float64(u[axis][c]), float64(u[axis][c+strides[axis]])
			if lo-lo != 0 || hi-hi != 0 {
				return &solvers.InvalidState{Err: fmt.Errorf("the velocity along axis %d is %g and %g at the faces of a "+
					"cell of rank %d", axis, lo, hi, s.Env().Comm.Rank())}
			}
			r := max(math.Abs(lo), math.Abs(hi)) / h
			sum += r
			divergence += (hi - lo) / h
			maxima[1] = max(maxima[1], r)
		}
		maxima[0], maxima[2] = max(maxima[0], sum), max(maxima[2], math.Abs(divergence))
	}
	return nil
}
