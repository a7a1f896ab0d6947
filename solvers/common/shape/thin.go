package shape

import (
	"math"
	"slices"
)

// valuesIn are the values of a level set in a box.
type valuesIn struct {
	middle      float64    // at the centre
	total       float64    // the sum of the corners
	least, most float64    // of the corners
	gradient    [3]float64 // mean differences between opposite sides
}

const (
	// minBend is the least bend of a level set, relative to its change in a box, of which its normals are compared.
	minBend = 1e-5
	// clearBend is that beyond which the normals of all corners are compared.
	clearBend = .02
	// opposite is the cosine of the angle beyond which normals are of both sides of a thin part.
	opposite = -.8
)

// isThin reports whether a part of the body, or a gap in it, that is thinner than a box is in it: normals of the level
// set at the corners of the box, which point away from or towards its surface, are opposite to each other. A plane
// cannot cut such a box. A box at an edge, or within a body or gap that is a little thicker, is not thin.
func (b Body) isThin(c *Cell, v *valuesIn) bool {
	bend, change := v.middle-v.total/float64(int(1)<<c.Dim), 0.0
	for d := range c.Dim {
		change += math.Abs(v.gradient[d])
	}
	isOutside, isInside := v.least >= 0, v.most < 0
	switch {
	case !(math.Abs(bend) > minBend*change):
		return false
	case isOutside && bend > 0, isInside && bend < 0: // the surface is farther from the middle than from the corners
		return false
	case math.Abs(bend) < clearBend*change:
		first := 0 // the corner of the least value, if the level set is nearly linear
		for d := range c.Dim {
			if v.gradient[d] < 0 {
				first |= 1 << d
			}
		}
		return b.normalAt(c, first).dot(b.normalAt(c, 1<<c.Dim-1-first)) < opposite
	}
	normals := make([]point, 0, 8)
	for k := range 1 << c.Dim {
		n := b.normalAt(c, k)
		if slices.ContainsFunc(normals, func(other point) bool { return n.dot(other) < opposite }) {
			return true
		}
		normals = append(normals, n)
	}
	return false
}

// normalAt returns the unit normal of the level set in a box at one of its corners; 0 if it has none.
func (b Body) normalAt(c *Cell, corner int) (n point) {
	at := c.corner(corner)
	value := b.Phi(at[0], at[1], at[2])
	for d := range c.Dim {
		step := min(max(c.H[d]*0x1p-20, math.Abs(at[d])*0x1p-36), c.H[d]/8)
		if corner>>d&1 == 1 {
			step = -step // into the box
		}
		beside := at
		beside[d] += step
		n[d] = (b.Phi(beside[0], beside[1], beside[2]) - value) / (beside[d] - at[d])
	}
	if size := n.size(); size > 0 && !math.IsInf(size, 1) {
		return n.times(1 / size)
	}
	return point{}
}

// hasThin reports whether a part of the body in a cell is thinner than the parts of the cell after some divisions. It
// is for combinations with files of which Divided does not bound the level set.
func (b Body) hasThin(c *Cell, levels int) bool {
	if b.presence(c) != single {
		return false
	}
	if levels == 0 {
		v := b.valuesIn(c)
		return b.isThin(c, &v)
	}
	for k := range 1 << c.Dim {
		if part := c.part(k); b.hasThin(&part, levels-1) {
			return true
		}
	}
	return false
}

// presence returns everything or nothing if the body fills a cell or is not in it, otherwise single.
func (b Body) presence(c *Cell) operation {
	switch {
	case b.mix != nil:
		op, _ := b.mix.within(c)
		return op
	case b.Slope > 0:
		at, square := c.middle(), 0.0
		for d := range c.Dim {
			square += c.H[d] * c.H[d] / 4
		}
		if v := b.Phi(at[0], at[1], at[2]); v*v <= b.Slope*b.Slope*square {
			return single
		} else if v < 0 {
			return everything
		}
		return nothing
	case b.levels != nil:
		box := c.box()
		if tree, _ := b.levels.within(c, &box, nil); tree.op == everything || tree.op == nothing {
			return tree.op
		}
	}
	return single
}

// mix is a combination of bodies, of which one at least is from a file.
type mix struct {
	op     operation
	bodies []Body
}

// mixOf is nil if the fractions of the combination can be computed without the bodies.
func mixOf(op operation, combination *Body, bodies ...Body) *mix {
	if combination.tree != nil || combination.levels != nil {
		return nil
	}
	return &mix{op, bodies}
}

// within returns everything or nothing if the combination fills a cell or is not in it, otherwise single and the
// bodies that are partly in the cell, on which it depends.
func (m *mix) within(c *Cell) (op operation, partial []Body) {
	if m.op == complement {
		switch m.bodies[0].presence(c) {
		case everything:
			return nothing, nil
		case nothing:
			return everything, nil
		}
		return single, m.bodies
	}
	absorbing, neutral := everything, nothing
	if m.op == intersection {
		absorbing, neutral = nothing, everything
	}
	for _, b := range m.bodies {
		switch b.presence(c) {
		case absorbing:
			return absorbing, nil
		case single:
			partial = append(partial, b)
		}
	}
	if len(partial) == 0 {
		return neutral, nil
	}
	return single, partial
}

// exactIn returns the fraction of the body in a cell, without division; known is false if that is not possible,
// because the cell has boundaries of several bodies, of which one is from a file.
func (b Body) exactIn(c *Cell) (f float64, known bool) {
	switch {
	case b.tree != nil || b.levels != nil:
		return b.Fraction(*c), true
	case b.polyhedron != nil:
		return b.polyhedron.fractionIn(c)
	case b.mix == nil:
		return 0, false
	}
	op, partial := b.mix.within(c)
	switch {
	case op == everything:
		return 1, true
	case op == nothing:
		return 0, true
	case len(partial) > 1:
		return 0, false
	}
	f, known = partial[0].exactIn(c)
	if b.mix.op == complement {
		f = 1 - f
	}
	return f, known
}

// estimateIn returns the fraction of the body in a cell where exactIn is not possible: of a union that of the body
// with the largest, and of an intersection that of the body with the least. It may be NaN.
func (b Body) estimateIn(c *Cell) float64 {
	if b.mix == nil {
		f, _ := b.exactIn(c)
		return f
	}
	op, partial := b.mix.within(c)
	switch op {
	case everything:
		return 1
	case nothing:
		return 0
	}
	f := partial[0].estimateIn(c)
	if b.mix.op == complement {
		return 1 - f
	}
	for _, other := range partial[1:] {
		if b.mix.op == union {
			f = max(f, other.estimateIn(c))
		} else {
			f = min(f, other.estimateIn(c))
		}
	}
	return f
}

// resolved returns the fraction of the body in a cell with thin parts, which is divided where exactIn is not possible.
func (b Body) resolved(c *Cell, levels int, d *division) float64 {
	if f, known := b.exactIn(c); known {
		return f
	}
	if levels == 0 {
		d.overlooked += d.share
		if f := b.estimateIn(c); f-f == 0 {
			return f
		}
		v := b.valuesIn(c)
		return d.leaf(true, c.Dim, &v)
	}
	sum, corners := 0.0, 1<<c.Dim
	d.share /= float64(corners)
	for k := range corners {
		part := c.part(k)
		sum += b.resolved(&part, levels-1, d)
	}
	d.share *= float64(corners)
	return sum / float64(corners)
}

// fractionIn returns the fraction of the body in a cell, up to round-off. known is false if boundaries of several
// solids that may overlap are in the cell; the fraction is then that of the solid with the largest. It is NaN if one
// intersects itself.
func (p *polyhedron) fractionIn(c *Cell) (f float64, known bool) {
	cells := Cells{Dim: c.Dim}
	for d := range cells.Planes {
		cells.Planes[d] = []float64{c.Lo[d], c.Lo[d] + c.H[d]}
	}
	if c.Dim == 2 {
		cells.Planes[2] = []float64{0, 1} // the ends of the walls of a section
	}
	around := branch{} // the box of the cell
	for d := range cells.Planes {
		around.lo[d], around.hi[d] = cells.Planes[d][0], cells.Planes[d][1]
	}
	var partial []*branch // boxes around solids
	largest, overlap := 0.0, false
	for n := range p.solids {
		s := &p.solids[n]
		if !around.overlaps(&s.outer.tree[0]) {
			continue
		}
		v, err := s.fractionIn(&cells)
		switch {
		case err != nil:
			return math.NaN(), false
		case v == 1:
			return 1, true
		case v > 0:
			box := &s.outer.tree[0]
			overlap = overlap || slices.ContainsFunc(partial, box.overlaps)
			partial = append(partial, box)
			f, largest = f+v, max(largest, v)
		}
	}
	if overlap {
		return largest, false
	}
	return min(1, f), true
}

// overlaps reports whether the insides of two boxes have points in common.
func (b *branch) overlaps(other *branch) bool {
	for d := range 3 {
		if b.hi[d] <= other.lo[d] || other.hi[d] <= b.lo[d] {
			return false
		}
	}
	return true
}

// fractionIn returns the fraction of the solid in a single cell: see [Body.Cut].
func (s *solid) fractionIn(c *Cells) (float64, error) {
	row := cellRow{cells: c, inCell: make([]fixed, 1), beforeCell: make([]fixed, 2), reached: make([]bool, 1)}
	row.begin(0, 0)
	box := branch{lo: point{c.Planes[0][0], c.Planes[1][0], c.Planes[2][0]},
		hi: point{math.Inf(1), c.Planes[1][1], c.Planes[2][1]}}
	s.outer.addTo(&row, &box)
	for _, cavity := range s.cavities {
		cavity.addTo(&row, &box)
	}
	var f [1]float64
	err := row.sum(f[:])
	return f[0], err
}

// addTo adds the triangles whose boxes overlap a box to a row of cells.
func (s *surface) addTo(row *cellRow, box *branch) {
	stack := make([]int32, 1, 64)
	for len(stack) > 0 {
		index := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		b := &s.tree[index]
		if b.hi[0] < box.lo[0] || b.lo[1] > box.hi[1] || b.hi[1] < box.lo[1] || b.lo[2] > box.hi[2] || b.hi[2] < box.lo[2] {
			continue
		}
		if b.next != 0 {
			stack = append(stack, index+1, b.next)
			continue
		}
		for _, t := range s.order[b.first:b.last] {
			row.add(&s.corner[t])
		}
	}
}
