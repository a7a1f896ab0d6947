package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

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
// implicitly: q + dt C |q| q equals what q was, with C of manningRate. Uniform flow, in which gravity has been added
// before, is an exact fixed point for any dt.
func bedFriction[F num.Float](p *Params[F], dt, n F, c *State[F]) {
	if c.H2 >= p.DryDepth {
		s := frictionFactor(p, dt, n, c.H2, c.Q2x, c.Q2y)
		c.Q2x, c.Q2y = c.Q2x*s, c.Q2y*s
	} else if c.H1 >= p.DryDepth {
		s := frictionFactor(p, dt, n, c.H1, c.Q1x, c.Q1y)
		c.Q1x, c.Q1y = c.Q1x*s, c.Q1y*s
	}
}

func frictionFactor[F num.Float](p *Params[F], dt, n, h, qx, qy F) F {
	return 2 / (1 + num.Sqrt(1+4*dt*manningRate(p, n, h, qx, qy)))
}

// manningRate returns C |q| in 1/s, with C = g n² / h^(7/3).
func manningRate[F num.Float](p *Params[F], n, h, qx, qy F) F {
	return p.Gravity * n * n * num.Sqrt(qx*qx+qy*qy) / (h * h * CubeRoot(h))
}

// finishFriction adds bed friction to the mean c of the state start of a step of length dt and of that after two Euler
// steps, of which the first had friction: a share φ of the step explicitly, from start, and the rest, ½ - φ,
// implicitly. With φ = 1/(2 + x), x = 2 C₀ |q₀| dt, this is second order, and uniform flow is an exact fixed point for
// any dt.
func finishFriction[F num.Float](p *Params[F], dt, n F, start, c *State[F]) {
	part := F(0)
	if start.H2 >= p.DryDepth {
		rate := dt * manningRate(p, n, start.H2, start.Q2x, start.Q2y)
		part = 1 / (2 + 2*rate)
		c.Q2x, c.Q2y = c.Q2x-part*rate*start.Q2x, c.Q2y-part*rate*start.Q2y
	} else if start.H1 >= p.DryDepth {
		rate := dt * manningRate(p, n, start.H1, start.Q1x, start.Q1y)
		part = 1 / (2 + 2*rate)
		c.Q1x, c.Q1y = c.Q1x-part*rate*start.Q1x, c.Q1y-part*rate*start.Q1y
	}
	bedFriction(p, (F(0.5)-part)*dt, n, c)
}

// CubeRoot returns x^(1/3) for x > 0 by Newton's method from x^(5/16), which is within a factor of two of it for
// 1e-14 < x < 1e14. It stops when an iteration has no effect.
func CubeRoot[F num.Float](x F) F {
	fourth := num.Sqrt(num.Sqrt(x))
	y := fourth * num.Sqrt(num.Sqrt(fourth))
	for i := 0; i < 6; i++ {
		next := y - (y*y*y-x)/(3*y*y)
		if next == y {
			break
		}
		y = next
	}
	return y
}
