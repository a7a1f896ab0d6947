package kernels

import "math"

// UpdateCell advances cell i by the clock's step from w to out, equation (2), gathering its edges in the order of its
// vertices, and returns the longest step that the waves of w allow it, equation (3): NaN if the new state is not finite or a thickness negative.
//
//atoll:kernel min
func UpdateCell[F Float](i int, p *Params[F], m *Mesh[F], clock *Clock[F], w []State[F], flux []Flux[F], manning []F,
	out []State[F]) F {
	s := &m.Sites[i]
	var sum State[F]
	var speed F
	for k := 0; k < 3; k++ {
		if e := s.Edge[k]; e >= 0 {
			f := &flux[e]
			sum.H1, sum.Q1x, sum.Q1y = sum.H1+f.M1, sum.Q1x+f.LX1, sum.Q1y+f.LY1
			sum.H2, sum.Q2x, sum.Q2y = sum.H2+f.M2, sum.Q2x+f.LX2, sum.Q2y+f.LY2
			speed += f.Speed
		} else {
			f := &flux[^e]
			sum.H1, sum.Q1x, sum.Q1y = sum.H1-f.M1, sum.Q1x+f.RX1, sum.Q1y+f.RY1
			sum.H2, sum.Q2x, sum.Q2y = sum.H2-f.M2, sum.Q2x+f.RX2, sum.Q2y+f.RY2
			speed += f.Speed
		}
	}
	dt := clock.Dt
	rate := dt / s.Area
	c := w[i]
	c.H1, c.Q1x, c.Q1y = c.H1-rate*sum.H1, c.Q1x-rate*sum.Q1x, c.Q1y-rate*sum.Q1y
	c.H2, c.Q2x, c.Q2y = c.H2-rate*sum.H2, c.Q2x-rate*sum.Q2x, c.Q2y-rate*sum.Q2y
	if p.Hyperbolic {
		calm(p, &c)
	}
	if p.Friction {
		rub(p, dt, manning[i], &c)
	}
	still(p.DryDepth, &c)
	out[i] = c
	all := c.H1 + c.Q1x + c.Q1y + c.H2 + c.Q2x + c.Q2y
	if all-all != 0 || c.H1 < 0 || c.H2 < 0 {
		return F(math.NaN())
	}
	return 2 * p.CFL * s.Area / speed
}

// still takes momentum from a layer thinner than dry, the more the thinner it is, so that no speed grows as it drains.
func still[F Float](dry F, c *State[F]) {
	if c.H1 < dry {
		c.Q1x, c.Q1y = c.H1*velocity(c.H1, c.Q1x, dry), c.H1*velocity(c.H1, c.Q1y, dry)
	}
	if c.H2 < dry {
		c.Q2x, c.Q2y = c.H2*velocity(c.H2, c.Q2x, dry), c.H2*velocity(c.H2, c.Q2y, dry)
	}
}
