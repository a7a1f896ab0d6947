package plic

import (
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
)

// faces returns the planes as output, with some fields of their cells.
func (p *Planes) faces(b *domain.Block, space *solvers.Space, names []string) *solvers.Faces {
	f := &solvers.Faces{PolyData: vtk.PolyData{Points: p.Points, FieldData: b.Bounds()}, Space: space, Entities: p.Cells,
		FieldNames: names}
	if g := b.Grid; g.Dim == 3 { // plots locate the cells with these
		h := []float64{g.Spacing(0), g.Spacing(1), g.Spacing(2)}
		f.FieldData = append(f.FieldData, vtk.Array{Name: "Spacing", Components: 1, Data: h})
	}
	cells := &f.Polys
	if b.Grid.Dim == 2 {
		cells = &f.Lines
	}
	first := 0
	for _, end := range p.Ends {
		ids := make([]int64, end-first)
		for k := range ids {
			ids[k] = int64(first + k)
		}
		cells.Add(ids...)
		first = end
	}
	return f
}

// Planes are the reconstructed lines or planes of mixed cells, clipped to their cells, and the faces of full cells
// beside empty ones, also of those that are nearly so, which have no plane then. Those of neighbouring cells do not
// meet; Surface returns a mesh without gaps. A mixed cell has no entry if its plane has no direction, or only touches
// the cell.
type Planes struct {
	Points []float64 // x, y, z of each
	// Ends is the index of the point after each line or polygon: a line has 2 points and the fluid on its left; a
	// polygon has 3 to 6 points, counter-clockwise seen from outside of the fluid.
	Ends  []int
	Cells []int // cell of each, numbered as in values
}

// Planes returns the planes of the block, cell by cell.
func (s *Interface[F]) Planes(field []F) *Planes {
	p := &Planes{}
	n := 0
	for c := range s.Block.OwnedIndices() {
		if s.HasPlane(field, c) {
			m, alpha := s.UnitPlane(field, c)
			s.outline(p, n, m, alpha)
		} else {
			s.eachFace(field, c, func(axis, side int) {
				var m [3]float64
				m[axis] = float64(2*side - 1)
				s.outline(p, n, m, float64(side))
			})
		}
		n++
	}
	return p
}

// stride returns the difference of the indices of neighbours along an axis, 0 along z in the plane.
func (s *Interface[F]) stride(axis int) int {
	sx, sy, sz := s.Block.Strides()
	return [3]int{sx, sy, sz * (s.Block.Grid.Dim - 2)}[axis]
}

// outline adds the plane m·ξ = α of the block's n-th cell.
func (s *Interface[F]) outline(p *Planes, n int, m [3]float64, alpha float64) {
	b, g := s.Block, s.Block.Grid
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
		point := [3]float64{g.Lo[0], g.Lo[1], g.Lo[2]}
		for d := range g.Dim {
			point[d] = g.Face(d, b.Lo[d]+cell[d]+e.corner>>d&1)
		}
		lo, hi := distance[e.corner], distance[e.corner|1<<e.axis]
		next := g.Face(e.axis, b.Lo[e.axis]+cell[e.axis]+1)
		point[e.axis] = min(next, point[e.axis]+lo/(lo-hi)*(next-point[e.axis])) // rounding must not leave the cell
		p.append(first, point)
	}
	p.close(first, g.Dim, n)
}

func (p *Planes) points() int { return len(p.Points) / 3 }

// At returns point i.
func (p *Planes) At(i int) [3]float64 { return [3]float64(p.Points[3*i:]) }

// append adds a point to the outline that begins at first, unless it equals the previous one.
func (p *Planes) append(first int, at [3]float64) {
	if n := p.points(); n == first || p.At(n-1) != at {
		p.Points = append(p.Points, at[:]...)
	}
}

// close ends the outline that begins at first, and drops it if it has fewer than least points.
func (p *Planes) close(first, least, cell int) {
	if n := p.points(); n > first+1 && p.At(n-1) == p.At(first) {
		p.Points = p.Points[:3*(n-1)]
	}
	if p.points() < first+least {
		p.Points = p.Points[:3*first]
		return
	}
	p.Ends = append(p.Ends, p.points())
	p.Cells = append(p.Cells, cell)
}

// cellEdge is an edge of the unit cell, along an axis from a corner; bit d of corner is its position along axis d.
type cellEdge struct{ corner, axis int }

// cutEdges returns the edges that a line or plane intersects, in the order of its outline, from the signed distances
// of the corners. Distances that are sums along the axes are monotonic along each axis in spite of rounding, so each
// face has two or no intersected edges.
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
			outline := []cellEdge{begin}
			for e := begin.otherEdge(across, cut); e != begin; e = e.otherEdge(across, cut) {
				outline = append(outline, e)
				across = 3 - across - e.axis // the other face of the edge
			}
			return outline
		}
	}
	return nil
}

// cutSides returns the sides of the unit square that a line intersects: first the one where a counter-clockwise walk
// leaves the fluid, then the one where it enters.
func cutSides(inside func(corner int) bool) []cellEdge {
	var exits, entries []cellEdge
	around := [4]int{0, 1, 3, 2}
	for k, corner := range around {
		next := around[(k+1)%4]
		e := cellEdge{min(corner, next), (corner ^ next) >> 1}
		if inside(corner) && !inside(next) {
			exits = append(exits, e)
		} else if !inside(corner) && inside(next) {
			entries = append(entries, e)
		}
	}
	return append(exits, entries...)
}

// firstFace returns the axis normal to the face on which the outline continues from an edge, so that the fluid is on
// its right seen from outside of the cell.
func (e cellEdge) firstFace(fluidBelow bool) int {
	a, b := (e.axis+1)%3, (e.axis+2)%3
	if (e.corner>>a&1 == e.corner>>b&1) == fluidBelow {
		return b
	}
	return a
}

// otherEdge returns the other intersected edge of the face that is normal to axis across and has the edge e.
func (e cellEdge) otherEdge(across int, cut func(cellEdge) bool) cellEdge {
	third := 3 - across - e.axis
	low := e.corner & (1 << across)
	for _, o := range []cellEdge{{low, e.axis}, {low | 1<<third, e.axis}, {low, third}, {low | 1<<e.axis, third}} {
		if o != e && cut(o) {
			return o
		}
	}
	return e
}
