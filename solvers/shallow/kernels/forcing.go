package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Forcing holds the forcing besides gravity and the bed. Time-dependent parameters are elements of Prescribed; fields
// have a value per owned cell, or are empty if uniform or absent.
type Forcing[F num.Float] struct {
	Prescribed []F

	Rain, Evaporation int32 // indices in Prescribed, m/s
	WindX, WindY      int32 // velocity of the air, m/s
	Drag              F     // of the air: its coefficient times the ratio of densities, air over water

	PressureFactor int32 // by which the air's pressure is multiplied

	Pattern      []F    // by which rain is multiplied
	Infiltration []F    // m/s
	Coriolis     []F    // the Coriolis parameter, 1/s
	Lost         []Lost // of cells that lose water

	PressureGradient []Vec2[F] // gradient of the air's pressure over the density of the lower layer, m/s²
}

// Lost is the thickness of water that left a cell upwards and downwards since the start, m: the sum over all stages of
// steps.
type Lost struct{ Evaporated, Infiltrated float64 }

// apply adds the forcing of owned cell i in an Euler step of length dt, except the Coriolis rotation. A single layer
// of water is the lower one. Rain has no momentum, and lost water takes its own. from is the state at the beginning
// of the step, and c that after the fluxes.
func (f *Forcing[F]) apply(i int, p *Params[F], dt F, from, c *State[F]) {
	rain := f.Prescribed[f.Rain]
	if len(f.Pattern) > 0 {
		rain *= f.Pattern[i]
	}
	c.H2 += dt * rain
	if len(f.Lost) > 0 {
		f.removeWater(i, dt, c)
	}
	x, y := f.Prescribed[f.WindX], f.Prescribed[f.WindY]
	stress := dt * f.Drag * num.Sqrt(x*x+y*y)
	if c.H1 >= p.DryDepth {
		c.Q1x, c.Q1y = c.Q1x+stress/p.DensityRatio*x, c.Q1y+stress/p.DensityRatio*y
	} else if c.H2 >= p.DryDepth {
		c.Q2x, c.Q2y = c.Q2x+stress*x, c.Q2y+stress*y
	}
	if len(f.PressureGradient) > 0 {
		f.applyAirPressure(i, p, dt, from, c)
	}
}

// applyAirPressure accelerates both layers by the gradient of the air pressure.
func (f *Forcing[F]) applyAirPressure(i int, p *Params[F], dt F, from, c *State[F]) {
	course := dt * f.Prescribed[f.PressureFactor]
	x, y := course*f.PressureGradient[i].X, course*f.PressureGradient[i].Y
	if from.H1 >= p.DryDepth {
		h := from.H1 / p.DensityRatio
		c.Q1x, c.Q1y = c.Q1x-h*x, c.Q1y-h*y
	}
	if from.H2 >= p.DryDepth {
		c.Q2x, c.Q2y = c.Q2x-from.H2*x, c.Q2y-from.H2*y
	}
}

// removeWater removes water from a cell, at most what it has: evaporation first, then infiltration.
func (f *Forcing[F]) removeWater(i int, dt F, c *State[F]) {
	h := num.Larger(c.H2, 0)
	up := num.Smaller(dt*f.Prescribed[f.Evaporation], h)
	left := h - up
	down := F(0)
	if len(f.Infiltration) > 0 {
		down = num.Smaller(dt*f.Infiltration[i], left)
		left -= down
	}
	if left < h {
		part := left / h
		c.H2, c.Q2x, c.Q2y = left, c.Q2x*part, c.Q2y*part
	}
	f.Lost[i].Evaporated += float64(up)
	f.Lost[i].Infiltrated += float64(down)
}

// rotate rotates the mass flows of owned cell i by the Coriolis force over a time dt at constant speed, by twice the
// angle whose tangent is half the Coriolis parameter times dt.
func (f *Forcing[F]) rotate(i int, dt F, c *State[F]) {
	if len(f.Coriolis) == 0 {
		return
	}
	a := dt * f.Coriolis[i] / 2
	along, across := (1-a*a)/(1+a*a), 2*a/(1+a*a)
	c.Q1x, c.Q1y = along*c.Q1x+across*c.Q1y, along*c.Q1y-across*c.Q1x
	c.Q2x, c.Q2y = along*c.Q2x+across*c.Q2y, along*c.Q2y-across*c.Q2x
}
