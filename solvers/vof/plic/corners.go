package plic

import (
	"iter"
	"math"

	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers/common/contour"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// corners computes distances at the corners of a block's cells. Every corner receives its cells in the same order, x
// fastest, in any block and by any number of threads: each thread has layers of corners across the last axis.
type corners[F num.Float] struct {
	*Interface[F]
	field  []F     // with ghosts
	side   float64 // shortest side of a cell
	n      [3]int  // corners along each axis; 1 along z in the plane
	lo, hi [3]int  // cells [lo, hi) have corners in the block and are inside the grid; some are ghosts
	last   int     // the last axis: 1 in the plane, 2 in space
	rows   []rowKind
}

// rowKind tells which fluid is in a row of cells along x.
type rowKind int8

const (
	mixedRow rowKind = iota // other values than 0, or than 1
	emptyRow
	fullRow
)

func newCorners[F num.Float](s *Interface[F], field []F) *corners[F] {
	b := s.Block
	c := &corners[F]{Interface: s, field: field, n: [3]int{b.N[0] + 1, b.N[1] + 1, 1}, side: math.Inf(1), hi: b.N,
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
	c.findRowKinds()
	return c
}

// findRowKinds finds the kinds of all rows.
func (c *corners[F]) findRowKinds() {
	const fewCells = 100_000 // the fewest cells for which a thread is worth its cost
	across := c.hi[1] - c.lo[1]
	c.rows = make([]rowKind, across*(c.hi[2]-c.lo[2]))
	parallel.Ranges(len(c.rows), parallel.Parts(len(c.rows), 1+fewCells/c.n[0]), func(_, first, end int) {
		for r := first; r < end; r++ {
			row := c.Block.Index(0, c.lo[1]+r%across, c.lo[2]+r/across)
			c.rows[r] = rowKindOf(c.field[row+c.lo[0] : row+c.hi[0]])
		}
	})
}

func rowKindOf[F num.Float](cells []F) rowKind {
	f := cells[0]
	for _, g := range cells {
		if g != f {
			return mixedRow
		}
	}
	switch f {
	case 0:
		return emptyRow
	case 1:
		return fullRow
	}
	return mixedRow
}

// row returns the kind of the row of cells (j, k).
func (c *corners[F]) row(j, k int) rowKind {
	return c.rows[j-c.lo[1]+(c.hi[1]-c.lo[1])*(k-c.lo[2])]
}

// cornerLayer has the sums of a layer of corners across the last axis, and then their distances.
type cornerLayer struct {
	distance []float64
	weight   []float64 // sum of the weights of distance
}

// layers computes the distances of the corners in the layers [first, end), one after the other.
func (c *corners[F]) layers(first, end int) iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		size := c.n[0]
		if c.last == 2 {
			size *= c.n[1]
		}
		var layers [3]cornerLayer // the previous one, which is still in use, this one and the next one
		for k := range layers {
			layers[k] = cornerLayer{make([]float64, size), make([]float64, size)}
		}
		if first > c.lo[c.last] {
			c.addCells(first-1, nil, &layers[1])
		}
		for layer := first; layer < end; layer++ {
			clear(layers[2].distance)
			clear(layers[2].weight)
			if layer < c.hi[c.last] {
				c.addCells(layer, &layers[1], &layers[2])
			}
			c.average(layer, &layers[1])
			if !yield(layers[1].distance) {
				return
			}
			layers = [3]cornerLayer{layers[1], layers[2], layers[0]}
		}
	}
}

// addCells adds the planes and faces of a layer of cells to the layers of corners below and above it; nil stands for a
// layer that is not wanted.
func (c *corners[F]) addCells(layer int, below, above *cornerLayer) {
	lo, hi := c.lo, c.hi
	lo[c.last], hi[c.last] = layer, layer+1
	for k := lo[2]; k < hi[2]; k++ {
		for j := lo[1]; j < hi[1]; j++ {
			c.addRow(j, k, [2]*cornerLayer{below, above})
		}
	}
}

// addRow adds the planes and faces of a row of cells to their corners.
func (c *corners[F]) addRow(j, k int, to [2]*cornerLayer) {
	if kind := c.row(j, k); kind != mixedRow && (j == c.lo[1] || c.row(j-1, k) == kind) &&
		(k == c.lo[2] || c.row(j, k-1) == kind) {
		return
	}
	var strides [3]int
	strides[0], strides[1], strides[2] = c.Block.Strides()
	dim := c.Block.Grid.Dim
	row := c.Block.Index(0, j, k)
	for i := c.lo[0]; i < c.hi[0]; i++ {
		f := float64(c.field[row+i])
		if c.Mixed(f) {
			if m, alpha := c.UnitPlane(c.field, row+i); m != [3]float64{} {
				c.addPlane([3]int{i, j, k}, m, alpha, to)
			}
			continue
		}
		at := [3]int{i, j, k}
		for d := range dim {
			if at[d] == c.lo[d] {
				continue
			}
			if g := float64(c.field[row+i-strides[d]]); g < 0.5 != (f < 0.5) && !c.Mixed(g) {
				c.addFace(at, d, to)
			}
		}
	}
}

// eachCorner calls f with the corners of a cell that are in the block and in a wanted layer: the layer, and the
// corner's index there. Bit d of bits is 1 for the corners at the cell's upper end along axis d.
func (c *corners[F]) eachCorner(cell [3]int, to [2]*cornerLayer, f func(bits int, layer *cornerLayer, at int)) {
	for bits := range 1 << c.Block.Grid.Dim {
		layer := to[bits>>c.last]
		x, y := cell[0]+bits&1, cell[1]+bits>>1&1
		if layer == nil || x < 0 || x >= c.n[0] {
			continue
		}
		if c.last == 1 {
			f(bits, layer, x)
		} else if y >= 0 && y < c.n[1] {
			f(bits, layer, x+c.n[0]*y)
		}
	}
}

// addPlane adds the distances of a cell's corners from its plane m·ξ = α in unit coordinates.
func (c *corners[F]) addPlane(cell [3]int, m [3]float64, alpha float64, to [2]*cornerLayer) {
	g, size := c.Block.Grid, 0.0
	for d := range g.Dim {
		size += m[d] / g.Spacing(d) * (m[d] / g.Spacing(d))
	}
	size = math.Sqrt(size)
	c.eachCorner(cell, to, func(bits int, layer *cornerLayer, at int) {
		along := -alpha
		for d := range g.Dim {
			if bits>>d&1 == 1 {
				along += m[d]
			}
		}
		layer.add(at, along/size, c.side)
	})
}

// addFace adds the distance 0 at the corners of the lower face of a cell across an axis.
func (c *corners[F]) addFace(cell [3]int, axis int, to [2]*cornerLayer) {
	c.eachCorner(cell, to, func(bits int, layer *cornerLayer, at int) {
		if bits>>axis&1 == 0 {
			layer.add(at, 0, c.side)
		}
	})
}

// weightScale is the distance, in sides of a cell, beyond which the weight decreases: a distant plane tells little
// about a corner. Near planes of a smooth interface have equal distances, up to the square of a side.
const weightScale = 0.25

// add adds a distance at a corner. side is the shortest side of a cell.
func (l *cornerLayer) add(at int, distance, side float64) {
	scaled := distance / side
	w := 1 / (weightScale*weightScale + scaled*scaled)
	l.distance[at] += w * distance
	l.weight[at] += w
}

// average converts the sums of a layer of corners to distances.
func (c *corners[F]) average(layer int, l *cornerLayer) {
	if c.last == 1 {
		c.averageRow(layer, 0, l.distance, l.weight)
		return
	}
	n := c.n[0]
	for j := range c.n[1] {
		c.averageRow(j, layer, l.distance[n*j:n*(j+1)], l.weight[n*j:n*(j+1)])
	}
}

// averageRow converts the sums of row (j, k) of corners to distances. A corner without a plane nearby gets its sign
// from the fluid around it: the mean volume fraction of the cells there.
func (c *corners[F]) averageRow(j, k int, distance, weight []float64) {
	var rows [4][]F // of the cells around the corners
	var kinds [4]rowKind
	n := 0
	for z := max(k-1, c.lo[2]); z < min(k+1, c.hi[2]); z++ {
		for y := max(j-1, c.lo[1]); y < min(j+1, c.hi[1]); y++ {
			first := c.Block.Index(0, y, z)
			rows[n], kinds[n] = c.field[first+c.lo[0]:first+c.hi[0]], c.row(y, z)
			n++
		}
	}
	if kind := kinds[0]; kind != mixedRow && allEqual(kinds[:n]) {
		d := 0.5 * c.side
		if kind == fullRow {
			d = -d
		}
		for i := range distance {
			distance[i] = d
		}
		return
	}
	least := contour.MinDistance * c.side
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

func allEqual(kinds []rowKind) bool {
	for _, k := range kinds {
		if k != kinds[0] {
			return false
		}
	}
	return true
}
