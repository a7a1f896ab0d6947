package vof

import (
	"context"
)

// Planes are the lines or planes of mixed cells as the solver has them, each cut off at the sides of its cell. Those of
// neighbouring cells do not meet; the mesh without gaps is Surface. A cell without a direction has none, nor has one
// whose plane only touches it.
type Planes struct {
	Points []float64 // x, y, z of each
	// Ends is the end of each line or polygon, counted in points: 2 of a line, which has the fluid on its left, or 3 to 6
	// of a polygon, which is seen counter-clockwise from outside of the fluid.
	Ends  []int
	Cells []int // of each, as Field numbers them
}

// Planes are those of the block, cell by cell.
func (s *solver[F]) Planes(ctx context.Context) (*Planes, error) {
	field, err := s.hostField(ctx, true)
	if err != nil {
		return nil, err
	}
	p := &Planes{}
	n := 0
	for c := range s.block.Own() {
		if s.mixed(float64(field[c])) {
			m, alpha := s.unitPlane(field, c)
			s.outline(p, n, m, alpha)
		}
		n++
	}
	return p, nil
}

// outline adds the plane m·ξ = α of the block's n-th cell.
func (s *solver[F]) outline(p *Planes, n int, m [3]float64, alpha float64) {
	b, g := s.block, s.block.Grid
	first := p.points()
	var distance [8]float64
	for corner := range distance {
		distance[corner] = -alpha
		for d := range 3 {
			distance[corner] += m[d] * float64(corner>>d&1)
		}
	}
	cell := [3]int{n % b.N[0], n / b.N[0] % b.N[1], n / b.N[0] / b.N[1]}
	for _, e := range cutEdges(g.Dim, &distance) {
		at := [3]float64{g.Lo[0], g.Lo[1], g.Lo[2]}
		for d := range g.Dim {
			at[d] = g.Face(d, b.Lo[d]+cell[d]+e.corner>>d&1)
		}
		lo, hi := distance[e.corner], distance[e.corner|1<<e.axis]
		next := g.Face(e.axis, b.Lo[e.axis]+cell[e.axis]+1)
		at[e.axis] = min(next, at[e.axis]+lo/(lo-hi)*(next-at[e.axis])) // rounding does not lead out of the cell
		p.append(first, at)
	}
	p.close(first, g.Dim, n)
}

func (p *Planes) points() int { return len(p.Points) / 3 }

func (p *Planes) at(i int) [3]float64 { return [3]float64(p.Points[3*i:]) }

// append adds a point to the outline that begins at first, unless it is the one before.
func (p *Planes) append(first int, at [3]float64) {
	if n := p.points(); n == first || p.at(n-1) != at {
		p.Points = append(p.Points, at[:]...)
	}
}

// close ends the outline that begins at first. It is left out if it has too few points to have a size.
func (p *Planes) close(first, least, cell int) {
	if n := p.points(); n > first+1 && p.at(n-1) == p.at(first) {
		p.Points = p.Points[:3*(n-1)]
	}
	if p.points() < first+least {
		p.Points = p.Points[:3*first]
		return
	}
	p.Ends = append(p.Ends, p.points())
	p.Cells = append(p.Cells, cell)
}

// cellEdge is an edge of the unit cell, along an axis from a corner: bit d of a corner is its position along axis d.
type cellEdge struct{ corner, axis int }

// cutEdges are the edges that a line or plane cuts, in the order of its outline, from the signed distances of the
// corners. Distances that are sums along the axes grow or fall along each of them whatever the rounding, so that each
// face has two cut edges or none.
func cutEdges(dim int, distance *[8]float64) []cellEdge {
	inside := func(corner int) bool { return distance[corner] < 0 }
	cut := func(e cellEdge) bool { return inside(e.corner) != inside(e.corner|1<<e.axis) }
	if dim == 2 {
		return cutSides(inside)
	}
	for axis := range 3 {
		for corner := range 8 {
			begin := cellEdge{corner, axis}
			if corner>>axis&1 == 1 || !cut(begin) {
				continue
			}
			across := begin.firstFace(inside(corner))
			ring := []cellEdge{begin}
			for e := begin.beyond(across, cut); e != begin; e = e.beyond(across, cut) {
				ring = append(ring, e)
				across = 3 - across - e.axis // of an edge's two faces the one that was not passed
			}
			return ring
		}
	}
	return nil
}

// cutSides are the sides of the unit square that a line cuts: where one leaves the fluid on the way round it,
// counter-clockwise, and where one comes back.
func cutSides(inside func(corner int) bool) []cellEdge {
	var left, entered []cellEdge
	around := [4]int{0, 1, 3, 2}
	for k, corner := range around {
		next := around[(k+1)%4]
		e := cellEdge{min(corner, next), (corner ^ next) >> 1}
		if inside(corner) && !inside(next) {
			left = append(left, e)
		} else if !inside(corner) && inside(next) {
			entered = append(entered, e)
		}
	}
	return append(left, entered...)
}

// firstFace is the axis across the face over which the outline goes on from an edge, so that the fluid is on its right
// as one looks at the face from outside of the cell.
func (e cellEdge) firstFace(fluidBelow bool) int {
	a, b := (e.axis+1)%3, (e.axis+2)%3
	if (e.corner>>a&1 == e.corner>>b&1) == fluidBelow {
		return b
	}
	return a
}

// beyond is the other edge that is cut of a face across an axis.
func (e cellEdge) beyond(across int, cut func(cellEdge) bool) cellEdge {
	third := 3 - across - e.axis
	low := e.corner & (1 << across)
	for _, o := range []cellEdge{{low, e.axis}, {low | 1<<third, e.axis}, {low, third}, {low | 1<<e.axis, third}} {
		if o != e && cut(o) {
			return o
		}
	}
	return e
}
