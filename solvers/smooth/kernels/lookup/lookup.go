// Package lookup finds the metric at a position from tables along the axes and samples at the nodes of a grid, in the
// plane and in space.
//
// The functions use only + − × ÷ and comparisons of floating-point numbers, so that every processor gives the same
// bits.
package lookup

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Kinds of metric fields.
const (
	Grid    int32 = iota // samples of the tensor at the nodes of a grid, linear along each axis between them
	Product              // diag(1/hx(x)², 1/hy(y)²), and 1/hz(z)² in space
	OnMesh               // tensors at the vertices of a mesh, linear on each of its triangles or tetrahedra
)

// Piece is the size of elements along an axis, h = A + t(B + t(C + tD)), for t in [0, 1] across a piece of the axis.
type Piece[F num.Float] struct{ A, B, C, D F }

// Size returns h and dh/dt.
func (p *Piece[F]) Size(t F) (F, F) {
	return p.A + t*(p.B+t*(p.C+t*p.D)), p.B + t*(2*p.C+3*t*p.D)
}

// Locate returns the piece of x, of n pieces that start at low and have length 1/per, and the position of x in it, in
// [0, 1]. Beyond the ends it returns the nearest position inside. NaN maps to the first piece.
func Locate[F num.Float](x, low, per F, n int32) (int32, F) {
	c := (x - low) * per
	if !(c > 0) {
		return 0, 0
	}
	if c >= F(n) {
		return n - 1, 1
	}
	k := int32(c)
	return k, c - F(k)
}

// Between is linear interpolation: a for t = 0, b for t = 1, and exactly a for all t if a = b.
func Between[F num.Float](a, b, t F) F { return a + t*(b-a) }

// Bilinear is bilinear interpolation: along s from a to b and from c to d, and along t between these.
func Bilinear[F num.Float](a, b, c, d, s, t F) F {
	return Between(Between(a, b, s), Between(c, d, s), t)
}

// Trilinear is trilinear interpolation: along r between the bilinear interpolations of a, b, c, d and of e, f, g,
// h.
func Trilinear[F num.Float](a, b, c, d, e, f, g, h, s, t, r F) F {
	return Between(Bilinear(a, b, c, d, s, t), Bilinear(e, f, g, h, s, t), r)
}

// Slopes returns the derivatives of Trilinear by s, t and r.
func Slopes[F num.Float](a, b, c, d, e, f, g, h, s, t, r F) (F, F, F) {
	return Bilinear(b-a, d-c, f-e, h-g, t, r), Bilinear(c-a, d-b, g-e, h-f, s, r),
		Bilinear(e, f, g, h, s, t) - Bilinear(a, b, c, d, s, t)
}
