package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Arrow is a vector in the plane of the mesh: a gradient, an offset or a velocity.
type Arrow[F num.Float] struct{ X, Y F }

func (a Arrow[F]) dot(b Arrow[F]) F { return a.X*b.X + a.Y*b.Y }

func (a Arrow[F]) less(b Arrow[F]) Arrow[F] { return Arrow[F]{a.X - b.X, a.Y - b.Y} }

func (a Arrow[F]) times(s F) Arrow[F] { return Arrow[F]{a.X * s, a.Y * s} }

// Stencil is what the gradients of an owned cell are made from: the neighbour across each edge in the order of the
// cell's vertices, or one of the constants Wall and Open; the ways from the centroid to the middles of the first two
// edges, m, which with that to the third add up to nothing; the weights of
// ∇f = Σ Weight (f of the neighbour - f of the cell), 1/m; and the gradient of the bed's height. In float32 it is 64
// bytes, two sectors of a GPU's memory.
type Stencil[F num.Float] struct {
	Near   [3]int32
	_      int32
	Arm    [2]Arrow[F]
	Weight [3]Arrow[F]
	Bed    Arrow[F]
}

// Slopes are a cell's gradients, as its edges see them: of the levels of surface and interface, of the bed's height,
// and of both components of both velocities, which are U1 and U2 at the centroid. A velocity at the centroid is shifted
// from the cell's own so that the momentum of the cell is the mean over it, whatever the slope of the thickness. The
// cell's thicknesses H1 and H2 are beside them, so that an edge reads them with the rest, in pieces of 16 bytes.
type Slopes[F num.Float] struct {
	H1, H2   F
	Z2, Bed  Arrow[F]
	U2       Arrow[F]
	U2x, U2y Arrow[F] // gradients of the components x and y
	Z1, U1   Arrow[F] // from here on of the upper layer, which an edge does without where there is none
	U1x, U1y Arrow[F]
}

// water is a cell as its neighbours see it: thicknesses, levels and velocities.
type water[F num.Float] struct {
	h1, h2, z1, z2 F
	u1, u2         Arrow[F]
}

// see finds the levels and the velocities of a cell.
func (s *water[F]) see(w *State[F], depth, dry F) {
	z2 := w.H2 - depth
	s.h1, s.h2, s.z1, s.z2 = w.H1, w.H2, w.H1+z2, z2
	if w.H1 >= dry && w.H2 >= dry {
		both := 1 / (w.H1 * w.H2)
		v1, v2 := w.H2*both, w.H1*both
		s.u1, s.u2 = Arrow[F]{w.Q1x * v1, w.Q1y * v1}, Arrow[F]{w.Q2x * v2, w.Q2y * v2}
		return
	}
	s.u1, s.u2 = slow(w.H1, w.Q1x, w.Q1y, dry), slow(w.H2, w.Q2x, w.Q2y, dry)
}

// slow is the velocity of a layer that may be absent, as velocity has it.
func slow[F num.Float](h, qx, qy, dry F) Arrow[F] {
	if h <= 0 {
		return Arrow[F]{}
	}
	v := 2 * h / (h*h + dry*dry)
	if h >= dry {
		v = 1 / h
	}
	return Arrow[F]{qx * v, qy * v}
}

// geometry is a Stencil at hand: the ways to the middles of all three edges, and the weights.
type geometry[F num.Float] struct{ arm, weight [3]Arrow[F] }

func (c *Stencil[F]) geometry() geometry[F] {
	a, b := c.Arm[0], c.Arm[1]
	return geometry[F]{[3]Arrow[F]{a, b, {-a.X - b.X, -a.Y - b.Y}}, c.Weight}
}

// mirrored is u behind the edge k of a triangle: its normal part turned round. The arms to two edges' middles differ by
// half the third edge.
func (g *geometry[F]) mirrored(u Arrow[F], k int) Arrow[F] {
	along := g.arm[(k+1)%3].less(g.arm[(k+2)%3])
	across := Arrow[F]{along.Y, -along.X}
	return u.less(across.times(2 * u.dot(across) / across.dot(across)))
}

// slope is the gradient of a field whose neighbours differ from the cell by d0, d1 and d2, limited so that at the
// middles of the edges it stays in the range of these differences and 0. Most do without a look at the range: where the
// middle of each edge is between the cell and its neighbour.
func (c *geometry[F]) slope(d0, d1, d2, scale F) Arrow[F] {
	g := Arrow[F]{
		c.weight[0].X*d0 + c.weight[1].X*d1 + c.weight[2].X*d2,
		c.weight[0].Y*d0 + c.weight[1].Y*d1 + c.weight[2].Y*d2,
	}
	m0, m1, m2 := g.dot(c.arm[0]), g.dot(c.arm[1]), g.dot(c.arm[2])
	if m0*(d0-m0) >= 0 && m1*(d1-m1) >= 0 && m2*(d2-m2) >= 0 {
		return g
	}
	lo, hi := widened(d0, d1, d2, scale)
	return g.times(num.Smaller(num.Smaller(within(m0, lo, hi), within(m1, lo, hi)), within(m2, lo, hi)))
}

// widened is the range of differences with 0. One smaller than scale counts as wider, by at most an eighth of scale on
// each side: it is that of a crest rather than of a front, which a limiter would flatten.
func widened[F num.Float](d0, d1, d2, scale F) (lo, hi F) {
	lo, hi = min(d0, d1, d2, 0), max(d0, d1, d2, 0)
	if width := hi - lo; width < scale {
		more := width * (1 - width/scale) / 2
		lo, hi = lo-more, hi+more
	}
	return lo, hi
}

// within is the share of a difference d that is in the range.
func within[F num.Float](d, lo, hi F) F {
	if d > hi {
		return hi / d
	}
	if d < lo {
		return lo / d
	}
	return 1
}
