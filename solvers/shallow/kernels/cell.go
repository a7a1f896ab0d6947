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
	lower, upper []Flux[F], manning []F, force *Forcing[F], out []State[F]) F {
	var b balance[F]
	b.gather(oneLayer, m.CellEdges[i], lower, upper)
	longest := b.advance(oneLayer, i, p, m.Local.In(i, clock.Dt), m.Beds[i].Area, &w[i], manning, force, &out[i])
	m.Local.Note(i, longest)
	return longest
}

// balance is the sum of the outgoing fluxes of a cell over its edges, per second, and the sum of edge length times wave
// speed.
type balance[F num.Float] struct {
	h1, q1x, q1y, h2, q2x, q2y F
	speed                      F
}

// gather collects the fluxes of a cell's edges in the order of its vertices.
func (b *balance[F]) gather(oneLayer bool, links CellEdges, lower, upper []Flux[F]) {
	r0, r1, r2 := links.Edge[0]>>31, links.Edge[1]>>31, links.Edge[2]>>31 // -1 or 0
	b.add(oneLayer, links.Edge[0]^r0, links.Edge[1]^r1, links.Edge[2]^r2, -r0, -r1, -r2, lower, upper)
}

// add adds the fluxes of edges e0, e1 and e2, whose left (0) or right (1) cell this is.
func (b *balance[F]) add(oneLayer bool, e0, e1, e2, side0, side1, side2 int32, lower, upper []Flux[F]) {
	b.h2, b.q2x, b.q2y, b.speed = sum(&lower[e0], &lower[e1], &lower[e2], side0, side1, side2)
	if !oneLayer {
		b.h1, b.q1x, b.q1y, _ = sum(&upper[e0], &upper[e1], &upper[e2], side0, side1, side2)
	}
}

// sum adds the fluxes of a layer. It starts at 0, so that fluxes of -0 sum to 0.
func sum[F num.Float](f0, f1, f2 *Flux[F], side0, side1, side2 int32) (h, qx, qy, speed F) {
	p0, p1, p2 := f0.Side[side0], f1.Side[side1], f2.Side[side2]
	h = 0 + F(1-2*side0)*f0.M + F(1-2*side1)*f1.M + F(1-2*side2)*f2.M
	return h, 0 + p0.X + p1.X + p2.X, 0 + p0.Y + p1.Y + p2.Y, 0 + f0.Speed + f1.Speed + f2.Speed
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
