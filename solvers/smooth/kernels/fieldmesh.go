package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/lookup"
)

// Node is a vertex of the background mesh, with the metric.
type Node[F num.Float] struct{ X, Y, M11, M12, M22, _ F }

// BackgroundCell is a triangle of the background mesh: its corners, counter-clockwise, and in slot k the triangle
// across the edge from corner k to corner (k+1)%3, -1 at the boundary.
type BackgroundCell struct{ At, Next [3]int32 }

// barycentric is a position in a triangle: coordinates along its two edges from the first corner, as fractions of
// them.
type barycentric[F num.Float] struct {
	cell int32
	b, c F
}

// barycentricIn returns the coordinates of (x, y) in a triangle, which need not contain it. It is exact at corners.
func (f *Field[F]) barycentricIn(cell int32, x, y F) barycentric[F] {
	corners := &f.Background[cell].At
	o, b, c := &f.Nodes[corners[0]], &f.Nodes[corners[1]], &f.Nodes[corners[2]]
	bx, by, cx, cy := b.X-o.X, b.Y-o.Y, c.X-o.X, c.Y-o.Y
	dx, dy := x-o.X, y-o.Y
	area := bx*cy - by*cx
	return barycentric[F]{cell, (dx*cy - dy*cx) / area, (bx*dy - by*dx) / area}
}

// clampToCell moves a position outside its triangle to the triangle's boundary, and NaN to the first corner.
func clampToCell[F num.Float](s barycentric[F]) barycentric[F] {
	if !(s.b > 0) {
		s.b = 0
	}
	if !(s.c > 0) {
		s.c = 0
	}
	if sum := s.b + s.c; sum > 1 {
		s.b, s.c = s.b/sum, s.c/sum
	}
	return s
}

// find locates a position on the background mesh, or the nearest one in the triangles of its box. The result depends
// on the position only, so that vertices need no memory of their cell: from the triangle in the centre of the box it
// repeatedly crosses the edge that the position is farthest beyond.
func (f *Field[F]) find(x, y F) barycentric[F] {
	i, _ := lookup.Locate(x, f.X, f.PerX, f.Nx)
	j, _ := lookup.Locate(y, f.Y, f.PerY, f.Ny)
	box := j*f.Nx + i
	cell, previous := f.Starts[box], int32(-1)
	for step := int32(0); step < f.Steps; step++ {
		s := f.barycentricIn(cell, x, y)
		a := 1 - s.b - s.c
		least, next := F(0), int32(-1)
		if a < least {
			least, next = a, f.Background[cell].Next[1]
		}
		if s.b < least && (next < 0 || f.Background[cell].Next[2] >= 0) {
			least, next = s.b, f.Background[cell].Next[2]
		}
		if s.c < least && (next < 0 || f.Background[cell].Next[0] >= 0) {
			least, next = s.c, f.Background[cell].Next[0]
		}
		// If both triangles of an edge send the search across it, the position is on the edge up to round-off.
		if least >= 0 || next >= 0 && next == previous {
			return clampToCell(s)
		}
		if next < 0 {
			break
		}
		previous, cell = cell, next
	}
	return f.nearest(box, x, y)
}

// nearest searches all triangles that touch a box. It is for positions that find does not reach across edges: outside
// of the mesh, behind a notch or a hole, or if the search goes in circles, which is possible for triangulations that
// are not Delaunay.
func (f *Field[F]) nearest(box int32, x, y F) barycentric[F] {
	best := clampToCell(f.barycentricIn(f.Listed[f.Lists[box]], x, y))
	bestSquare := f.distanceSquare(&best, x, y)
	for k := f.Lists[box] + 1; k < f.Lists[box+1]; k++ {
		s := clampToCell(f.barycentricIn(f.Listed[k], x, y))
		if d := f.distanceSquare(&s, x, y); d < bestSquare {
			best, bestSquare = s, d
		}
	}
	return best
}

// distanceSquare returns the square of the distance of (x, y) from a position in a triangle.
func (f *Field[F]) distanceSquare(s *barycentric[F], x, y F) F {
	corners := &f.Background[s.cell].At
	o, b, c := &f.Nodes[corners[0]], &f.Nodes[corners[1]], &f.Nodes[corners[2]]
	dx := o.X + s.b*(b.X-o.X) + s.c*(c.X-o.X) - x
	dy := o.Y + s.b*(b.Y-o.Y) + s.c*(c.Y-o.Y) - y
	return dx*dx + dy*dy
}

// atBackground returns the metric at a position, which is linear on every triangle: such a mean of positive definite
// tensors is positive definite.
func (f *Field[F]) atBackground(x, y F) Tensor[F] {
	s := f.find(x, y)
	corners := &f.Background[s.cell].At
	o, b, c := &f.Nodes[corners[0]], &f.Nodes[corners[1]], &f.Nodes[corners[2]]
	var m Tensor[F]
	m.M11 = f.Scale * (o.M11 + (s.b*(b.M11-o.M11) + s.c*(c.M11-o.M11)))
	m.M12 = f.Scale * (o.M12 + (s.b*(b.M12-o.M12) + s.c*(c.M12-o.M12)))
	m.M22 = f.Scale * (o.M22 + (s.b*(b.M22-o.M22) + s.c*(c.M22-o.M22)))
	return m
}

// gradientAtBackground returns the derivatives by x and y, constant on every triangle.
func (f *Field[F]) gradientAtBackground(x, y F) (Tensor[F], Tensor[F]) {
	s := f.find(x, y)
	corners := &f.Background[s.cell].At
	o, b, c := &f.Nodes[corners[0]], &f.Nodes[corners[1]], &f.Nodes[corners[2]]
	bx, by, cx, cy := b.X-o.X, b.Y-o.Y, c.X-o.X, c.Y-o.Y
	per := f.Scale / (bx*cy - by*cx)
	var mx, my Tensor[F]
	mx.M11 = per * ((b.M11-o.M11)*cy - (c.M11-o.M11)*by)
	mx.M12 = per * ((b.M12-o.M12)*cy - (c.M12-o.M12)*by)
	mx.M22 = per * ((b.M22-o.M22)*cy - (c.M22-o.M22)*by)
	my.M11 = per * ((c.M11-o.M11)*bx - (b.M11-o.M11)*cx)
	my.M12 = per * ((c.M12-o.M12)*bx - (b.M12-o.M12)*cx)
	my.M22 = per * ((c.M22-o.M22)*bx - (b.M22-o.M22)*cx)
	return mx, my
}
