package vof

import (
	"math"

	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers/common/contour"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// corners computes distances at the corners of a block's cells. Every corner receives its cells in the same order, x
// fastest, in any block and by any number of threads: each thread has layers of corners across the last axis.
type corners[F num.Float] struct {
	*solver[F]
	field    []F     // with ghosts
	side     float64 // shortest side of a cell
	n        [3]int  // corners along each axis; 1 along z in the plane
	lo, hi   [3]int  // cells [lo, hi) have corners in the block and are inside the grid; some are ghosts
	last     int     // the last axis: 1 in the plane, 2 in space
	distance []float64
	weight   []float64 // sum of the weights of distance
}

func newCorners[F num.Float](s *solver[F], field []F) *corners[F] {
	b := s.block
	c := &corners[F]{solver: s, field: field, n: [3]int{b.N[0] + 1, b.N[1] + 1, 1}, side: math.Inf(1), hi: b.N,
		last: b.Grid.Dim - 1}
	if b.Grid.Dim == 3 {
		c.n[2] = b.N[2] + 1
	}
	for d := range b.Grid.Dim {
		c.side = min(c.side, b.Grid.Spacing(d))
		if _, inside := b.Grid.Wrap(d, b.Lo[d]-1); inside {
			c.lo[d]--
		}
		if _, inside := b.Grid.Wrap(d, b.Lo[d]+b.N[d]); inside {
			c.hi[d]++
		}
	}
	total := c.n[0] * c.n[1] * c.n[2]
	c.distance, c.weight = make([]float64, total), make([]float64, total)
	return c
}

func (c *corners[F]) index(i, j, k int) int { return i + c.n[0]*(j+c.n[1]*k) }

// measure computes all distances.
func (c *corners[F]) measure() {
	const fewCorners = 20_000 // the fewest corners for which a thread is worth its cost
	layers := c.n[c.last]
	least := max(1, fewCorners*layers/len(c.distance))
	parallel.Ranges(layers, parallel.Parts(layers, least), func(_, first, end int) { c.measureLayers(first, end) })
}

// measureLayers computes the distances in the layers [first, end) of corners.
func (c *corners[F]) measureLayers(first, end int) {
	lo, hi := c.lo, c.hi // cells at these corners
	lo[c.last], hi[c.last] = max(lo[c.last], first-1), min(hi[c.last], end)
	for k := lo[2]; k < hi[2]; k++ {
		for j := lo[1]; j < hi[1]; j++ {
			c.addRow(j, k, first, end)
		}
	}
	lo, hi = [3]int{}, c.n
	lo[c.last], hi[c.last] = first, end
	for k := lo[2]; k < hi[2]; k++ {
		for j := lo[1]; j < hi[1]; j++ {
			c.averageRow(j, k)
		}
	}
}

// addRow adds the planes and faces of a row of cells to their corners in the layers [first, end).
func (c *corners[F]) addRow(j, k, first, end int) {
	var strides [3]int
	strides[0], strides[1], strides[2] = c.block.Strides()
	dim := c.block.Grid.Dim
	row := c.block.Index(0, j, k)
	for i := c.lo[0]; i < c.hi[0]; i++ {
		f := float64(c.field[row+i])
		if c.mixed(f) {
			if m, alpha := c.unitPlane(c.field, row+i); m != [3]float64{} {
				c.addPlane([3]int{i, j, k}, m, alpha, first, end)
			}
			continue
		}
		at := [3]int{i, j, k}
		for d := range dim {
			if at[d] == c.lo[d] {
				continue
			}
			if g := float64(c.field[row+i-strides[d]]); g < 0.5 != (f < 0.5) && !c.mixed(g) {
				c.addFace(at, d, first, end)
			}
		}
	}
}

// cornersOf iterates over the corners of a cell that are in the block and in the layers [first, end), with their index
// (at). Bit d of bits is 1 for the corners at the cell's upper end along axis d.
func (c *corners[F]) cornersOf(cell [3]int, first, end int) func(yield func(bits, at int) bool) {
	return func(yield func(bits, at int) bool) {
		for bits := range 1 << c.block.Grid.Dim {
			p := [3]int{cell[0] + bits&1, cell[1] + bits>>1&1, cell[2] + bits>>2&1}
			if p[0] < 0 || p[1] < 0 || p[2] < 0 || p[0] >= c.n[0] || p[1] >= c.n[1] || p[2] >= c.n[2] ||
				p[c.last] < first || p[c.last] >= end {
				continue
			}
			if !yield(bits, c.index(p[0], p[1], p[2])) {
				return
			}
		}
	}
}

// addPlane adds the distances of a cell's corners from its plane m·ξ = α in unit coordinates.
func (c *corners[F]) addPlane(cell [3]int, m [3]float64, alpha float64, first, end int) {
	g, size := c.block.Grid, 0.0
	for d := range g.Dim {
		size += m[d] / g.Spacing(d) * (m[d] / g.Spacing(d))
	}
	size = math.Sqrt(size)
	for bits, at := range c.cornersOf(cell, first, end) {
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
func (c *corners[F]) addFace(cell [3]int, axis, first, end int) {
	for bits, at := range c.cornersOf(cell, first, end) {
		if bits>>axis&1 == 0 {
			c.addDistance(at, 0)
		}
	}
}

// weightScale is the distance, in sides of a cell, beyond which the weight decreases: a distant plane tells little
// about a corner. Near planes of a smooth interface have equal distances, up to the square of a side.
const weightScale = 0.25

func (c *corners[F]) addDistance(at int, distance float64) {
	scaled := distance / c.side
	w := 1 / (weightScale*weightScale + scaled*scaled)
	c.distance[at] += w * distance
	c.weight[at] += w
}

// averageRow converts the sums of a row of corners to distances. A corner without a plane nearby gets its sign from the
// fluid around it: the mean volume fraction of the cells there.
func (c *corners[F]) averageRow(j, k int) {
	var rows [4][]F // of the cells around the corners
	n := 0
	for z := max(k-1, c.lo[2]); z < min(k+1, c.hi[2]); z++ {
		for y := max(j-1, c.lo[1]); y < min(j+1, c.hi[1]); y++ {
			first := c.block.Index(0, y, z)
			rows[n] = c.field[first+c.lo[0] : first+c.hi[0]]
			n++
		}
	}
	least := contour.MinDistance * c.side
	row := c.index(0, j, k)
	distance, weight := c.distance[row:row+c.n[0]], c.weight[row:row+c.n[0]]
	for i, w := range weight {
		d := distance[i]
		if w > 0 {
			d /= w
		} else {
			left, right := max(i-1-c.lo[0], 0), min(i+1, c.hi[0])-c.lo[0]
			sum := 0.0
			for _, cells := range rows[:n] {
				for _, f := range cells[left:right] {
					sum += float64(f)
				}
			}
			d = c.side * (0.5 - sum/float64(n*(right-left)))
		}
		if math.Abs(d) < least {
			d = math.Copysign(least, d+0) // -0 counts as outside, like 0
		}
		distance[i] = d
	}
}
