package kernels

import (
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// A step of second order is Heun's method: two Euler steps, then the mean with the initial state. It begins and ends
// with half a step of friction (Strang splitting).

// StageCell advances cell i by one of the Euler steps, from w to out; the last one also takes the mean with start. It
// returns the longest step that the waves of w allow, NaN if the new state is not finite or a thickness negative.
//
//atoll:kernel lanes min last=false,true oneLayer=false,true
func StageCell[F num.Float](i int, last, oneLayer bool, p *Params[F], m *Mesh[F], clock *Clock[F], start, w []State[F],
	slopes []Slopes[F], flux []Flux[F], manning []F, force *Forcing[F], out []State[F]) F {
	var b balance[F]
	b.gather(oneLayer, m.CellEdges[i], flux)
	return b.stage(oneLayer, i, last, p, clock.Dt, m.Beds[i].Area, &start[i], &w[i], &slopes[m.SlopesAt[i]], manning,
		force, &out[i])
}

// stage is StageCell with the fluxes of the cell's edges given.
func (b *balance[F]) stage(oneLayer bool, i int, last bool, p *Params[F], dt, area F, start, w *State[F],
	slopes *Slopes[F], manning []F, force *Forcing[F], out *State[F]) F {
	c, from := *w, State[F]{}
	if last { // read with the rest, so that a GPU waits once
		from = *start
	}
	b.addPressure(oneLayer, p, area, &c, slopes)
	b.applyFluxes(oneLayer, dt/area, &c)
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
			bedFriction(p, dt/2, manning[i], &c)
		}
	}
	*out = c
	return b.stepLimit(p, area, &c)
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

// HalfFriction advances cell i by half a step of friction at the bed, with the step length computed as TileStep does.
//
//atoll:kernel
func HalfFriction[F num.Float](i int, p *Params[F], clock *Clock[F], limit *atomics.Least[F], manning []F,
	w []State[F]) {
	now := clock.atStepStart(limit)
	if !now.Stop {
		bedFriction(p, now.Dt/2, manning[i], &w[i])
	}
}
