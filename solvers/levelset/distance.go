package levelset

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// Distance is the level set of a body at the centres of a block's cells, x fastest: next to the interface the distance
// from it, by what the body tells there and how fast that changes, elsewhere a number of the right sign.
func Distance(ctx context.Context, b *grid.Block, body shape.Body) ([]float64, error) {
	d := &distancer{b: b, body: body, n: [3]int{b.N[0] + 2, b.N[1] + 2, b.N[2] + 2}}
	if b.Grid.Dim == 2 {
		d.n[2] = 1
	}
	d.values = make([]float64, d.n[0]*d.n[1]*d.n[2])
	rim := d.rim()
	for k := -rim; k < b.N[2]+rim; k++ {
		for j := -1; j <= b.N[1]; j++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for i := -1; i <= b.N[0]; i++ {
				d.values[d.at(i, j, k)] = d.value(i, j, k)
			}
		}
	}
	out := make([]float64, 0, b.Cells())
	for k := range b.N[2] {
		for j := range b.N[1] {
			for i := range b.N[0] {
				v := d.values[d.at(i, j, k)]
				if v-v != 0 {
					return nil, fmt.Errorf("it is %g at the centre of cell (%d, %d, %d)", v, b.Lo[0]+i, b.Lo[1]+j, b.Lo[2]+k)
				}
				if d.crossed(i, j, k) {
					slope := d.slope(i, j, k)
					if v /= slope; v-v != 0 {
						return nil, fmt.Errorf("it changes its sign next to cell (%d, %d, %d), but not its value there: a level set "+
							"has a slope at the interface", b.Lo[0]+i, b.Lo[1]+j, b.Lo[2]+k)
					}
				}
				out = append(out, v)
			}
		}
	}
	return out, nil
}

// distancer holds what a body tells at the centres of a block's cells and of those round it.
type distancer struct {
	b      *grid.Block
	body   shape.Body
	n      [3]int
	values []float64
}

// rim is how many cells there are round a block along z.
func (d *distancer) rim() int { return min(1, d.n[2]-1) }

func (d *distancer) at(i, j, k int) int { return i + 1 + d.n[0]*(j+1+d.n[1]*(k+d.rim())) }

// value is that of a cell; beyond walls that of the nearest one.
func (d *distancer) value(i, j, k int) float64 {
	g, own := d.b.Grid, [3]int{d.b.Lo[0] + i, d.b.Lo[1] + j, d.b.Lo[2] + k}
	for a := range g.Dim {
		c, inside := g.Wrap(a, own[a])
		if !inside {
			c = min(max(c, 0), g.N[a]-1)
		}
		own[a] = c
	}
	x := d.centre(own)
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

// crossed tells whether the interface lies between a cell and a neighbour.
func (d *distancer) crossed(i, j, k int) bool {
	c := d.at(i, j, k)
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

// slope is how fast the body's level set changes at a cell: of both sides along each axis the steeper counts, so that
// it is not lost where a thin body's sides meet.
func (d *distancer) slope(i, j, k int) float64 {
	x := d.centre([3]int{d.b.Lo[0] + i, d.b.Lo[1] + j, d.b.Lo[2] + k})
	v, sum := d.body.Phi(x[0], x[1], x[2]), 0.0
	for a := range d.b.Grid.Dim {
		step, most := 0x1p-13*d.b.Grid.Spacing(a), 0.0
		for _, by := range []float64{step, -step} {
			y := x
			y[a] += by
			most = max(most, math.Abs(d.body.Phi(y[0], y[1], y[2])-v)/math.Abs(y[a]-x[a]))
		}
		sum += most * most
	}
	return math.Sqrt(sum)
}
