// Package solid moves the vertices of a mesh of tetrahedra toward a metric, one vertex at a time, as package kernels
// does in two dimensions.
//
// A vertex moves along the directions T of its frame: three inside, two on a flat part of the boundary, one on a
// straight edge. With the matrix A and the force g of package kernels, the step is T a with (T'AT) a = ωT'g: one
// formula for all of them.
//
// Kernels use only + − × ÷ √ and comparisons of floating-point numbers, so that every processor gives the same
// bits. Sums run over the neighbours of a vertex and the faces of its cavity in an order fixed by global ids.
package solid

//go:generate go run github.com/atoll-hpc/atoll/kernelgen/cmd/kernelgen
//atoll:machine sm_80 sm_90

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Vertex is a vertex with the metric at its position, which is updated when it moves. A and B are the coordinates of
// a boundary vertex in its frame.
type Vertex[F num.Float] struct {
	X, Y, Z                      F
	M11, M12, M13, M22, M23, M33 F
	A, B                         F
	_                            F
}

// Tensor is a symmetric tensor.
type Tensor[F num.Float] struct{ M11, M12, M13, M22, M23, M33 F }

// Vector is a vector, of space or of the directions of a frame.
type Vector[F num.Float] struct{ X, Y, Z F }

// Span holds the indices of a vertex's first neighbour in Mesh.Neighbours, and of its cavity's first face in
// Mesh.CavityFaces. Its neighbours and faces end where those of the next vertex start.
type Span struct{ FirstNeighbour, FirstFace int32 }

// Face is the outer face of a tetrahedron of the cavity of p: (a-p) · (b-p)×(c-p) is positive. A face of the boundary
// is stored so as well.
type Face struct{ A, B, C int32 }

// Frame is the position at which a vertex of the boundary began, and the directions in which it moves: T and U, or
// on an edge T alone, with U = 0. Axes is the number of directions. At (a, b) from the origin the vertex is at (X,
// Y, Z) + aT + bU + a²P + abQ + b²R: in a plane or on a line, with directions at right angles and of length 1, or
// on a paraboloid or a parabola, on which neither a nor b is beyond Reach. Only Barrier uses Reach.
type Frame[F num.Float] struct {
	X, Y, Z, Tx, Ty, Tz, Ux, Uy, Uz    F
	Px, Py, Pz, Qx, Qy, Qz, Rx, Ry, Rz F
	Reach                              F
	Axes                               int32
}

// Mesh is the constant part of a mesh: the neighbours and the cavities of all vertices that move, and the frames of
// those on the boundary.
type Mesh[F num.Float] struct {
	Spans       []Span // of all vertices that move, and one more
	Neighbours  []int32
	CavityFaces []Face
	Frames      []Frame[F]
}

// Set is a range of vertices that share no edge. Those from FirstSliding on lie on the boundary, and the frame of
// vertex i is Frames[i-FirstSliding+FirstFrame]. Params, Control and Counters have the fields that they have in the
// plane.
//
//atoll:constant
type Set struct {
	FirstSliding, FirstFrame int32
	Index, Sets              int32 // number of this set, and of all sets
	Owned                    int32 // vertices from here on are copies of another rank's: they move, and are not counted
}

// Guards against inverted tetrahedra.
const (
	NoGuard int32 = iota // as printed in the literature
	Halve                // try half the step, up to ten times, and then none
	Clip                 // cut the step to 0.9 of what the tetrahedra allow
)

// Params holds the constants of a run.
//
//atoll:constant
type Params[F num.Float] struct {
	Relax     F     // ω: the share of the step that is taken
	Excess    F     // by how much of its size the damping diagonal of the printed Pain step exceeds the off-diagonal sum
	Tolerance F     // square of the move, in the metric, above which neighbours are visited again
	Gain      F     // smallest rise of the worst quality for which a vertex moves
	Shortest  F     // step, in the metric, at which a search along a line ends
	Margin    F     // by which Barrier raises the worst quality where that is below its floor: more than rounding
	Flat      F     // a tetrahedron is flat if its volume is at most this share of the terms of its determinant
	Shape     F     // least shape (see shapely) to which Barrier may bring a tetrahedron; 0 for no bound
	Guard     int32 // NoGuard, Halve or Clip
	Climbs    int32 // maximum number of trial positions of the optimiser in a visit
	Cull      bool  // skip vertices around which nothing has moved
}

// Control holds the parameters that change between sweeps.
type Control[F num.Float] struct {
	Floor     F     // Hybrid optimises where the worst quality is below this; Barrier makes no cell worse
	Sweep     int32 // from 0
	Doublings int32 // log₂ of Barrier's power p; below 0 for p = -1
	Rising    bool  // Barrier lowers the sum of qualities around no vertex
}

// Counters counts limited and refused steps.
type Counters struct {
	Limited int64 // steps that the guard shortened or refused
	Refused int64 // steps that would not have raised the worst quality
}

// product returns u'Mv.
func (m *Tensor[F]) product(u, v Vector[F]) F {
	w := m.times(v)
	return u.X*w.X + u.Y*w.Y + u.Z*w.Z
}

// times is Mv.
func (m *Tensor[F]) times(v Vector[F]) Vector[F] {
	var w Vector[F]
	w.X = m.M11*v.X + m.M12*v.Y + m.M13*v.Z
	w.Y = m.M12*v.X + m.M22*v.Y + m.M23*v.Z
	w.Z = m.M13*v.X + m.M23*v.Y + m.M33*v.Z
	return w
}

// length is √(u'Mu).
func (m *Tensor[F]) length(u Vector[F]) F { return num.Sqrt(m.product(u, u)) }

// determinant returns the determinant of the tensor.
func (m *Tensor[F]) determinant() F {
	return m.M11*(m.M22*m.M33-m.M23*m.M23) - m.M12*(m.M12*m.M33-m.M23*m.M13) + m.M13*(m.M12*m.M23-m.M22*m.M13)
}

// metric returns the metric at a vertex.
func (v *Vertex[F]) metric() Tensor[F] {
	var m Tensor[F]
	m.M11, m.M12, m.M13, m.M22, m.M23, m.M33 = v.M11, v.M12, v.M13, v.M22, v.M23, v.M33
	return m
}

// from returns the vector from a position to a vertex.
func (v *Vertex[F]) from(p Vector[F]) Vector[F] {
	var u Vector[F]
	u.X, u.Y, u.Z = v.X-p.X, v.Y-p.Y, v.Z-p.Z
	return u
}

func dot[F num.Float](a, b Vector[F]) F { return a.X*b.X + a.Y*b.Y + a.Z*b.Z }

func cross[F num.Float](a, b Vector[F]) Vector[F] {
	var c Vector[F]
	c.X, c.Y, c.Z = a.Y*b.Z-a.Z*b.Y, a.Z*b.X-a.X*b.Z, a.X*b.Y-a.Y*b.X
	return c
}

func minus[F num.Float](a, b Vector[F]) Vector[F] {
	var c Vector[F]
	c.X, c.Y, c.Z = a.X-b.X, a.Y-b.Y, a.Z-b.Z
	return c
}
