package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/rough"
)

// restoreHyperbolicity moves a cell that lost hyperbolicity to its boundary, (u1-u2)² = (1-r) g (h1+h2), by friction
// between the layers that keeps their momentum (M. J. Castro et al., J. Sci. Comput. 48, 2011).
func restoreHyperbolicity[F num.Float](p *Params[F], c *State[F]) {
	if c.H1 < p.DryDepth || c.H2 < p.DryDepth {
		return
	}
	r := p.DensityRatio
	u1x, u1y, u2x, u2y := c.Q1x/c.H1, c.Q1y/c.H1, c.Q2x/c.H2, c.Q2y/c.H2
	dx, dy := u2x-u1x, u2y-u1y
	shear, most := dx*dx+dy*dy, (1-r)*p.Gravity*(c.H1+c.H2)
	if shear <= most {
		return
	}
	s := num.Sqrt(most / shear)
	dx, dy = dx*s, dy*s
	mx, my := r*c.Q1x+c.Q2x, r*c.Q1y+c.Q2y
	mass := r*c.H1 + c.H2
	c.Q1x, c.Q1y = c.H1*(mx-c.H2*dx)/mass, c.H1*(my-c.H2*dy)/mass
	c.Q2x, c.Q2y = c.H2*(mx+r*c.H1*dx)/mass, c.H2*(my+r*c.H1*dy)/mass
}

// bedFriction decelerates the layer in contact with the bed by Manning's friction with coefficient n over a time dt,
// implicitly: q + dt C |q| q equals what q was, with C of rough.Rate. Uniform flow, in which gravity has been added
// before, is an exact fixed point for any dt.
func bedFriction[F num.Float](p *Params[F], dt, n F, c *State[F]) {
	if c.H2 >= p.DryDepth {
		s := rough.Factor(dt, rough.Rate(p.Gravity, n, c.H2, c.Q2x, c.Q2y))
		c.Q2x, c.Q2y = c.Q2x*s, c.Q2y*s
	} else if c.H1 >= p.DryDepth {
		s := rough.Factor(dt, rough.Rate(p.Gravity, n, c.H1, c.Q1x, c.Q1y))
		c.Q1x, c.Q1y = c.Q1x*s, c.Q1y*s
	}
}

// finishFriction adds bed friction to the mean c of the state start of a step of length dt and of that after two Euler
// steps, of which the first had friction: a share φ of the step explicitly, from start, where Manning's coefficient is
// from, and the rest, ½ - φ, implicitly, with n. With φ = 1/(2 + x), x = 2 C₀ |q₀| dt, this is second order, and
// uniform flow is an exact fixed point for any dt.
func finishFriction[F num.Float](p *Params[F], dt, from, n F, start, c *State[F]) {
	part := F(0)
	if start.H2 >= p.DryDepth {
		rate := dt * rough.Rate(p.Gravity, from, start.H2, start.Q2x, start.Q2y)
		part = 1 / (2 + 2*rate)
		c.Q2x, c.Q2y = c.Q2x-part*rate*start.Q2x, c.Q2y-part*rate*start.Q2y
	} else if start.H1 >= p.DryDepth {
		rate := dt * rough.Rate(p.Gravity, from, start.H1, start.Q1x, start.Q1y)
		part = 1 / (2 + 2*rate)
		c.Q1x, c.Q1y = c.Q1x-part*rate*start.Q1x, c.Q1y-part*rate*start.Q1y
	}
	bedFriction(p, (F(0.5)-part)*dt, n, c)
}

// roughness returns Manning's coefficient of owned cell i for the water on its bed, s/m^(1/3): the upper layer where
// the lower one is absent.
func (f *Forcing[F]) roughness(i int, manning []F, p *Params[F], c *State[F]) F {
	n := manning[i]
	if len(f.Shallows) > 0 {
		h := c.H2
		if h < p.DryDepth {
			h = c.H1
		}
		n = f.Shallows[i].At(n, h)
	}
	return n
}
