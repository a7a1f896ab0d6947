package kernels

import (
	"math"

	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// UpdateCell advances cell i by the clock's step from w to out, equation (2), gathering its edges in the order of its
// vertices, and returns the longest step that the waves of w allow it, equation (3): NaN if the new state is not finite
// or a thickness negative.
//
//atoll:kernel lanes min oneLayer=false,true
func UpdateCell[F num.Float](i int, oneLayer bool, p *Params[F], m *Mesh[F], clock *Clock[F], w []State[F],
	flux []Flux[F], manning []F, force *Forcing[F], out []State[F]) F {
	var b balance[F]
	b.gather(oneLayer, m.CellEdges[i], flux)
	return b.advance(oneLayer, i, p, clock.Dt, m.Beds[i].Area, &w[i], manning, force, &out[i])
}

// balance is the sum of the outgoing fluxes of a cell over its edges, per second, the sum of edge length times
// wave speed, and that of the lengths.
type balance[F num.Float] struct {
	h1, q1x, q1y, h2, q2x, q2y F
	speed                      F
	length                     F
}

// gather collects the fluxes of a cell's edges in the order of its vertices.
func (b *balance[F]) gather(oneLayer bool, links CellEdges, flux []Flux[F]) {
	r0, r1, r2 := links.Edge[0]>>31, links.Edge[1]>>31, links.Edge[2]>>31 // -1 or 0
	b.sum(oneLayer, &flux[links.Edge[0]^r0], &flux[links.Edge[1]^r1], &flux[links.Edge[2]^r2], -r0, -r1, -r2)
}

// sum adds the fluxes of three edges, whose left (0) or right (1) cell this is. It starts at 0, so that fluxes of -0
// sum to 0.
func (b *balance[F]) sum(oneLayer bool, f0, f1, f2 *Flux[F], side0, side1, side2 int32) {
	p0, p1, p2 := f0.Side[side0], f1.Side[side1], f2.Side[side2]
	s0, s1, s2 := F(1-2*side0), F(1-2*side1), F(1-2*side2)
	if !oneLayer {
		b.h1 = 0 + s0*f0.M1 + s1*f1.M1 + s2*f2.M1
		b.q1x = 0 + p0.X1 + p1.X1 + p2.X1
		b.q1y = 0 + p0.Y1 + p1.Y1 + p2.Y1
	}
	b.h2 = 0 + s0*f0.M2 + s1*f1.M2 + s2*f2.M2
	b.q2x = 0 + p0.X2 + p1.X2 + p2.X2
	b.q2y = 0 + p0.Y2 + p1.Y2 + p2.Y2
	b.speed = 0 + f0.Speed + f1.Speed + f2.Speed
	b.length = f0.Length + f1.Length + f2.Length
}

// advance advances cell i from one state to the next and returns the longest step, as UpdateCell does.
func (b *balance[F]) advance(oneLayer bool, i int, p *Params[F], dt, area F, from *State[F], manning []F,
	force *Forcing[F], out *State[F]) F {
	c := *from
	b.applyFluxes(oneLayer, dt/area, &c)
	if p.Forced {
		force.apply(i, p, dt, from, &c)
		force.lose(i, dt, &c)
		force.rotate(i, dt, &c)
	}
	if !oneLayer && p.Hyperbolic {
		restoreHyperbolicity(p, &c)
	}
	if p.Friction {
		bedFriction(p, dt, manning[i], &c)
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

// applyFluxes subtracts the outgoing fluxes from a cell, rate being the step's length over the cell's area.
func (b *balance[F]) applyFluxes(oneLayer bool, rate F, c *State[F]) {
	if !oneLayer {
		c.H1, c.Q1x, c.Q1y = c.H1-rate*b.h1, c.Q1x-rate*b.q1x, c.Q1y-rate*b.q1y
	}
	c.H2, c.Q2x, c.Q2y = c.H2-rate*b.h2, c.Q2x-rate*b.q2x, c.Q2y-rate*b.q2y
}

// stepLimit returns the longest step that the CFL condition, equation (3), allows; NaN if the new state c is not finite
// or a thickness is negative.
func (b *balance[F]) stepLimit(p *Params[F], area F, c *State[F]) F {
	if c.invalid() {
		return F(math.NaN())
	}
	return 2 * p.CFL * area / b.speed
}

// invalid reports whether a state is not finite or has a negative thickness.
func (c *State[F]) invalid() bool {
	all := c.H1 + c.Q1x + c.Q1y + c.H2 + c.Q2x + c.Q2y
	return all-all != 0 || c.H1 < 0 || c.H2 < 0
}

// dampThinLayers reduces the momentum of a layer thinner than dry to its thickness times the bounded velocity that the
// function velocity returns, so that velocities stay bounded as the layer drains.
func dampThinLayers[F num.Float](oneLayer bool, dry F, c *State[F]) {
	if oneLayer {
		dampLower(dry, c)
	} else if c.H1 < dry || c.H2 < dry {
		dampLayers(dry, c)
	}
}

// dampLayers is dampThinLayers if a layer is known to be thin.
func dampLayers[F num.Float](dry F, c *State[F]) {
	if c.H1 < dry {
		c.Q1x, c.Q1y = c.H1*velocity(c.H1, c.Q1x, dry), c.H1*velocity(c.H1, c.Q1y, dry)
	}
	dampLower(dry, c)
}

// dampLower is dampThinLayers for the lower layer.
func dampLower[F num.Float](dry F, c *State[F]) {
	if c.H2 < dry {
		c.Q2x, c.Q2y = c.H2*velocity(c.H2, c.Q2x, dry), c.H2*velocity(c.H2, c.Q2y, dry)
	}
}
