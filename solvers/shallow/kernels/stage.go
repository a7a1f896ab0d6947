package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// A step of second order is Heun's method: two Euler steps, then the mean with the initial state. Friction is implicit
// in the first Euler step; the second has none, and finishFriction adds it to the mean.

// StageCell advances cell i by one of the Euler steps, from w to out; the last one also takes the mean with start. It
// returns the longest step that the waves of w allow, NaN if the new state is not finite or a thickness negative.
//
//atoll:kernel lanes min last=false,true oneLayer=false,true
func StageCell[F num.Float](i int, last, oneLayer bool, p *Params[F], m *Mesh[F], clock *Clock[F], start, w []State[F],
	slopes []Slopes[F], flux []Flux[F], manning []F, force *Forcing[F], out []State[F]) F {
	var b balance[F]
	b.gather(oneLayer, m.CellEdges[i], flux)
	return b.stage(oneLayer, i, last, p, clock.Dt, m.Beds[i], &start[i], &w[i], &slopes[m.SlopesAt[i]], manning, force,
		&out[i])
}

// stage is StageCell with the fluxes of the cell's edges given.
func (b *balance[F]) stage(oneLayer bool, i int, last bool, p *Params[F], dt F, bed Bed[F], start, w *State[F],
	slopes *Slopes[F], manning []F, force *Forcing[F], out *State[F]) F {
	c, from := *w, State[F]{}
	if last { // read with the rest, so that a GPU waits once
		from = *start
	}
	b.addPressure(oneLayer, p, bed.Area, &c, slopes)
	b.applyFluxes(oneLayer, dt/bed.Area, &c)
	if p.Forced {
		force.apply(i, p, dt, w, &c)
		if !last {
			force.rotate(i, dt, &c)
		}
	}
	if !oneLayer && p.Hyperbolic {
		restoreHyperbolicity(p, &c)
	}
	dampThinLayers(oneLayer, p.DryDepth, &c)
	if p.Friction && !last {
		bedFriction(p, dt, manning[i], &c)
	}
	if last {
		if p.Forced {
			force.rotate(i, dt, &from)
		}
		c.mean(oneLayer, &from)
		if p.Forced {
			force.lose(i, dt, &c)
		}
		dampThinLayers(oneLayer, p.DryDepth, &c)
		if p.Friction {
			finishFriction(p, dt, manning[i], &from, &c)
		}
	}
	if oneLayer {
		boundSpeed(p, slopes.Head, bed.Depth, w.H2, &c)
	}
	*out = c
	limit := b.stepLimit(p, bed.Area, force, &c)
	roughness := F(0)
	if p.Friction {
		roughness = manning[i]
	}
	return b.accelerating(oneLayer, p, bed.Area, roughness, limit, w, slopes)
}

// addPressure adds the pressure gradient within the cell, from the slopes of the levels.
func (b *balance[F]) addPressure(oneLayer bool, p *Params[F], area F, c *State[F], s *Slopes[F]) {
	weight2 := area * p.Gravity * c.H2
	if oneLayer {
		b.q2x += weight2 * s.Z2.X
		b.q2y += weight2 * s.Z2.Y
		return
	}
	weight1, r := area*p.Gravity*c.H1, p.DensityRatio
	b.q1x += weight1 * s.Z1.X
	b.q1y += weight1 * s.Z1.Y
	b.q2x += weight2 * (r*s.Z1.X + (1-r)*s.Z2.X)
	b.q2y += weight2 * (r*s.Z1.Y + (1-r)*s.Z2.Y)
}

// mean makes c the mean of itself and another.
func (c *State[F]) mean(oneLayer bool, o *State[F]) {
	if !oneLayer {
		c.H1, c.Q1x, c.Q1y = (c.H1+o.H1)/2, (c.Q1x+o.Q1x)/2, (c.Q1y+o.Q1y)/2
	}
	c.H2, c.Q2x, c.Q2y = (c.H2+o.H2)/2, (c.Q2x+o.Q2x)/2, (c.Q2y+o.Q2y)/2
}

// accelerating returns a limit of the step for a cell whose water the slopes of its levels accelerate by up to a, so
// that the water does not outrun the CFL condition: with the mean s of the edges' wave speeds, and ℓ the way that a
// wave may go in a step, s dt + a dt²/2 ≤ ℓ. Where friction bounds the speed it may become that of uniform flow. limit
// is that of the CFL condition.
func (b *balance[F]) accelerating(oneLayer bool, p *Params[F], area, n, limit F, w *State[F], s *Slopes[F]) F {
	h, slope := w.H2, s.Z2.dot(s.Z2)
	if !oneLayer {
		h, slope = num.Larger(h, w.H1), num.Larger(slope, s.Z1.dot(s.Z1))
	}
	if h < p.DryDepth {
		return limit
	}
	slope = num.Sqrt(slope)
	way, speed := 2*p.CFL*area/b.length, b.speed/b.length
	most := 2 * way / (speed + num.Sqrt(speed*speed+4*p.Gravity*slope*way))
	//atoll:seldom
	if n > 0 && most < F(0.9)*limit {
		root := cubeRoot(h)
		most = num.Larger(most, way/(speed+root*root*num.Sqrt(slope)/n))
	}
	if most < limit {
		return most
	}
	return limit // NaN if the state is invalid
}
