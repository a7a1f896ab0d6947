package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/rough"
)

// CellSlopes computes the slopes of owned cell i from its edge neighbours: least squares, limited, and with
// nonnegative thicknesses at the edges' midpoints.
//
//atoll:kernel lanes oneLayer=false,true
func CellSlopes[F num.Float](i int, oneLayer bool, p *Params[F], m *Mesh[F], w []State[F], out []Slopes[F]) {
	out[m.SlopesAt[i]] = slopesOf(oneLayer, i, p, m, w)
}

// slopesOf is CellSlopes for one cell.
func slopesOf[F num.Float](oneLayer bool, i int, p *Params[F], m *Mesh[F], w []State[F]) Slopes[F] {
	c := m.Stencils[i]
	g := c.geometry()
	n0, n1, n2 := inside(c.Neighbours[0], i), inside(c.Neighbours[1], i), inside(c.Neighbours[2], i)
	own, w0, w1, w2 := w[i], w[n0], w[n1], w[n2] // all are read before any is used, so that a GPU waits once
	depth, d0, d1, d2 := m.Beds[i].Depth, m.Beds[n0].Depth, m.Beds[n1].Depth, m.Beds[n2].Depth
	var me water[F]
	var o [3]water[F]
	me.load(oneLayer, &own, depth, p.DryDepth)
	o[0].load(oneLayer, &w0, d0, p.DryDepth)
	o[1].load(oneLayer, &w1, d1, p.DryDepth)
	o[2].load(oneLayer, &w2, d2, p.DryDepth)
	s := Slopes[F]{H1: me.h1, H2: me.h2, U1: me.u1, U2: me.u2}
	if oneLayer {
		s.Head = me.head(&o, &c, &g, p, &m.Boundary)
	}
	allowed, open := me.prepareNeighbours(oneLayer, &c, &g, p.DryDepth, &o)
	//atoll:mostly
	if allowed {
		me.slopes(oneLayer, &o, &c, &g, p, &s)
	}
	//atoll:seldom
	if oneLayer && open && me.h2 >= p.DryDepth {
		me.openSlopes(&c, &g, m.Boundary.Outlets[c.Outlet].roughness(me.h2), &s)
		me.sheet(true, &o, &g, c.Bed, &s)
	}
	//atoll:seldom
	if me.h2 >= p.DryDepth && !g.tranquil(me.h2, s.Z2.minus(s.Bed), me.u2, p.Gravity) {
		s.Share2 = g.share(me.h2, s.Z2.minus(s.Bed), s.U2, s.U2x, s.U2y, p.Gravity)
	}
	//atoll:seldom
	if !oneLayer && me.h1 >= p.DryDepth && !g.tranquil(me.h1, s.Z1.minus(s.Z2), me.u1, p.Gravity) {
		s.Share1 = g.share(me.h1, s.Z1.minus(s.Z2), s.U1, s.U1x, s.U1y, p.Gravity)
	}
	s.Gain = g.gain(s.Z2)
	if !oneLayer {
		s.Gain = num.Larger(s.Gain, g.gain(s.Z1))
	} else if me.h2 < p.DryDepth {
		s.Gain = g.gain(c.Bed) // rain will find this slope
	}
	return s
}

// gain returns the sum over the edges of a cell of length × the component of a slope along their normal. Times the
// gravitational acceleration it is the rate at which Σ length × speed of the edges' waves grows on this slope.
func (c *geometry[F]) gain(slope Vec2[F]) F {
	return 2 * (num.Abs(slope.dot(c.across(0))) + num.Abs(slope.dot(c.across(1))) + num.Abs(slope.dot(c.across(2))))
}

// inside returns the index of a neighbour of cell i, or of the cell itself if the neighbour is Wall or Open.
func inside(neighbour int32, i int) int32 {
	if neighbour < 0 {
		return int32(i)
	}
	return neighbour
}

// prepareNeighbours changes the states o of a cell's neighbours to those with which gradients are computed, and reports
// whether the cell may have slopes, and whether it has a transmissive edge. Beyond the boundary, o has the state of the
// cell itself, and a bed that continues its slope.
//
// A cell has no slopes if it is dry, if a neighbour has a layer that the cell lacks (that layer may have to climb into
// the cell), and at a transmissive boundary, where a slope would amplify itself. A wall mirrors the cell's velocity. A
// prescribed boundary contributes nothing to the gradients. Nor does a neighbour that lacks a layer, to the gradients
// of this layer, except where its level is below the cell's; a higher level is that of a shore.
//
// There are no loops, so that vector code keeps the neighbours in registers.
func (me *water[F]) prepareNeighbours(oneLayer bool, at *Stencil[F], c *geometry[F], dry F,
	o *[3]water[F]) (allowed, open bool) {
	allowed0 := me.prepareNeighbour(oneLayer, dry, &o[0])
	allowed1 := me.prepareNeighbour(oneLayer, dry, &o[1])
	allowed2 := me.prepareNeighbour(oneLayer, dry, &o[2])
	allowed = (!oneLayer && me.h1 >= dry || me.h2 >= dry) && allowed0 && allowed1 && allowed2
	//atoll:seldom
	if at.Neighbours[0] < 0 || at.Neighbours[1] < 0 || at.Neighbours[2] < 0 {
		me.continueBeyond(0, at, c, &o[0])
		me.continueBeyond(1, at, c, &o[1])
		me.continueBeyond(2, at, c, &o[2])
		open = at.Neighbours[0] == Open || at.Neighbours[1] == Open || at.Neighbours[2] == Open
		allowed = allowed && !open
	}
	return allowed, open
}

// prepareNeighbour is prepareNeighbours for one neighbour, or for the cell itself, which it does not change. It reports
// whether the cell has the neighbour's layers.
func (me *water[F]) prepareNeighbour(oneLayer bool, dry F, o *water[F]) bool {
	wet1, wet2 := !oneLayer && me.h1 >= dry, me.h2 >= dry
	has1, has2 := !oneLayer && o.h1 >= dry, o.h2 >= dry
	if !oneLayer && !has1 {
		o.u1, o.z1 = me.u1, num.Smaller(o.z1, me.z1)
	}
	if !has2 {
		o.u2, o.z2 = me.u2, num.Smaller(o.z2, me.z2)
	}
	return (wet1 || !has1) && (wet2 || !has2)
}

// continueBeyond changes the state o of the cell to that beyond its edge k, if this is at the boundary.
func (me *water[F]) continueBeyond(k int, at *Stencil[F], c *geometry[F], o *water[F]) {
	if at.Neighbours[k] < 0 {
		o.bed = me.bed + 2*at.Bed.dot(c.arm[k])
	}
	if at.Neighbours[k] == Wall {
		o.u1, o.u2 = c.mirrored(me.u1, k), c.mirrored(me.u2, k)
	}
}

// slopes computes the slopes of a cell from its neighbours. If the cell lacks a layer, so do its neighbours, and the
// level of this layer has the slope of the surface below it.
func (me *water[F]) slopes(oneLayer bool, o *[3]water[F], at *Stencil[F], c *geometry[F], p *Params[F], s *Slopes[F]) {
	wet1, wet2 := !oneLayer && me.h1 >= p.DryDepth, oneLayer || me.h2 >= p.DryDepth
	even := me.evenness(wet1, wet2, o, at, c)
	s.Bed = at.Bed
	//atoll:seldom
	if even < 1 {
		s.Bed = s.Bed.times(even)
	}
	me.gradients(wet1, wet2, o, c, p, s)
	//atoll:seldom
	if even < 1 {
		s.flatten(wet1, wet2, even)
	}
	share := F(1)
	if !oneLayer {
		share = c.positivityFactor(me.h1, s.Z1.minus(s.Z2), share)
	}
	share = c.positivityFactor(me.h2, s.Z2.minus(s.Bed), share)
	//atoll:seldom
	if share < 1 {
		share *= short
		s.Z1, s.Z2, s.Bed = s.Z1.times(share), s.Z2.times(share), s.Bed.times(share)
	}
	if oneLayer {
		me.sheet(false, o, c, at.Bed, s)
	}
	if wet1 {
		s.U1 = c.centroidVelocity(s.U1, s.U1x, s.U1y, s.Z1.minus(s.Z2), me.h1)
	}
	if wet2 {
		s.U2 = c.centroidVelocity(s.U2, s.U2x, s.U2y, s.Z2.minus(s.Bed), me.h2)
	}
}

// short is a factor below 1 by more than rounding.
const short = 1 - 1e-6

// small is the share of the thickness below which a range of levels counts as small (see widenRange), and of the wave
// speed below which one of velocities does.
const small = 0.05

// keptBed returns the factor that limits the slope of the bed to the range of d0, d1 and d2, by which the neighbours'
// beds are higher than the cell's.
func (c *geometry[F]) keptBed(d0, d1, d2 F, bed Vec2[F]) F {
	lo, hi := num.Smaller(smallest(d0, d1, d2), 0), num.Larger(largest(d0, d1, d2), 0)
	more := F(0.05) * (hi - lo) // without which planes on irregular meshes are limited
	return c.rangeFactor(bed, lo-more, hi+more)
}

// atWall returns 0 for the mirror image of a cell behind a wall, and d for other neighbours.
func atWall[F num.Float](neighbour int32, d F) F {
	if neighbour == Wall {
		return 0
	}
	return d
}

// evenness returns the factor on the slope of the bed under a lake: 1 where the bed is even, and less where it rises or
// falls by much of the water's thickness to a neighbour, if its slope had to be limited to the range of neighbours. A
// step of the bed between two cells then stays between them, instead of becoming a ramp over both, on which water loses
// head.
func (me *water[F]) evenness(wet1, wet2 bool, o *[3]water[F], at *Stencil[F], c *geometry[F]) F {
	h := me.h2
	if wet1 && !wet2 {
		h = me.h1
	}
	d0, d1, d2 := o[0].bed-me.bed, o[1].bed-me.bed, o[2].bed-me.bed
	steep := 5*largest(num.Abs(d0), num.Abs(d1), num.Abs(d2)) - F(0.5)*h
	if !(steep > 0) {
		return 1
	}
	kept := c.keptBed(d0, d1, d2, at.Bed)
	if at.Neighbours[0] == Wall || at.Neighbours[1] == Wall || at.Neighbours[2] == Wall {
		// The plane through two neighbours fits a step too, but then not the cell's mirror image behind the wall.
		kept = num.Smaller(kept, c.keptBed(atWall(at.Neighbours[0], d0), atWall(at.Neighbours[1], d1),
			atWall(at.Neighbours[2], d2), at.Bed))
	}
	return 1 - num.Smaller(steep, h)/h*(1-num.Larger(2*kept-1, 0))
}

// gradients computes the limited gradients of levels and velocities of a cell in which one of the layers is present at
// least; s.Bed is the slope of the bed with its steps.
//
// Rest over a rough bed would be unstable with second order everywhere: the noise that limiters leave in small ranges
// would grow, and so would modes of single cells at a shore. Where thicknesses of neighbours differ much, no range
// counts as small.
func (me *water[F]) gradients(wet1, wet2 bool, o *[3]water[F], c *geometry[F], p *Params[F], s *Slopes[F]) {
	h, weight := me.h2, p.Gravity
	if wet1 && wet2 {
		h, weight = num.Smaller(me.h1, me.h2), p.Gravity*(1-p.DensityRatio)
	} else if wet1 {
		h = me.h1
	}
	change := largest(num.Abs(o[0].h2-me.h2), num.Abs(o[1].h2-me.h2), num.Abs(o[2].h2-me.h2))
	if wet1 {
		change = num.Larger(change, largest(num.Abs(o[0].h1-me.h1), num.Abs(o[1].h1-me.h1), num.Abs(o[2].h1-me.h1)))
	}
	smooth := small * num.Larger(1-5*change/h, 0)
	level, speed := smooth*h, smooth*num.Sqrt(weight*h)
	s.Z2 = s.Bed
	if wet2 {
		s.Z2 = c.limitedGradient(o[0].z2-me.z2, o[1].z2-me.z2, o[2].z2-me.z2, level)
		s.U2x = c.limitedGradient(o[0].u2.X-me.u2.X, o[1].u2.X-me.u2.X, o[2].u2.X-me.u2.X, speed)
		s.U2y = c.limitedGradient(o[0].u2.Y-me.u2.Y, o[1].u2.Y-me.u2.Y, o[2].u2.Y-me.u2.Y, speed)
	}
	s.Z1 = s.Z2
	if wet1 {
		s.Z1 = c.limitedGradient(o[0].z1-me.z1, o[1].z1-me.z1, o[2].z1-me.z1, level)
		s.U1x = c.limitedGradient(o[0].u1.X-me.u1.X, o[1].u1.X-me.u1.X, o[2].u1.X-me.u1.X, speed)
		s.U1y = c.limitedGradient(o[0].u1.Y-me.u1.Y, o[1].u1.Y-me.u1.Y, o[2].u1.Y-me.u1.Y, speed)
	}
}

// flatten multiplies the gradients of the layer on the bed by the factor of evenness. So flow over a step of the bed,
// where level and velocity jump, is piecewise constant on both sides, as its head is.
func (s *Slopes[F]) flatten(wet1, wet2 bool, even F) {
	if !wet2 {
		s.Z1, s.U1x, s.U1y = s.Z1.times(even), s.U1x.times(even), s.U1y.times(even)
		return
	}
	s.Z2, s.U2x, s.U2y = s.Z2.times(even), s.U2x.times(even), s.U2y.times(even)
	if !wet1 {
		s.Z1 = s.Z2
	}
}

// openSlopes computes the slopes of level and bed in a cell with one layer at a transmissive boundary, where those of a
// fit to its neighbours would amplify themselves. Where the bed falls outwards and the water flows out, both fall as in
// uniform flow, or less: see rough.Share. Else both are flat.
func (me *water[F]) openSlopes(at *Stencil[F], c *geometry[F], manning F, s *Slopes[F]) {
	var level Vec2[F]
	share0 := me.openSlope(0, at, c, manning, &level)
	share1 := me.openSlope(1, at, c, manning, &level)
	share2 := me.openSlope(2, at, c, manning, &level)
	most := largest(share0, share1, share2)
	bed := at.Bed.times(num.Smaller(16*most, 1))
	share := c.positivityFactor(me.h2, level.minus(bed), 1)
	if share < 1 {
		share *= short
	}
	s.Z2, s.Bed = level.times(share), bed.times(share)
}

// openSlope adds to the slope of the level what edge k contributes, and returns its rough.Share.
func (me *water[F]) openSlope(k int, at *Stencil[F], c *geometry[F], manning F, level *Vec2[F]) F {
	across := c.across(k)
	fall, square := -at.Bed.dot(across), across.dot(across)
	if at.Neighbours[k] != Open || !(fall > 0) || !(me.u2.dot(across) > 0) {
		return 0
	}
	share := rough.Share(manning, me.h2, me.u2.dot(me.u2), fall/num.Sqrt(square))
	*level = level.minus(across.times(share * fall / square))
	return share
}

// positivityFactor returns the smaller of share and the factor on the slope of a thickness h that keeps it nonnegative
// at the edges' midpoints. Slopes of levels and bed must be multiplied by it too, so that water at rest keeps its
// level.
func (c *geometry[F]) positivityFactor(h F, slope Vec2[F], share F) F {
	d := smallest(slope.dot(c.arm[0]), slope.dot(c.arm[1]), slope.dot(c.arm[2]))
	//atoll:seldom
	if h+d < 0 {
		share = num.Smaller(share, h/-d)
	}
	return share
}

// centroidVelocity returns the velocity at the centroid of a layer with mean velocity u, gradients ux and uy, and
// thickness h with a slope: a triangle's mean of a product of two linear functions is the mean at its edges'
// midpoints.
func (c *geometry[F]) centroidVelocity(u, ux, uy, slope Vec2[F], h F) Vec2[F] {
	part := 1 / (3 * h)
	d0, d1, d2 := slope.dot(c.arm[0]), slope.dot(c.arm[1]), slope.dot(c.arm[2])
	moment := Vec2[F]{
		(c.arm[0].X*d0 + c.arm[1].X*d1 + c.arm[2].X*d2) * part, (c.arm[0].Y*d0 + c.arm[1].Y*d1 + c.arm[2].Y*d2) * part,
	}
	return Vec2[F]{u.X - ux.dot(moment), u.Y - uy.dot(moment)}
}
