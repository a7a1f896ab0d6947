package flow

import (
	"context"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Series is a time series of velocities, linear between its times, which ascend.
type Series struct {
	Times []float64
	load  func(n int) (Flow, error) // returns the velocities at the n-th time
}

// FacesFiles returns the flow of several files in the format of [Faces], one for each time. Files are read when they
// are needed. The times must cover 0 to end.
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

// Each calls do with the flow at each time of the series; for a flow without one, with the flow itself.
func (f Flow) Each(do func(Flow) error) error {
	if f.Series == nil {
		return do(f)
	}
	for n := range f.Series.Times {
		flow, err := f.Series.load(n)
		if err != nil {
			return err
		}
		if err := do(flow); err != nil {
			return err
		}
	}
	return nil
}

// BlockSeries evaluates a flow with a time series on a block.
type BlockSeries[F num.Float] struct {
	block    *grid.Block
	series   *Series
	interval int       // index of the first time of the interval whose ends are loaded; -1 for none
	ends     [2][3][]F // velocities at both ends of the interval
	u        [3][]F    // interpolated velocities
}

// NewBlockSeries makes the series of a flow on a block; nil for a flow without a series.
func NewBlockSeries[F num.Float](b *grid.Block, f Flow) *BlockSeries[F] {
	if f.Series == nil {
		return nil
	}
	c := &BlockSeries[F]{block: b, series: f.Series, interval: -1}
	for axis := range b.Grid.Dim {
		c.u[axis] = make([]F, b.Len())
	}
	return c
}

// At returns the velocities at time t for a factor of 1, in the layout of [OnBlock], valid until the next call.
// Before the first and after the last time the velocity is constant.
func (c *BlockSeries[F]) At(ctx context.Context, t float64) (u [3][]F, err error) {
	times := c.series.Times
	t = min(max(t, times[0]), times[len(times)-1])
	n, found := slices.BinarySearch(times, t)
	if !found || n == len(times)-1 {
		n--
	}
	if n != c.interval {
		if n == c.interval+1 && c.interval >= 0 {
			c.ends[0] = c.ends[1]
		} else if c.ends[0], err = c.end(ctx, n); err != nil {
			return u, err
		}
		if c.ends[1], err = c.end(ctx, n+1); err != nil {
			c.interval = -1
			return u, err
		}
		c.interval = n
	}
	fraction := F((t - times[n]) / (times[n+1] - times[n]))
	for axis := range c.block.Grid.Dim {
		a, b, u := c.ends[0][axis], c.ends[1][axis], c.u[axis]
		parallel.Ranges(len(u), parallel.Parts(len(u), facesPerWorker), func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				u[i] = a[i] + (b[i]-a[i])*fraction
			}
		})
	}
	return c.u, nil
}

// end returns the velocities on the block at the n-th time.
func (c *BlockSeries[F]) end(ctx context.Context, n int) (u [3][]F, err error) {
	f, err := c.series.load(n)
	if err != nil {
		return u, err
	}
	return OnBlock[F](ctx, c.block, f)
}
