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

// bedFriction decelerates the layer in contact with the bed by Manning's friction with coefficient n, semi-implicitly
// in time: q ← q / (1 + dt g n² |u| / h^(4/3)).
func bedFriction[F num.Float](p *Params[F], dt, n F, c *State[F]) {
	if c.H2 >= p.DryDepth {
		d := frictionDivisor(p, dt, n, c.H2, c.Q2x, c.Q2y)
		c.Q2x, c.Q2y = c.Q2x/d, c.Q2y/d
	} else if c.H1 >= p.DryDepth {
		d := frictionDivisor(p, dt, n, c.H1, c.Q1x, c.Q1y)
		c.Q1x, c.Q1y = c.Q1x/d, c.Q1y/d
	}
}

func frictionDivisor[F num.Float](p *Params[F], dt, n, h, qx, qy F) F {
	u := num.Sqrt(qx*qx+qy*qy) / h
	return 1 + dt*p.Gravity*n*n*u/(h*cubeRoot(h))
}

// cubeRoot returns x^(1/3) for x > 0 by Newton's method from x^(5/16), which is within a factor of two of it for
// 1e-14 < x < 1e14. It stops when an iteration has no effect.
func cubeRoot[F num.Float](x F) F {
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
