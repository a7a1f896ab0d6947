package levelset

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// Distance returns the level set of a body at the centres of a block's cells, x fastest. In cells next to the
// interface it is the distance, approximated by the body's level set divided by its slope; elsewhere only the sign
// matters. It uses all processors.
func Distance(ctx context.Context, b *grid.Block, body shape.Body) ([]float64, error) {
	d := &distancer{b: b, body: body, n: [3]int{b.N[0] + 2, b.N[1] + 2, b.N[2] + 2}}
	if b.Grid.Dim == 2 {
		d.n[2] = 1
	}
	d.values = make([]float64, d.n[0]*d.n[1]*d.n[2])
	err := parallel.Each(ctx, "level set", d.n[1]*d.n[2], cellsPerWorker/d.n[0]+1, func(lo, hi int) error {
		for r := lo; r < hi; r++ {
			for i := range d.n[0] {
				d.values[r*d.n[0]+i] = d.value(i-1, r%d.n[1]-1, r/d.n[1]-d.layersAlongZ())
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]float64, b.Cells())
	row := b.N[0]
	return out, parallel.Each(ctx, "distances", b.N[1]*b.N[2], cellsPerWorker/row+1, func(lo, hi int) error {
		for r := lo; r < hi; r++ {
			for i := range row {
				var err error
				if out[r*row+i], err = d.distance(i, r%b.N[1], r/b.N[1]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// cellsPerWorker is the smallest number of cells for which another goroutine pays off.
const cellsPerWorker = 1000

// distance returns the distance in a cell next to the interface, otherwise the value of the level set.
func (d *distancer) distance(i, j, k int) (float64, error) {
	v, lo := d.values[d.index(i, j, k)], d.b.Lo
	if v-v != 0 {
		return 0, fmt.Errorf("the level set is %g at the centre of cell (%d, %d, %d)", v, lo[0]+i, lo[1]+j, lo[2]+k)
	}
	if !d.isBesideInterface(i, j, k) {
		return v, nil
	}
	if v /= d.slope(i, j, k); v-v != 0 {
		return 0, fmt.Errorf("the level set changes its sign next to cell (%d, %d, %d), but its slope there is 0: it "+
			"needs a slope at the interface", lo[0]+i, lo[1]+j, lo[2]+k)
	}
	return v, nil
}

// distancer holds a body's level set at the centres of a block's cells and of one layer around them.
type distancer struct {
	b      *grid.Block
	body   shape.Body
	n      [3]int
	values []float64
}

// layersAlongZ is 1 in space and 0 in the plane.
func (d *distancer) layersAlongZ() int { return min(1, d.n[2]-1) }

func (d *distancer) index(i, j, k int) int { return i + 1 + d.n[0]*(j+1+d.n[1]*(k+d.layersAlongZ())) }

// value returns the level set in a cell; beyond walls that in the nearest cell.
func (d *distancer) value(i, j, k int) float64 {
	g, cell := d.b.Grid, [3]int{d.b.Lo[0] + i, d.b.Lo[1] + j, d.b.Lo[2] + k}
	for a := range g.Dim {
		c, inside := g.Wrap(a, cell[a])
		if !inside {
			c = min(max(c, 0), g.N[a]-1)
		}
		cell[a] = c
	}
	x := d.centre(cell)
	return d.body.Phi(x[0], x[1], x[2])
}

func (d *distancer) centre(cell [3]int) (x [3]float64) {
	g := d.b.Grid
	x[2] = g.Lo[2]
	for a := range g.Dim {
		x[a] = g.Centre(a, cell[a])
	}
	return x
}

// isBesideInterface reports whether the interface lies between a cell and a neighbour.
func (d *distancer) isBesideInterface(i, j, k int) bool {
	c := d.index(i, j, k)
	stride := 1
	for a := range d.b.Grid.Dim {
		for _, n := range []int{c - stride, c + stride} {
			if d.values[n] < 0 != (d.values[c] < 0) {
				return true
			}
		}
		stride *= d.n[a]
	}
	return false
}

// slope returns the magnitude of the level set's gradient at a cell from one-sided differences. Along each axis it
// takes the steeper side, so that the slope is not cancelled where the sides of a thin body meet.
func (d *distancer) slope(i, j, k int) float64 {
	x := d.centre([3]int{d.b.Lo[0] + i, d.b.Lo[1] + j, d.b.Lo[2] + k})
	v, sum := d.body.Phi(x[0], x[1], x[2]), 0.0
	for a := range d.b.Grid.Dim {
		// A power of two of the spacing, small against a cell and large against round-off.
		step, steepest := 0x1p-13*d.b.Grid.Spacing(a), 0.0
		for _, offset := range []float64{step, -step} {
			y := x
			y[a] += offset
			steepest = max(steepest, math.Abs(d.body.Phi(y[0], y[1], y[2])-v)/math.Abs(y[a]-x[a]))
		}
		sum += steepest * steepest
	}
	return math.Sqrt(sum)
}
