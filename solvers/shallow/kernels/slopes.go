package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/wet"
)

// Vec2 is a vector in the plane of the mesh: a gradient, an offset or a velocity.
type Vec2[F num.Float] struct{ X, Y F }

func (a Vec2[F]) dot(b Vec2[F]) F { return a.X*b.X + a.Y*b.Y }

func (a Vec2[F]) minus(b Vec2[F]) Vec2[F] { return Vec2[F]{a.X - b.X, a.Y - b.Y} }

func (a Vec2[F]) times(s F) Vec2[F] { return Vec2[F]{a.X * s, a.Y * s} }

// Stencil is the geometry of an owned cell's gradients: the neighbour across each edge in the order of the cell's
// vertices, or one of the constants Wall and Open; the vectors from the centroid to the middles of the first two edges,
// m, the sum of all three being 0; the weights of ∇f = Σ Weight (f of the neighbour - f of the cell), 1/m; and the
// gradient of the bed's height. In float32 it is 64 bytes, two sectors of a GPU's memory.
type Stencil[F num.Float] struct {
	Neighbours [3]int32
	Outlet     int32 // of a neighbour Open
	Arm        [2]Vec2[F]
	Weight     [3]Vec2[F]
	Bed        Vec2[F]
}

// Slopes holds a cell's gradients for its edges: of the levels of surface and interface, of the bed's height, and of
// both components of both velocities, which are U1 and U2 at the centroid. The velocity at the centroid differs from
// the cell's velocity so that the cell's momentum is the mean over it for any slope of the thickness. The cell's
// thicknesses H1 and H2 are included, so that an edge reads them with the rest, in pieces of 16 bytes.
//
// Share1 and Share2 are one over the sum of the potential outflow of a layer through the cell's edges (see
// potentialOutflow), in s/m³; 0 for a layer that is dry or tranquil.
type Slopes[F num.Float] struct {
	H2, Share2 F
	Z2, Bed    Vec2[F]
	U2         Vec2[F]
	U2x, U2y   Vec2[F] // gradients of the components x and y
	Head       F       // of one layer: the most that friction and gravity leave it, m above the datum (see head)
	Gain       F       // of the acceleration that the slope gives the waves on the edges, m: see gain
	H1, Share1 F       // from here on of the upper layer, not read if there is none
	Z1, U1     Vec2[F]
	U1x, U1y   Vec2[F]
}

// water holds the thicknesses, levels and velocities of a cell, and the height of its bed.
type water[F num.Float] struct {
	h1, h2, z1, z2, bed F
	u1, u2              Vec2[F]
}

// load computes the levels and the velocities of a cell.
func (s *water[F]) load(oneLayer bool, w *State[F], depth, dry F) {
	z2 := w.H2 - depth
	s.bed = -depth
	if oneLayer {
		s.h2, s.z2, s.u2 = w.H2, z2, thinVelocity(w.H2, w.Q2x, w.Q2y, dry)
		return
	}
	s.h1, s.h2, s.z1, s.z2 = w.H1, w.H2, w.H1+z2, z2
	if w.H1 >= dry && w.H2 >= dry {
		both := 1 / (w.H1 * w.H2)
		v1, v2 := w.H2*both, w.H1*both
		s.u1, s.u2 = Vec2[F]{w.Q1x * v1, w.Q1y * v1}, Vec2[F]{w.Q2x * v2, w.Q2y * v2}
		return
	}
	s.u1, s.u2 = thinVelocity(w.H1, w.Q1x, w.Q1y, dry), thinVelocity(w.H2, w.Q2x, w.Q2y, dry)
}

// thinVelocity returns the velocity of a layer that may be absent, as velocity does.
func thinVelocity[F num.Float](h, qx, qy, dry F) Vec2[F] {
	if h <= 0 {
		return Vec2[F]{}
	}
	top, bottom := F(1), h
	if h < dry {
		top, bottom = 2*h, h*h+dry*dry
	}
	v := top / bottom // one division, since vectors and GPUs take both branches
	return Vec2[F]{qx * v, qy * v}
}

// geometry is a Stencil unpacked: the vectors to the middles of all three edges, and the weights.
type geometry[F num.Float] struct{ arm, weight [3]Vec2[F] }

func (c *Stencil[F]) geometry() geometry[F] {
	a, b := c.Arm[0], c.Arm[1]
	return geometry[F]{[3]Vec2[F]{a, b, {-a.X - b.X, -a.Y - b.Y}}, c.Weight}
}

// across returns the outward normal of edge k of a triangle, times half the edge's length.
func (g *geometry[F]) across(k int) Vec2[F] {
	along := g.arm[(k+1)%3].minus(g.arm[(k+2)%3])
	return Vec2[F]{along.Y, -along.X}
}

// mirrored returns u reflected at edge k of a triangle: with its normal part reversed. The arms to two edges'
// midpoints differ by half the third edge.
func (g *geometry[F]) mirrored(u Vec2[F], k int) Vec2[F] {
	across := g.across(k)
	return u.minus(across.times(2 * u.dot(across) / across.dot(across)))
}

// smallest returns the smallest of three numbers. The builtin min costs more: see num.Larger.
func smallest[F num.Float](a, b, c F) F { return num.Smaller(num.Smaller(a, b), c) }

// largest returns the largest of three numbers.
func largest[F num.Float](a, b, c F) F { return num.Larger(num.Larger(a, b), c) }

// limitedGradient returns the gradient of a field whose differences between neighbours and cell are d0, d1 and d2,
// limited so that its values at the edges' midpoints stay in the range of these differences and 0. The range is not
// needed in most cells: where the value at each midpoint is between the cell and its neighbour.
func (c *geometry[F]) limitedGradient(d0, d1, d2, scale F) Vec2[F] {
	g := Vec2[F]{
		c.weight[0].X*d0 + c.weight[1].X*d1 + c.weight[2].X*d2,
		c.weight[0].Y*d0 + c.weight[1].Y*d1 + c.weight[2].Y*d2,
	}
	m0, m1, m2 := g.dot(c.arm[0]), g.dot(c.arm[1]), g.dot(c.arm[2])
	if m0*(d0-m0) >= 0 && m1*(d1-m1) >= 0 && m2*(d2-m2) >= 0 {
		return g
	}
	lo, hi := widenRange(d0, d1, d2, scale)
	return g.times(c.rangeFactor(g, lo, hi))
}

// rangeFactor returns the factor in [0, 1] on a gradient that brings the differences at the edges' midpoints into a
// range.
func (c *geometry[F]) rangeFactor(g Vec2[F], lo, hi F) F {
	m0, m1, m2 := g.dot(c.arm[0]), g.dot(c.arm[1]), g.dot(c.arm[2])
	return smallest(limiterFactor(m0, lo, hi), limiterFactor(m1, lo, hi), limiterFactor(m2, lo, hi))
}

// widenRange returns the range of the differences and 0. A range smaller than scale is widened, by at most an eighth
// of scale on each side: it belongs to a smooth crest rather than to a front, and a limiter would flatten it.
func widenRange[F num.Float](d0, d1, d2, scale F) (lo, hi F) {
	lo, hi = num.Smaller(smallest(d0, d1, d2), 0), num.Larger(largest(d0, d1, d2), 0)
	if width := hi - lo; width < scale {
		more := width * (1 - width/scale) / 2
		lo, hi = lo-more, hi+more
	}
	return lo, hi
}

// limiterFactor returns the factor in [0, 1] that brings a difference d into the range.
func limiterFactor[F num.Float](d, lo, hi F) F {
	bound := hi
	if d < lo {
		bound = lo
	} else if !(d > hi) {
		return 1
	}
	return bound / d // one division, since vectors and GPUs take both branches
}

// SlopeTable stores the Slopes of cells with the same pair of values of all cells adjacent, so that the threads of a
// GPU, which process adjacent cells, access adjacent memory.
type SlopeTable[F num.Float] struct {
	Pairs []Vec2[F] // SlopePairs of each cell
	Cells int
}

// SlopePairs is the number of pairs of values in Slopes.
const SlopePairs = 12

// put writes the slopes of cell i.
func (t *SlopeTable[F]) put(upper bool, i int, s *Slopes[F]) {
	n := t.Cells
	t.Pairs[i] = Vec2[F]{s.H2, s.Share2}
	t.Pairs[n+i], t.Pairs[2*n+i], t.Pairs[3*n+i] = s.Z2, s.Bed, s.U2
	t.Pairs[4*n+i], t.Pairs[5*n+i] = s.U2x, s.U2y
	t.Pairs[6*n+i] = Vec2[F]{s.Head, s.Gain}
	if upper {
		t.Pairs[7*n+i] = Vec2[F]{s.H1, s.Share1}
		t.Pairs[8*n+i], t.Pairs[9*n+i], t.Pairs[10*n+i], t.Pairs[11*n+i] = s.Z1, s.U1, s.U1x, s.U1y
	}
}

// get reads the slopes of cell i, without the upper layer if the run has none.
func (t *SlopeTable[F]) get(i int, upper bool, s *Slopes[F]) {
	n := t.Cells
	h := t.Pairs[i]
	s.H2, s.Share2 = h.X, h.Y
	s.Z2, s.Bed, s.U2 = t.Pairs[n+i], t.Pairs[2*n+i], t.Pairs[3*n+i]
	s.U2x, s.U2y = t.Pairs[4*n+i], t.Pairs[5*n+i]
	h = t.Pairs[6*n+i]
	s.Head, s.Gain = h.X, h.Y
	if upper {
		h = t.Pairs[7*n+i]
		s.H1, s.Share1 = h.X, h.Y
		s.Z1, s.U1, s.U1x, s.U1y = t.Pairs[8*n+i], t.Pairs[9*n+i], t.Pairs[10*n+i], t.Pairs[11*n+i]
	}
}

// TableSlopes does what CellSlopes does, and writes the slopes to a table, unless skip is set and it has them.
//
//atoll:kernel oneLayer=false,true skip=false,true
func TableSlopes[F num.Float](i int, oneLayer, skip bool, p *Params[F], m *Mesh[F], tiles *wet.Tiles, marks *wet.Stage,
	w []State[F], table *SlopeTable[F]) {
	if skip && !w[i].wet(oneLayer) && tiles.Settled(i, marks) {
		return
	}
	s := slopesOf(oneLayer, i, p, m, w)
	table.put(!oneLayer, i, &s)
}

// TableReceived writes slopes received from another rank to the table.
//
//atoll:kernel oneLayer=false,true
func TableReceived[F num.Float](i int, oneLayer bool, received []Slopes[F], table *SlopeTable[F]) {
	s := received[i]
	table.put(!oneLayer, i, &s)
}
