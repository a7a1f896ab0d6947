package vof

import (
	"math"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/contour"
)

// corners gathers distances at the corners of a block's cells. Cells come in the same order at every corner, whichever
// block it is of, since they come x fastest.
type corners struct {
	block    *grid.Block
	side     float64 // the shortest of a cell
	n        [3]int  // corners along each axis; 1 along z in the plane
	distance []float64
	weight   []float64 // that distance is a sum with
	fluid    []float64
	cells    []uint8 // that fluid is the sum of
}

func newCorners(b *grid.Block) *corners {
	c := &corners{block: b, n: [3]int{b.N[0] + 1, b.N[1] + 1, 1}, side: math.Inf(1)}
	if b.Grid.Dim == 3 {
		c.n[2] = b.N[2] + 1
	}
	for d := range b.Grid.Dim {
		c.side = min(c.side, b.Grid.Spacing(d))
	}
	total := c.n[0] * c.n[1] * c.n[2]
	c.distance, c.weight = make([]float64, total), make([]float64, total)
	c.fluid, c.cells = make([]float64, total), make([]uint8, total)
	return c
}

func (c *corners) index(i, j, k int) int { return i + c.n[0]*(j+c.n[1]*k) }

// of goes over the corners of a cell that the block has: bit d of bits is the position along axis d.
func (c *corners) of(i, j, k int) func(yield func(bits, at int) bool) {
	return func(yield func(bits, at int) bool) {
		for bits := range 1 << c.block.Grid.Dim {
			x, y, z := i+bits&1, j+bits>>1&1, k+bits>>2&1
			if x < 0 || y < 0 || z < 0 || x >= c.n[0] || y >= c.n[1] || z >= c.n[2] {
				continue
			}
			if !yield(bits, c.index(x, y, z)) {
				return
			}
		}
	}
}

// fill gives a cell's volume fraction to its corners.
func (c *corners) fill(i, j, k int, f float64) {
	for _, at := range c.of(i, j, k) {
		c.fluid[at] += f
		c.cells[at]++
	}
}

// plane gives the corners of a cell their distances from its plane m·ξ = α in unit coordinates.
func (c *corners) plane(i, j, k int, m [3]float64, alpha float64) {
	g, size := c.block.Grid, 0.0
	for d := range g.Dim {
		size += m[d] / g.Spacing(d) * (m[d] / g.Spacing(d))
	}
	size = math.Sqrt(size)
	for bits, at := range c.of(i, j, k) {
		along := -alpha
		for d := range g.Dim {
			if bits>>d&1 == 1 {
				along += m[d]
			}
		}
		c.add(at, along/size)
	}
}

// face puts the interface on the lower face of a cell across an axis.
func (c *corners) face(i, j, k, axis int) {
	for bits, at := range c.of(i, j, k) {
		if bits>>axis&1 == 0 {
			c.add(at, 0)
		}
	}
}

// near is the distance, in sides of a cell, from which on more of it means less weight: a plane that a corner is far
// from tells little of what is there. Planes of a smooth interface are at the same distance but for the square of a
// side.
const near = 0.25

func (c *corners) add(at int, distance float64) {
	far := distance / c.side
	w := 1 / (near*near + far*far)
	c.distance[at] += w * distance
	c.weight[at] += w
}

// average makes distances of sums. Where no plane is near, the fluid around tells the side.
func (c *corners) average() {
	for at, w := range c.weight {
		if w > 0 {
			c.distance[at] /= w
		} else {
			c.distance[at] = c.side * (0.5 - c.fluid[at]/float64(c.cells[at]))
		}
		if d := c.distance[at]; math.Abs(d) < contour.MinDistance*c.side {
			c.distance[at] = math.Copysign(contour.MinDistance*c.side, d+0) // -0 is outside, as 0 is
		}
	}
}
