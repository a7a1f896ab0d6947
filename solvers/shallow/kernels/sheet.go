package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Sheet flow is that of water thinner than the bed's step between cells, on a slope. A slope of the level limited by
// the levels of neighbours is too small there. In one layer, a cell's level and bed then have the slopes of a sheet:
// a limited plane of the bed, and a thickness on it.

// sheet mixes the slopes s of the level and the bed, those of a lake, with those of a sheet on the bed, whose slope is
// limited to the range of neighbours. Both keep the thickness nonnegative at the edges' midpoints, and so does each
// mean of them.
func (me *water[F]) sheet(open bool, o *[3]water[F], c *geometry[F], bed Vec2[F], s *Slopes[F]) {
	share := me.sheetShare(open, o, c, bed)
	if !(share > 0) {
		return
	}
	limited := bed.times(c.keptBed(o[0].bed-me.bed, o[1].bed-me.bed, o[2].bed-me.bed, bed))
	var thickness Vec2[F]
	if !open {
		thickness = c.limitedGradient(o[0].h2-me.h2, o[1].h2-me.h2, o[2].h2-me.h2, small*me.h2)
		if factor := c.positivityFactor(me.h2, thickness, 1); factor < 1 {
			thickness = thickness.times(factor * short)
		}
	}
	rest := 1 - share
	s.Bed = Vec2[F]{rest*s.Bed.X + share*limited.X, rest*s.Bed.Y + share*limited.Y}
	s.Z2 = Vec2[F]{rest*s.Z2.X + share*(limited.X+thickness.X), rest*s.Z2.Y + share*(limited.Y+thickness.Y)}
}

// extremes returns the smallest and the largest difference from a cell at its edges' midpoints, by a slope.
func (c *geometry[F]) extremes(slope Vec2[F]) (lowest, highest F) {
	d0, d1, d2 := slope.dot(c.arm[0]), slope.dot(c.arm[1]), slope.dot(c.arm[2])
	return smallest(d0, d1, d2), largest(d0, d1, d2)
}

// sheetShare returns how far a cell's water is a sheet, from 0 to 1: by its thickness compared to the bed's rise from
// the centroid to an edge, and by the fall of the level to neighbours compared to that of the bed. It is exactly 0 at
// rest. At a transmissive edge rises count too, since the sheet may come from there.
func (me *water[F]) sheetShare(open bool, o *[3]water[F], c *geometry[F], bed Vec2[F]) F {
	lowest, highest := c.extremes(bed)
	down := -lowest
	rise := num.Larger(down, highest)
	if !(me.h2 < 2*rise) {
		return 0
	}
	z0, z1, z2 := o[0].z2-me.z2, o[1].z2-me.z2, o[2].z2-me.z2
	fall := -smallest(z0, z1, z2)
	if open {
		fall, down = num.Larger(fall, largest(z0, z1, z2)), rise
	}
	falls := num.Smaller(num.Larger(4*(fall/(2*down))-1, 0), 1)
	thin := num.Smaller(2-me.h2/rise, 1)
	return falls * thin
}

// head returns the highest head that the water of a cell may have after a stage, if the bed is uneven: rises by more
// than an eighth of the water's thickness to an edge. It is the largest total head, z + u²/2g, of the cell, its
// neighbours and what comes through prescribed boundaries, and at least the level of the cell raised to its highest
// edge, but by no more than the bed rises or falls to a neighbour: at a wall the plane of the bed may leave that range
// by far. The water cannot gain more from gravity while its level stays: without this bound the truncation errors of
// films on a rough bed would add up, and water that a slope pushes against an edge which it cannot cross would
// accelerate for ever. Infinity where there is no bound, in deeper water.
func (me *water[F]) head(o *[3]water[F], at *Stencil[F], c *geometry[F], p *Params[F], boundary *Boundary[F]) F {
	const unbounded = 1e30 // m
	lowest, highest := c.extremes(at.Bed)
	rise := num.Larger(highest, -lowest)
	if !(me.h2 < 8*rise) {
		return unbounded
	}
	half := 1 / (2 * p.Gravity)
	change := largest(num.Abs(o[0].bed-me.bed), num.Abs(o[1].bed-me.bed), num.Abs(o[2].bed-me.bed))
	most := me.z2 + num.Larger(half*me.u2.dot(me.u2), num.Smaller(highest, change))
	most = o[0].raiseHead(most, half, p.DryDepth)
	most = o[1].raiseHead(most, half, p.DryDepth)
	most = o[2].raiseHead(most, half, p.DryDepth)
	//atoll:seldom
	if at.Neighbours[0] <= FirstOutlet || at.Neighbours[1] <= FirstOutlet || at.Neighbours[2] <= FirstOutlet {
		most = num.Larger(most, me.outletHead(0, at, c, p, boundary))
		most = num.Larger(most, me.outletHead(1, at, c, p, boundary))
		most = num.Larger(most, me.outletHead(2, at, c, p, boundary))
	}
	return most
}

// outletHead returns the head of what comes through edge k, or the cell's level if this has no prescribed boundary.
func (me *water[F]) outletHead(k int, at *Stencil[F], c *geometry[F], p *Params[F], boundary *Boundary[F]) F {
	outlet := FirstOutlet - at.Neighbours[k]
	if outlet < 0 {
		return me.z2
	}
	across := c.across(k)
	return boundary.head(outlet, 2*num.Sqrt(across.dot(across)), me.bed+at.Bed.dot(c.arm[k]), me.z2, p)
}

// raiseHead returns the larger of a head and that of a neighbour, if it is wet; half is 1/(2g).
func (s *water[F]) raiseHead(most, half, dry F) F {
	if s.h2 >= dry {
		return num.Larger(most, s.z2+half*s.u2.dot(s.u2))
	}
	return most
}

// boundSpeed reduces the velocity of a cell's water so that its head is at most the given one, or exceeds it by no more
// than the level rose in the stage: along the path of water without friction dH/dt = ∂z/∂t. So a wave may carry its
// energy up a beach. depth is that of the bed, and from the thickness of the water at the start of the stage.
func boundSpeed[F num.Float](p *Params[F], head, depth, from F, c *State[F]) {
	lower := num.Smaller(c.H2, from) // the level less what it rose
	most := 2 * p.Gravity * num.Larger(head-(lower-depth), 0) * c.H2 * c.H2
	square := c.Q2x*c.Q2x + c.Q2y*c.Q2y
	//atoll:seldom
	if square > most {
		s := num.Sqrt(most / square)
		c.Q2x, c.Q2y = c.Q2x*s, c.Q2y*s
	}
}
