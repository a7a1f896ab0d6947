package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/lookup"
)

// Node is a vertex of the mesh on which a field is given, and the metric there.
type Node[F num.Float] struct{ X, Y, M11, M12, M22, _ F }

// Patch is a triangle of that mesh: its corners, counter-clockwise, and in slot k the triangle across the edge from
// corner k to corner (k+1)%3, -1 where the mesh ends.
type Patch struct{ At, Next [3]int32 }

// spot is a place in a triangle: how far along its two edges from the first corner, as shares of them.
type spot[F num.Float] struct {
	patch int32
	b, c  F
}

// spotIn returns the place (x, y) as seen by a triangle, which need not hold it. It is exact at corners.
func (f *Field[F]) spotIn(patch int32, x, y F) spot[F] {
	at := &f.Patches[patch].At
	o, b, c := &f.Nodes[at[0]], &f.Nodes[at[1]], &f.Nodes[at[2]]
	bx, by, cx, cy := b.X-o.X, b.Y-o.Y, c.X-o.X, c.Y-o.Y
	dx, dy := x-o.X, y-o.Y
	area := bx*cy - by*cx
	return spot[F]{patch, (dx*cy - dy*cx) / area, (bx*dy - by*dx) / area}
}

// inside moves a spot that lies outside of its triangle to its rim, and NaN to the first corner.
func inside[F num.Float](s spot[F]) spot[F] {
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

// find returns where on the mesh a place lies, or the nearest that the triangles of its box have. It depends on the
// place alone, so that no vertex needs to remember where it was: from the triangle in the middle of its box it goes
// across the edge that the place lies farthest beyond.
func (f *Field[F]) find(x, y F) spot[F] {
	i, _ := lookup.Locate(x, f.X, f.PerX, f.Nx)
	j, _ := lookup.Locate(y, f.Y, f.PerY, f.Ny)
	box := j*f.Nx + i
	patch, before := f.Starts[box], int32(-1)
	for step := int32(0); step < f.Steps; step++ {
		s := f.spotIn(patch, x, y)
		a := 1 - s.b - s.c
		least, next := F(0), int32(-1)
		if a < least {
			least, next = a, f.Patches[patch].Next[1]
		}
		if s.b < least && (next < 0 || f.Patches[patch].Next[2] >= 0) {
			least, next = s.b, f.Patches[patch].Next[2]
		}
		if s.c < least && (next < 0 || f.Patches[patch].Next[0] >= 0) {
			least, next = s.c, f.Patches[patch].Next[0]
		}
		// Where both sides of an edge send it across, a place is on the edge but for rounding.
		if least >= 0 || next >= 0 && next == before {
			return inside(s)
		}
		if next < 0 {
			break
		}
		before, patch = patch, next
	}
	return f.nearest(box, x, y)
}

// nearest looks at every triangle that touches a box, for a place outside of the mesh, behind a notch or a hole of it,
// or around which the way across edges goes in circles, as it may where triangles are not those of Delaunay.
func (f *Field[F]) nearest(box int32, x, y F) spot[F] {
	best := inside(f.spotIn(f.Listed[f.Lists[box]], x, y))
	far := f.beyond(&best, x, y)
	for k := f.Lists[box] + 1; k < f.Lists[box+1]; k++ {
		s := inside(f.spotIn(f.Listed[k], x, y))
		if d := f.beyond(&s, x, y); d < far {
			best, far = s, d
		}
	}
	return best
}

// beyond is the square of the distance of a place from a spot.
func (f *Field[F]) beyond(s *spot[F], x, y F) F {
	at := &f.Patches[s.patch].At
	o, b, c := &f.Nodes[at[0]], &f.Nodes[at[1]], &f.Nodes[at[2]]
	dx := o.X + s.b*(b.X-o.X) + s.c*(c.X-o.X) - x
	dy := o.Y + s.b*(b.Y-o.Y) + s.c*(c.Y-o.Y) - y
	return dx*dx + dy*dy
}

// onMesh returns the metric at a place, which is linear on every triangle: such a mean of positive definite tensors is
// positive definite.
func (f *Field[F]) onMesh(x, y F) Tensor[F] {
	s := f.find(x, y)
	at := &f.Patches[s.patch].At
	o, b, c := &f.Nodes[at[0]], &f.Nodes[at[1]], &f.Nodes[at[2]]
	var m Tensor[F]
	m.M11 = f.Scale * (o.M11 + (s.b*(b.M11-o.M11) + s.c*(c.M11-o.M11)))
	m.M12 = f.Scale * (o.M12 + (s.b*(b.M12-o.M12) + s.c*(c.M12-o.M12)))
	m.M22 = f.Scale * (o.M22 + (s.b*(b.M22-o.M22) + s.c*(c.M22-o.M22)))
	return m
}

// slopeOnMesh returns the derivatives by x and y, constant on every triangle.
func (f *Field[F]) slopeOnMesh(x, y F) (Tensor[F], Tensor[F]) {
	s := f.find(x, y)
	at := &f.Patches[s.patch].At
	o, b, c := &f.Nodes[at[0]], &f.Nodes[at[1]], &f.Nodes[at[2]]
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
