package flow

import (
	"context"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Series is velocities at some times, in ascending order. Between two of them the velocity is linear.
type Series struct {
	Times []float64
	load  func(n int) (Flow, error)
}

// FacesFiles is the flow of several files that [Faces] reads, one of each time. They are read when they are needed. It
// refuses times that do not reach from 0 to end.
func FacesFiles(g *grid.Grid, paths []string, times []float64, end float64) (Flow, error) {
	last := len(times) - 1
	if times[0] > 0 || times[last] < end {
		return Flow{}, fmt.Errorf("times: %g to %g do not cover the run, from 0 to %g", times[0], times[last], end)
	}
	s := &Series{Times: times, load: func(n int) (Flow, error) { return FacesFile(g, paths[n]) }}
	f, err := s.load(0)
	f.Series = s
	return f, err
}

// Each calls do with the flow of each time of its series; of a flow without one with itself.
func (f Flow) Each(do func(Flow) error) error {
	if f.Series == nil {
		return do(f)
	}
	for n := range f.Series.Times {
		of, err := f.Series.load(n)
		if err != nil {
			return err
		}
		if err := do(of); err != nil {
			return err
		}
	}
	return nil
}

// BlockSeries is a flow with a series of velocities, on a block.
type BlockSeries[F num.Float] struct {
	block *grid.Block
	of    *Series
	from  int       // the interval of which the ends are known, by its first time; -1 for none
	ends  [2][3][]F // velocities at both
	u     [3][]F    // between
}

// NewBlockSeries is that of a flow; nil for one without a series.
func NewBlockSeries[F num.Float](b *grid.Block, f Flow) *BlockSeries[F] {
	if f.Series == nil {
		return nil
	}
	c := &BlockSeries[F]{block: b, of: f.Series, from: -1}
	for axis := range b.Grid.Dim {
		c.u[axis] = make([]F, b.Len())
	}
	return c
}

// At is the velocity at a time and a factor of 1, as [OnBlock] has it, until the next call. Before the first time and
// after the last one it is as at these.
func (c *BlockSeries[F]) At(ctx context.Context, t float64) (u [3][]F, err error) {
	times := c.of.Times
	t = min(max(t, times[0]), times[len(times)-1])
	n, found := slices.BinarySearch(times, t)
	if !found || n == len(times)-1 {
		n--
	}
	if n != c.from {
		if n == c.from+1 && c.from >= 0 {
			c.ends[0] = c.ends[1]
		} else if c.ends[0], err = c.end(ctx, n); err != nil {
			return u, err
		}
		if c.ends[1], err = c.end(ctx, n+1); err != nil {
			c.from = -1
			return u, err
		}
		c.from = n
	}
	share := F((t - times[n]) / (times[n+1] - times[n]))
	for axis := range c.block.Grid.Dim {
		a, b, u := c.ends[0][axis], c.ends[1][axis], c.u[axis]
		parallel.Ranges(len(u), parallel.Parts(len(u), facesPerWorker), func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				u[i] = a[i] + (b[i]-a[i])*share
			}
		})
	}
	return c.u, nil
}

// end is the velocity on the block at the n-th time.
func (c *BlockSeries[F]) end(ctx context.Context, n int) (u [3][]F, err error) {
	f, err := c.of.load(n)
	if err != nil {
		return u, err
	}
	return OnBlock[F](ctx, c.block, f)
}
