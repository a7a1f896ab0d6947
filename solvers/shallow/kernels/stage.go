package kernels

import (
	"math"

	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/rough"
)

// What acts on a cell in a step, in order: at first order in advance, an Euler step; at second order in stage. That is
// Heun's method: two Euler steps, then the mean with the initial state. The second Euler step has no rotation and no
// bed friction: for the mean the initial state is rotated by the whole step, and finishFriction adds the friction.

// advance advances cell i from one state to the next and returns the longest step, as UpdateCell does.
func (b *balance[F]) advance(oneLayer bool, i int, p *Params[F], dt, area F, from *State[F], manning []F,
	force *Forcing[F], out *State[F]) F {
	c := *from
	b.applyFluxes(oneLayer, dt/area, &c)
	if p.Forced {
		force.apply(i, p, dt, from, &c)
		force.Lose(i, dt, &c)
		force.rotate(i, dt, p.DryDepth, from, &c)
	}
	if !oneLayer && p.Hyperbolic {
		restoreHyperbolicity(p, &c)
	}
	if p.Friction {
		bedFriction(p, dt, force.roughness(i, manning, p, &c), &c)
	}
	dampThinLayers(oneLayer, p.DryDepth, &c)
	*out = c
	limit := b.stepLimit(p, area, &c)
	if p.Forced {
		limit = num.Smaller(force.stepLimit(), limit) // the last is NaN if the state is invalid
		if c.H1+c.H2 < p.DryDepth && force.rainAhead(i) > 0 {
			limit = num.Smaller(force.LongestOnDry, limit)
		}
	}
	return limit
}

// StageCell advances cell i by one of the Euler steps, from w to out; the last one also takes the mean with start. It
// returns the longest step that the waves of w allow, NaN if the new state is not finite or a thickness negative.
//
//atoll:kernel lanes min last=false,true oneLayer=false,true
func StageCell[F num.Float](i int, last, oneLayer bool, p *Params[F], m *Mesh[F], clock *Clock[F], start, w []State[F],
	slopes []Slopes[F], lower, upper []Flux[F], manning []F, force *Forcing[F], out []State[F]) F {
	var b balance[F]
	b.gather(oneLayer, m.CellEdges[i], lower, upper)
	longest := b.stage(oneLayer, i, last, p, m.Local.In(i, clock.Dt), m.Beds[i], &start[i], &w[i],
		&slopes[m.SlopesAt[i]], manning, force, &out[i])
	m.Local.Note(i, longest)
	return longest
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
			force.rotate(i, dt, p.DryDepth, w, &c)
		}
	}
	if !oneLayer && p.Hyperbolic {
		restoreHyperbolicity(p, &c)
	}
	dampThinLayers(oneLayer, p.DryDepth, &c)
	if p.Friction && !last {
		bedFriction(p, dt, force.roughness(i, manning, p, &c), &c)
	}
	if last {
		if p.Forced {
			force.rotate(i, dt, p.DryDepth, w, &from)
		}
		c.mean(oneLayer, &from)
		if p.Forced {
			force.Lose(i, dt, &c)
		}
		dampThinLayers(oneLayer, p.DryDepth, &c)
		if p.Friction {
			start := force.roughness(i, manning, p, &from)
			finishFriction(p, dt, start, force.roughness(i, manning, p, &c), &from, &c)
		}
	}
	if oneLayer {
		boundSpeed(p, slopes.Head, bed.Depth, w.H2, &c)
	}
	*out = c
	if c.invalid() {
		return F(math.NaN())
	}
	limit := F(math.Inf(1))
	//atoll:seldom
	if p.Forced {
		limit = num.Smaller(force.stepLimit(), b.rainOnDry(oneLayer, i, p, bed.Area, force, &c, slopes))
	}
	return b.longestStep(oneLayer, i, p, bed.Area, limit, manning, force, w, slopes)
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

// longestStep returns the longest step for cell i, at most limit, with (S + g Gain dt) dt ≤ 2 CFL × area, the CFL
// condition with the waves at the end of the step: the sum S of the edges' lengths times wave speeds grows by g × Gain
// where the slope of the level accelerates the water. Where friction bounds the speed it may become that of uniform
// flow. In a dry cell the step is that of the CFL condition.
func (b *balance[F]) longestStep(oneLayer bool, i int, p *Params[F], area, limit F, manning []F, force *Forcing[F],
	w *State[F], s *Slopes[F]) F {
	h, gain := w.H2, s.Gain
	if !oneLayer {
		h = num.Larger(h, w.H1)
	}
	if h < p.DryDepth {
		gain = 0
	}
	way := 2 * p.CFL * area
	most := 2 * way / (b.speed + num.Sqrt(b.speed*b.speed+4*p.Gravity*gain*way)) // to the bit way/S if gain is 0
	if p.Friction {
		n, bound := force.roughness(i, manning, p, w), num.Smaller(limit, way/b.speed)
		//atoll:seldom
		if n > 0 && most < F(0.9)*bound {
			root, slope := rough.CubeRoot(h), s.Z2.dot(s.Z2)
			if !oneLayer {
				slope = num.Larger(slope, s.Z1.dot(s.Z1))
			}
			most = num.Larger(most, way/(b.speed+gain*root*root/(n*num.Sqrt(num.Sqrt(slope)))))
			most = num.Smaller(bound, most)
		}
	}
	return num.Smaller(limit, most)
}

// rainOnDry returns a limit of the step for rain on a dry cell, where no wave or slope of a level bounds it: what falls
// goes no further in the step, accelerated by the slope of the bed, than a wave may.
func (b *balance[F]) rainOnDry(oneLayer bool, i int, p *Params[F], area F, force *Forcing[F], c *State[F],
	s *Slopes[F]) F {
	const flat = 1e-20 // m: against a division by 0
	if c.H1+c.H2 >= p.DryDepth || !(force.rainAhead(i) > 0) {
		return F(math.Inf(1))
	}
	if !oneLayer {
		return force.LongestOnDry
	}
	return num.Sqrt(4 * p.CFL * area / (p.Gravity * num.Larger(s.Gain, flat)))
}
