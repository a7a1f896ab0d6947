package shape

import "github.com/atoll-hpc/atoll/solvers/common/geom"

// Cell is a box, or with Dim 2 a rectangle at z = Lo[2].
type Cell struct {
	Dim   int
	Lo, H [3]float64 // lower corner and side lengths
}

// Divided computes the volume fraction of the body in a cell by recursive division (Francois, Lo and Sewell, ASME
// 2014): a part whose corners are not all inside or all outside is divided, up to `levels` times. The smallest parts
// are cut by the plane that fits the level set at their corners, or, if planes is false, count as inside or outside by
// their centres. If Slope is known, or the body is given by expressions, what lies between the corners is found too.
// Where the body, or a gap in it, is thinner than the smallest parts, the cell is computed as by Fraction or Cut
// instead. Overlooked counts the cells where that is not possible, or where bounds of an expression do not exclude it.
func (b Body) Divided(c Cell, levels int, planes bool) float64 {
	d := division{planes: planes, share: 1}
	f := b.divided(c, levels, &d)
	if d.isThin || b.Slope == 0 && b.mix != nil && b.hasThin(&c, levels) {
		d.overlooked = 0
		d.share = 1
		f = b.resolved(&c, levels+moreLevels, &d)
	}
	if b.coarse != nil && d.overlooked > maxOverlooked {
		b.coarse.cells.Add(1)
	}
	return f
}

// moreLevels is how much oftener than others a cell with thin parts is divided where the boundaries of several bodies
// meet.
const moreLevels = 2

// division is the state while a cell is divided.
type division struct {
	planes     bool    // cut the smallest parts
	share      float64 // of the present part in the cell
	overlooked float64 // share of parts in which something may be overlooked
	isThin     bool    // a part is thinner than the smallest parts, so that the result is void
}

// divided is Divided for a part of a cell.
func (b Body) divided(c Cell, levels int, state *division) float64 {
	bounded := b.Slope == 0 && b.levels != nil
	if bounded {
		box := c.box()
		switch tree, _ := b.levels.within(&c, &box, nil); tree.op {
		case everything:
			return 1
		case nothing:
			return 0
		}
	}
	half := c
	diagonal := 0.0
	for d := range c.Dim {
		half.H[d] /= 2
		diagonal += half.H[d] * half.H[d]
	}
	middle := b.Phi(c.Lo[0]+half.H[0], c.Lo[1]+half.H[1], c.Lo[2]+half.H[2]*float64(c.Dim-2))
	if b.Slope > 0 && middle*middle > b.Slope*b.Slope*diagonal {
		if middle < 0 {
			return 1
		}
		return 0
	}
	corners := 1 << c.Dim
	v := b.atCorners(&c)
	v.middle = middle
	mixed := bounded || b.Slope > 0 || v.least < 0 && v.most >= 0 || (middle < 0) != (v.least < 0)
	if levels == 0 && mixed && b.isThin(&c, &v) {
		state.isThin = true
		return 0
	}
	if bounded && levels == 0 && v.least < 0 == (v.most < 0) && v.least < 0 == (middle < 0) {
		state.overlooked += state.share
	}
	if !mixed || levels == 0 {
		return state.leaf(mixed, c.Dim, &v)
	}
	sum := 0.0
	state.share /= float64(corners)
	for k := range corners {
		part := half
		for d := range c.Dim {
			part.Lo[d] += float64(k>>d&1) * half.H[d]
		}
		sum += b.divided(part, levels-1, state)
		if state.isThin {
			return 0
		}
	}
	state.share *= float64(corners)
	return sum / float64(corners)
}

// leaf returns the fraction of a part that is not divided.
func (d *division) leaf(mixed bool, dim int, v *valuesIn) float64 {
	switch g := v.gradient; {
	case mixed && d.planes:
		return geom.Volume(g[0], g[1], g[2], (g[0]+g[1]+g[2])/2-v.total/float64(int(1)<<dim))
	case v.middle < 0:
		return 1
	}
	return 0
}

// valuesIn returns the values of the level set in a cell.
func (b Body) valuesIn(c *Cell) valuesIn {
	v := b.atCorners(c)
	at := c.middle()
	v.middle = b.Phi(at[0], at[1], at[2])
	return v
}

// atCorners returns the values of the level set in a cell, except that at its centre.
func (b Body) atCorners(c *Cell) (v valuesIn) {
	corners := 1 << c.Dim
	for k := range corners {
		var p [3]float64
		for d := range 3 {
			p[d] = c.Lo[d]
			if k>>d&1 == 1 {
				p[d] += c.H[d]
			}
		}
		phi := b.Phi(p[0], p[1], p[2])
		if k == 0 {
			v.least, v.most = phi, phi
		}
		v.least, v.most = min(v.least, phi), max(v.most, phi)
		v.total += phi
		for d := range c.Dim {
			v.gradient[d] += float64(2*(k>>d&1)-1) * phi / float64(corners/2)
		}
	}
	return v
}
