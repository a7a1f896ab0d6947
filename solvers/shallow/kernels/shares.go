package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// At second order a step takes at most the water that a cell has: each edge may take a share of it, and the shares of
// the three edges add up to at most 1. Every Euler stage then leaves a nonnegative thickness, and so does their mean.
// The shares are in proportion to the potential outflow through the edges, so that no edge of smooth flow is limited.
// In tranquil water they are thirds, which is more than an edge of smooth flow takes.

// tranquil reports whether a layer flows at less than half the speed √(gh) of waves, and is nowhere thinner than half
// its mean. In a step of the CFL number 1 an edge then takes some .6 F/(1 + F) < .2 of it, F being the Froude number.
func (c *geometry[F]) tranquil(h F, slope, u Vec2[F], gravity F) bool {
	thinnest := smallest(slope.dot(c.arm[0]), slope.dot(c.arm[1]), slope.dot(c.arm[2]))
	return 4*u.dot(u) < gravity*h && 2*thinnest > -h
}

// share returns one over the potential outflow of a layer with waves of speed √(gh).
func (c *geometry[F]) share(h F, slope, u, ux, uy Vec2[F], gravity F) F {
	const least = 1e-30 // m³/s: against a division by 0
	return 1 / num.Larger(c.potentialOutflow(h, slope, u, ux, uy, num.Sqrt(gravity*h)), least)
}

// potentialOutflow returns the sum over the edges of a cell of length × thickness × (outward velocity + wave speed) at
// their midpoints, where positive, in m³/s. The layer has thickness h with the given slope, velocity u at the centroid,
// and waves of a given speed.
func (c *geometry[F]) potentialOutflow(h F, slope, u, ux, uy Vec2[F], wave F) F {
	return c.outflow(0, h, slope, u, ux, uy, wave) + c.outflow(1, h, slope, u, ux, uy, wave) +
		c.outflow(2, h, slope, u, ux, uy, wave)
}

// outflow returns the addend of potentialOutflow for edge k.
func (c *geometry[F]) outflow(k int, h F, slope, u, ux, uy Vec2[F], wave F) F {
	across, arm := c.across(k), c.arm[k]
	thick := num.Larger(h+slope.dot(arm), 0)
	out := (u.X+ux.dot(arm))*across.X + (u.Y+uy.dot(arm))*across.Y
	return 2 * thick * num.Larger(out+wave*num.Sqrt(across.dot(across)), 0)
}

// supplied1 returns the fraction, at most 1, of the mass flux m of the upper layer that the upwind cell can supply to
// the edge in a step of length dt. There is no limit on what comes from beyond the boundary.
func (f *Face[F]) supplied1(at EdgeCells, m, length, dt F, p *Params[F]) F {
	l, r := &f.l, &f.r
	want := m * length * dt
	if !f.sloped {
		return f.suppliedByThirds(at, want, l.h1, r.h1, num.Abs((r.h2-r.depth)-(l.h2-l.depth)), p.DryDepth)
	}
	if want < 0 && at.Right < 0 {
		return 1
	}
	h, u, mean, share, area := l.h1, l.free1, l.mean1, l.share1, l.area
	if want < 0 {
		h, u, mean, share, area = r.h1, -r.free1, r.mean1, r.share1, r.area
	}
	return supplied(want, length, h, u, mean, share, area, p.Gravity)
}

// supplied2 does so for the lower layer. In a run of one layer m is not negative at the boundary, so that vector code
// need not combine masks of integers with those of numbers.
func (f *Face[F]) supplied2(scheme Scheme, at EdgeCells, m, length, dt F, p *Params[F]) F {
	l, r := &f.l, &f.r
	want := m * length * dt
	if !f.sloped {
		return f.suppliedByThirds(at, want, l.h2, r.h2, num.Abs(l.depth-r.depth), p.DryDepth)
	}
	if scheme != OneLayer && want < 0 && at.Right < 0 {
		return 1
	}
	h, u, mean, share, area := l.h2, l.free2, l.mean2, l.share2, l.area
	if want < 0 {
		h, u, mean, share, area = r.h2, -r.free2, r.mean2, r.share2, r.area
	}
	return supplied(want, length, h, u, mean, share, area, p.Gravity)
}

// supplied returns the fraction, at most 1, of the volume want, positive from left to right, that the upwind cell can
// supply to the edge in a step. At the edge the layer has thickness h and outward velocity u, in the cell the thickness
// mean, and inverse is one over its potential outflow, 0 if the layer is absent or tranquil; area is that of the cell.
func supplied[F num.Float](want, length, h, u, mean, inverse, area, gravity F) F {
	const third, all = 0.33333, 0.99999 // below the full share by more than rounding
	available, wanted := num.Larger(mean, 0)*area, num.Abs(want)
	if wanted <= F(0.0099)*available {
		return 1
	}
	share := F(third)
	//atoll:seldom
	if inverse > 0 {
		share = F(0.01) + F(0.97)*length*h*num.Larger(u+num.Sqrt(gravity*num.Larger(mean, 0)), 0)*inverse
	}
	most, part := F(all)*share*available, F(1)
	//atoll:seldom
	if wanted > most {
		part = most / wanted
	}
	return part
}

// suppliedByThirds is the rule of first order. want is positive from left to right. The layer has thicknesses hl and hr
// in the cells and stands on a step of the bed or interface of height step. At a shore, and if the layer is thinner
// than twice the step, each of the cell's three edges may take a third.
func (f *Face[F]) suppliedByThirds(at EdgeCells, want, hl, hr, step, dry F) F {
	h, area := hl, f.l.area
	if want < 0 {
		if at.Right < 0 {
			return 1
		}
		h, area, want = hr, f.r.area, -want
	}
	const third, all = 0.33333, 0.99999 // below the full share by more than rounding
	available := num.Larger(h, 0) * area
	if want <= third*available {
		return 1
	}
	most := F(all) * available
	if num.Smaller(hl, hr) < dry || h < 2*step {
		most = F(third) * available
	}
	if want <= most {
		return 1
	}
	return most / want
}

// shear returns the dissipation of the tangential momentum in both layers, in m³/s² per metre of edge: without it
// geostrophic flow slowly becomes noise on triangles, rest over a rough bed is unstable, and plane shocks become
// uneven. Its speed is at most 0.3 of that of waves: what rotation needs, the Coriolis parameter times the length
// of the edge, at most 0.1 of the speed of waves; ten times the jump of the normal velocity; and the speed of waves
// times four times the share of the thickness by which the bed rises or falls within the cells and between them. The
// last two are small where the flow is smooth. The mean over both layers is dissipated with the speed of external
// waves, and the difference from it with that of internal ones.
func (f *Face[F]) shear(scheme Scheme, length F, p *Params[F]) (d1, d2 F) {
	l, r := &f.l, &f.r
	jump2 := r.t2 - l.t2
	relief := largest(num.Abs(l.bed-l.depth), num.Abs(r.bed-r.depth), num.Abs(l.depth-r.depth))
	deeper := num.Larger(num.Larger(l.mean2, r.mean2), p.DryDepth)
	rough, turned := 4*relief/deeper, p.Rotation*length
	if scheme == OneLayer {
		return 0, shearSpeed(num.Sqrt(f.c2), rough, turned, num.Abs(r.u2-l.u2)) / 2 * f.g2 * jump2
	}
	jump := num.Larger(num.Abs(r.u1-l.u1), num.Abs(r.u2-l.u2))
	external, internal := (f.waves.L4-f.waves.L1)/2, (f.waves.L3-f.waves.L2)/2
	if f.thin {
		external, internal = num.Sqrt(f.c1+f.c2), 0
	}
	external, internal = shearSpeed(external, rough, turned, jump), shearSpeed(internal, rough, turned, jump)
	jump1, heavy1 := r.t1-l.t1, p.DensityRatio*f.g1
	mean := (heavy1*jump1 + f.g2*jump2) / (heavy1 + f.g2)
	d1 = f.g1 / 2 * (external*mean + internal*(jump1-mean))
	d2 = f.g2 / 2 * (external*mean + internal*(jump2-mean))
	return d1, d2
}

// shearSpeed returns the speed with which the tangential momentum of waves of a given speed is dissipated, for a rough
// bed, rotation and a jump of the normal velocity: see shear.
func shearSpeed[F num.Float](wave, rough, turned, jump F) F {
	return num.Smaller(F(0.3)*wave, rough*wave+num.Smaller(turned, F(0.1)*wave)+10*jump)
}
