package vof

import (
	"math"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/contour"
)

// corners accumulates distances at the corners of a block's cells. Cells are visited with x fastest, so every corner
// receives its cells in the same order in any block.
type corners struct {
	block    *grid.Block
	side     float64 // shortest side of a cell
	n        [3]int  // corners along each axis; 1 along z in the plane
	distance []float64
	weight   []float64 // sum of the weights of distance
	fraction []float64 // sum of the volume fractions
	cells    []uint8   // number of cells in fraction
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
	c.fraction, c.cells = make([]float64, total), make([]uint8, total)
	return c
}

func (c *corners) index(i, j, k int) int { return i + c.n[0]*(j+c.n[1]*k) }

// cornersOf iterates over the corners of a cell that are in the block, with their index (at). Bit d of bits is 1 for
// the corners at the cell's upper end along axis d.
func (c *corners) cornersOf(i, j, k int) func(yield func(bits, at int) bool) {
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

// addFraction adds a cell's volume fraction to its corners.
func (c *corners) addFraction(i, j, k int, f float64) {
	for _, at := range c.cornersOf(i, j, k) {
		c.fraction[at] += f
		c.cells[at]++
	}
}

// addPlane adds the distances of a cell's corners from its plane m·ξ = α in unit coordinates.
func (c *corners) addPlane(i, j, k int, m [3]float64, alpha float64) {
	g, size := c.block.Grid, 0.0
	for d := range g.Dim {
		size += m[d] / g.Spacing(d) * (m[d] / g.Spacing(d))
	}
	size = math.Sqrt(size)
	for bits, at := range c.cornersOf(i, j, k) {
		along := -alpha
		for d := range g.Dim {
			if bits>>d&1 == 1 {
				along += m[d]
			}
		}
		c.addDistance(at, along/size)
	}
}

// addFace adds the distance 0 at the corners of the lower face of a cell across an axis.
func (c *corners) addFace(i, j, k, axis int) {
	for bits, at := range c.cornersOf(i, j, k) {
		if bits>>axis&1 == 0 {
			c.addDistance(at, 0)
		}
	}
}

// weightScale is the distance, in sides of a cell, beyond which the weight decreases: a distant plane tells little
// about a corner. Near planes of a smooth interface have equal distances, up to the square of a side.
const weightScale = 0.25

func (c *corners) addDistance(at int, distance float64) {
	scaled := distance / c.side
	w := 1 / (weightScale*weightScale + scaled*scaled)
	c.distance[at] += w * distance
	c.weight[at] += w
}

// average converts sums to distances. A corner without a plane nearby gets its sign from the fluid around it.
func (c *corners) average() {
	for at, w := range c.weight {
		if w > 0 {
			c.distance[at] /= w
		} else {
			c.distance[at] = c.side * (0.5 - c.fraction[at]/float64(c.cells[at]))
		}
		if d := c.distance[at]; math.Abs(d) < contour.MinDistance*c.side {
			c.distance[at] = math.Copysign(contour.MinDistance*c.side, d+0) // -0 counts as outside, like 0
		}
	}
}
