package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Forcing is what works on the water besides gravity and the bed. Numbers that change in time are elements of Now;
// fields are of owned cells, and of no cells where they are the same everywhere or nothing.
type Forcing[F num.Float] struct {
	Now []F

	Rain, Evaporation int32 // where Now has them, m/s
	WindX, WindY      int32 // velocity of the air, m/s
	Drag              F     // of the air: its coefficient times the ratio of densities, air over water

	Course int32 // by which the air's pressure is multiplied

	Pattern []F    // by which rain is multiplied
	Soaking []F    // what the ground takes, m/s
	Turning []F    // the Coriolis parameter, 1/s
	Lost    []Lost // of cells that lose water

	Pressure []Arrow[F] // gradient of the air's pressure over the density of the lower layer, m/s²
}

// Lost is the thickness of water that left a cell upwards and downwards since the start, m: the sum over all stages of
// steps.
type Lost struct{ Evaporated, Soaked float64 }

// act adds what works on owned cell i in a step of Euler of length dt, but for the rotation of the earth. One layer of
// water is the lower one. Rain brings no momentum, and what is lost takes its own along. The step begins at the state
// from, and c is what its fluxes have made of it.
func (f *Forcing[F]) act(i int, p *Params[F], dt F, from, c *State[F]) {
	rain := f.Now[f.Rain]
	if len(f.Pattern) > 0 {
		rain *= f.Pattern[i]
	}
	c.H2 += dt * rain
	if len(f.Lost) > 0 {
		f.lose(i, dt, c)
	}
	x, y := f.Now[f.WindX], f.Now[f.WindY]
	push := dt * f.Drag * num.Sqrt(x*x+y*y)
	if c.H1 >= p.DryDepth {
		c.Q1x, c.Q1y = c.Q1x+push/p.DensityRatio*x, c.Q1y+push/p.DensityRatio*y
	} else if c.H2 >= p.DryDepth {
		c.Q2x, c.Q2y = c.Q2x+push*x, c.Q2y+push*y
	}
	if len(f.Pressure) > 0 {
		f.weigh(i, p, dt, from, c)
	}
}

// weigh lets the pressure of the air push both layers as it changes from place to place: all of it reaches the bed.
func (f *Forcing[F]) weigh(i int, p *Params[F], dt F, from, c *State[F]) {
	course := dt * f.Now[f.Course]
	x, y := course*f.Pressure[i].X, course*f.Pressure[i].Y
	if from.H1 >= p.DryDepth {
		h := from.H1 / p.DensityRatio
		c.Q1x, c.Q1y = c.Q1x-h*x, c.Q1y-h*y
	}
	if from.H2 >= p.DryDepth {
		c.Q2x, c.Q2y = c.Q2x-from.H2*x, c.Q2y-from.H2*y
	}
}

// lose takes water out of a cell, no more than there is: what evaporates, and of the rest what the ground takes.
func (f *Forcing[F]) lose(i int, dt F, c *State[F]) {
	h := num.Larger(c.H2, 0)
	up := num.Smaller(dt*f.Now[f.Evaporation], h)
	left := h - up
	down := F(0)
	if len(f.Soaking) > 0 {
		down = num.Smaller(dt*f.Soaking[i], left)
		left -= down
	}
	if left < h {
		part := left / h
		c.H2, c.Q2x, c.Q2y = left, c.Q2x*part, c.Q2y*part
	}
	f.Lost[i].Evaporated += float64(up)
	f.Lost[i].Soaked += float64(down)
}

// turn turns the mass flows of owned cell i by the rotation of the earth over a time dt, at constant speed: by twice
// the angle whose tangent is half the Coriolis parameter times dt.
func (f *Forcing[F]) turn(i int, dt F, c *State[F]) {
	if len(f.Turning) == 0 {
		return
	}
	a := dt * f.Turning[i] / 2
	along, across := (1-a*a)/(1+a*a), 2*a/(1+a*a)
	c.Q1x, c.Q1y = along*c.Q1x+across*c.Q1y, along*c.Q1y-across*c.Q1x
	c.Q2x, c.Q2y = along*c.Q2x+across*c.Q2y, along*c.Q2y-across*c.Q2x
}
