package solid

import (
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/lookup"
)

// Node is a vertex of the background mesh, with the metric.
type Node[F num.Float] struct {
	X, Y, Z                      F
	M11, M12, M13, M22, M23, M33 F
	_                            F
}

// BackgroundCell is a tetrahedron of the background mesh: its corners, and in slot k the tetrahedron across the face
// opposite to corner k, -1 at the boundary.
type BackgroundCell struct{ At, Next [4]int32 }

// barycentric is a position in a tetrahedron: coordinates along its three edges from the first corner, as fractions
// of them.
type barycentric[F num.Float] struct {
	cell    int32
	b, c, d F
}

// edges returns the edges of a tetrahedron from its first corner.
func (f *Field[F]) edges(cell int32) (Vector[F], Vector[F], Vector[F]) {
	corners := &f.Background[cell].At
	o := f.Nodes[corners[0]].position()
	return minus(f.Nodes[corners[1]].position(), o), minus(f.Nodes[corners[2]].position(), o),
		minus(f.Nodes[corners[3]].position(), o)
}

func (n *Node[F]) position() Vector[F] {
	var p Vector[F]
	p.X, p.Y, p.Z = n.X, n.Y, n.Z
	return p
}

// barycentricIn returns the coordinates of p in a tetrahedron, which need not contain it. It is exact at corners.
func (f *Field[F]) barycentricIn(cell int32, p Vector[F]) barycentric[F] {
	b, c, d := f.edges(cell)
	u := minus(p, f.Nodes[f.Background[cell].At[0]].position())
	bc, cd, db := cross(b, c), cross(c, d), cross(d, b)
	six := dot(b, cd)
	return barycentric[F]{cell, dot(u, cd) / six, dot(u, db) / six, dot(u, bc) / six}
}

// clampToCell moves a position outside its tetrahedron to the tetrahedron's boundary, and NaN to the first corner.
func clampToCell[F num.Float](s barycentric[F]) barycentric[F] {
	if !(s.b > 0) {
		s.b = 0
	}
	if !(s.c > 0) {
		s.c = 0
	}
	if !(s.d > 0) {
		s.d = 0
	}
	if sum := s.b + s.c + s.d; sum > 1 {
		s.b, s.c, s.d = s.b/sum, s.c/sum, s.d/sum
	}
	return s
}

// find locates a position on the background mesh, or the nearest one in the tetrahedra of its box. The result depends
// on the position only, so that vertices need no memory of their cell: from the tetrahedron in the centre of the box
// it repeatedly crosses the face that the position is farthest beyond.
func (f *Field[F]) find(p Vector[F]) barycentric[F] {
	i, _ := lookup.Locate(p.X, f.X, f.PerX, f.Nx)
	j, _ := lookup.Locate(p.Y, f.Y, f.PerY, f.Ny)
	k, _ := lookup.Locate(p.Z, f.Z, f.PerZ, f.Nz)
	box := (k*f.Ny+j)*f.Nx + i
	cell, previous := f.Starts[box], int32(-1)
	for step := int32(0); step < f.Steps; step++ {
		s := f.barycentricIn(cell, p)
		neighbours := &f.Background[cell].Next
		a := 1 - s.b - s.c - s.d
		least, next := F(0), int32(-1)
		if a < least {
			least, next = a, neighbours[0]
		}
		if s.b < least && (next < 0 || neighbours[1] >= 0) {
			least, next = s.b, neighbours[1]
		}
		if s.c < least && (next < 0 || neighbours[2] >= 0) {
			least, next = s.c, neighbours[2]
		}
		if s.d < least && (next < 0 || neighbours[3] >= 0) {
			least, next = s.d, neighbours[3]
		}
		// If both tetrahedra of a face send the search across it, the position is on the face up to round-off.
		if least >= 0 || next >= 0 && next == previous {
			return clampToCell(s)
		}
		if next < 0 {
			break
		}
		previous, cell = cell, next
	}
	return f.nearest(box, p)
}

// nearest searches all tetrahedra that touch a box. It is for positions that find does not reach across faces: outside
// of the mesh, behind a notch or a hole, or if the search goes in circles, which is possible for meshes that are not
// Delaunay.
func (f *Field[F]) nearest(box int32, p Vector[F]) barycentric[F] {
	best := clampToCell(f.barycentricIn(f.Listed[f.Lists[box]], p))
	bestSquare := f.distanceSquare(&best, p)
	for k := f.Lists[box] + 1; k < f.Lists[box+1]; k++ {
		s := clampToCell(f.barycentricIn(f.Listed[k], p))
		if d := f.distanceSquare(&s, p); d < bestSquare {
			best, bestSquare = s, d
		}
	}
	return best
}

// distanceSquare returns the square of the distance of p from a position in a tetrahedron.
func (f *Field[F]) distanceSquare(s *barycentric[F], p Vector[F]) F {
	b, c, d := f.edges(s.cell)
	u := minus(f.Nodes[f.Background[s.cell].At[0]].position(), p)
	u.X += s.b*b.X + s.c*c.X + s.d*d.X
	u.Y += s.b*b.Y + s.c*c.Y + s.d*d.Y
	u.Z += s.b*b.Z + s.c*c.Z + s.d*d.Z
	return dot(u, u)
}

func (n *Node[F]) metric() Tensor[F] {
	var m Tensor[F]
	m.M11, m.M12, m.M13, m.M22, m.M23, m.M33 = n.M11, n.M12, n.M13, n.M22, n.M23, n.M33
	return m
}

// edgeDifferences returns the differences of the metric along the edges of a tetrahedron from its first corner.
func (f *Field[F]) edgeDifferences(cell int32) (Tensor[F], Tensor[F], Tensor[F]) {
	corners := &f.Background[cell].At
	o, b := f.Nodes[corners[0]].metric(), f.Nodes[corners[1]].metric()
	c, d := f.Nodes[corners[2]].metric(), f.Nodes[corners[3]].metric()
	return difference(&o, &b), difference(&o, &c), difference(&o, &d)
}

// weightedSum returns the sum of three tensors with weights.
func weightedSum[F num.Float](b, c, d *Tensor[F], s, t, r F) Tensor[F] {
	var m Tensor[F]
	m.M11, m.M12 = s*b.M11+t*c.M11+r*d.M11, s*b.M12+t*c.M12+r*d.M12
	m.M13, m.M22 = s*b.M13+t*c.M13+r*d.M13, s*b.M22+t*c.M22+r*d.M22
	m.M23, m.M33 = s*b.M23+t*c.M23+r*d.M23, s*b.M33+t*c.M33+r*d.M33
	return m
}

// atBackground returns the metric at a position, which is linear on every tetrahedron: such a mean of positive definite
// tensors is positive definite.
func (f *Field[F]) atBackground(p Vector[F]) Tensor[F] {
	s := f.find(p)
	b, c, d := f.edgeDifferences(s.cell)
	change := weightedSum(&b, &c, &d, s.b, s.c, s.d)
	m := f.Nodes[f.Background[s.cell].At[0]].metric()
	m.M11, m.M12, m.M13 = m.M11+change.M11, m.M12+change.M12, m.M13+change.M13
	m.M22, m.M23, m.M33 = m.M22+change.M22, m.M23+change.M23, m.M33+change.M33
	return scaled(&m, f.Scale)
}

// gradientAtBackground returns the derivatives by x, y and z, constant on every tetrahedron.
func (f *Field[F]) gradientAtBackground(p Vector[F]) (Tensor[F], Tensor[F], Tensor[F]) {
	s := f.find(p)
	b, c, d := f.edges(s.cell)
	bc, cd, db := cross(b, c), cross(c, d), cross(d, b)
	per := f.Scale / dot(b, cd)
	mb, mc, md := f.edgeDifferences(s.cell)
	return weightedSum(&mb, &mc, &md, per*cd.X, per*db.X, per*bc.X), weightedSum(&mb, &mc, &md, per*cd.Y, per*db.Y,
			per*bc.Y),
		weightedSum(&mb, &mc, &md, per*cd.Z, per*db.Z, per*bc.Z)
}
