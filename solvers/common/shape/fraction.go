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
// their centres. If Slope is known, or the body is given by expressions, what lies between the corners is found too,
// and Overlooked counts the cells where it is thinner than the smallest parts of expressions.
func (b Body) Divided(c Cell, levels int, planes bool) float64 {
	overlooked := 0.0
	f := b.divided(c, levels, planes, &overlooked)
	if b.coarse != nil && overlooked > maxOverlooked {
		b.coarse.cells.Add(1)
	}
	return f
}

// divided is Divided for a part of a cell; it adds the share of the part in which something may be overlooked.
func (b Body) divided(c Cell, levels int, planes bool, overlooked *float64) float64 {
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
	total, least, most, gradient := b.atCorners(&c)
	mixed := bounded || b.Slope > 0 || least < 0 && most >= 0 || (middle < 0) != (least < 0)
	if bounded && levels == 0 && least < 0 == (most < 0) && least < 0 == (middle < 0) {
		*overlooked = 1
	}
	switch {
	case mixed && levels > 0:
		sum := 0.0
		for k := range corners {
			part := half
			for d := range c.Dim {
				part.Lo[d] += float64(k>>d&1) * half.H[d]
			}
			below := 0.0
			sum += b.divided(part, levels-1, planes, &below)
			*overlooked += below / float64(corners)
		}
		return sum / float64(corners)
	case mixed && planes:
		return geom.Volume(gradient[0], gradient[1], gradient[2],
			(gradient[0]+gradient[1]+gradient[2])/2-total/float64(corners))
	case middle < 0:
		return 1
	}
	return 0
}

// atCorners returns the sum, the least and the largest value of the level set at the corners of a cell, and its mean
// differences between opposite sides.
func (b Body) atCorners(c *Cell) (total, least, most float64, gradient [3]float64) {
	corners := 1 << c.Dim
	for k := range corners {
		var p [3]float64
		for d := range 3 {
			p[d] = c.Lo[d]
			if k>>d&1 == 1 {
				p[d] += c.H[d]
			}
		}
		v := b.Phi(p[0], p[1], p[2])
		if k == 0 {
			least, most = v, v
		}
		least, most = min(least, v), max(most, v)
		total += v
		for d := range c.Dim {
			gradient[d] += float64(2*(k>>d&1)-1) * v / float64(corners/2)
		}
	}
	return total, least, most, gradient
}
