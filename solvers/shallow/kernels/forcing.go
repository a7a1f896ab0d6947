package kernels

import (
	"math"

	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/air"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/rough"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/soil"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/turn"
)

// Forcing holds the forcing besides gravity and the bed. Time-dependent parameters are elements of Prescribed; fields
// have a value per owned cell, or are empty if uniform or absent.
type Forcing[F num.Float] struct {
	Prescribed []F
	Ahead      []F // see Boundary

	Rain, Evaporation int32 // indices in Prescribed, m/s
	Limit             int32 // index in Ahead of the longest step that the rain allows, s: see EvaluateSeries
	LongestOnDry      F     // step in which rain may fall on a dry cell, s

	Air air.Air[F]

	Pattern      []F // by which rain is multiplied
	Infiltration []F // m/s
	Coriolis     []F // the Coriolis parameter, 1/s
	Curvature    []F // on the sphere: tan(latitude)/radius, 1/m

	Shallows []rough.Shallows[F] // where Manning's coefficient depends on the depth

	Lost  []Lost         // of cells that lose water
	Soil  []soil.Soil[F] // of cells whose soil takes water by a model
	Model soil.Model
}

// BringsWater reports whether dry cells may change without flow from others: by rain, or in signs of 0 by rotation.
func (f *Forcing[F]) BringsWater(p *Params[F]) bool {
	return p.Forced && (f.Prescribed[f.Rain] != 0 || f.Ahead[f.Rain] != 0 || len(f.Coriolis)+len(f.Curvature) > 0)
}

// apply adds the forcing of owned cell i in an Euler step of length dt, except losses and rotation. A
// single layer of water is the lower one. Rain has no momentum. from is the state at the beginning of the step, and c
// that after the fluxes.
func (f *Forcing[F]) apply(i int, p *Params[F], dt F, from, c *State[F]) {
	c.H2 += dt * f.rainOn(i)
	if f.Air.HasWind() {
		f.applyWind(i, p, dt, c)
	}
	if f.Air.HasPressure() {
		f.applyAirPressure(i, p, dt, from, c)
	}
}

// applyWind adds the stress of the wind to the upper layer, if there is one.
func (f *Forcing[F]) applyWind(i int, p *Params[F], dt F, c *State[F]) {
	x, y, stress := f.Air.Wind(i, f.Prescribed, dt)
	if c.H1 >= p.DryDepth {
		c.Q1x, c.Q1y = c.Q1x+stress/p.DensityRatio*x, c.Q1y+stress/p.DensityRatio*y
	} else if c.H2 >= p.DryDepth {
		c.Q2x, c.Q2y = c.Q2x+stress*x, c.Q2y+stress*y
	}
}

// rainOn returns the rain on owned cell i, m/s.
func (f *Forcing[F]) rainOn(i int) F {
	rain := f.Prescribed[f.Rain]
	if len(f.Pattern) > 0 {
		rain *= f.Pattern[i]
	}
	return rain
}

// stepLimit returns the longest step that the rain until the end of the next step allows.
func (f *Forcing[F]) stepLimit() F { return f.Ahead[f.Limit] }

// LongestInRain returns the longest step that a rain in m/s allows, where a rain of 1 m/s allows longest: it is
// inversely proportional to the cube root of the rain.
func LongestInRain[F num.Float](longest, rain F) F {
	if rain > 0 {
		return longest / rough.CubeRoot(rain)
	}
	return F(math.Inf(1))
}

// rainAhead returns the largest rain on owned cell i until the end of the next step, m/s.
func (f *Forcing[F]) rainAhead(i int) F {
	rain := f.Ahead[f.Rain]
	if len(f.Pattern) > 0 {
		rain *= f.Pattern[i]
	}
	return rain
}

// applyAirPressure accelerates both layers by the gradient of the air pressure.
func (f *Forcing[F]) applyAirPressure(i int, p *Params[F], dt F, from, c *State[F]) {
	x, y := f.Air.Push(i, f.Prescribed, dt)
	if from.H1 >= p.DryDepth {
		h := from.H1 / p.DensityRatio
		c.Q1x, c.Q1y = c.Q1x-h*x, c.Q1y-h*y
	}
	if from.H2 >= p.DryDepth {
		c.Q2x, c.Q2y = c.Q2x-from.H2*x, c.Q2y-from.H2*y
	}
}

// rotate turns the mass flows of owned cell i over a time dt at constant speed, at the rate of turn.Rate for the
// velocity that the state from has.
func (f *Forcing[F]) rotate(i int, dt, dry F, from, c *State[F]) {
	var u1, u2 F
	if len(f.Curvature) > 0 {
		u1, u2 = velocity(from.H1, from.Q1x, dry), velocity(from.H2, from.Q2x, dry)
	} else if len(f.Coriolis) == 0 {
		return
	}
	along, across := turn.Factors(dt, turn.Rate(i, f.Coriolis, f.Curvature, u2))
	c.Q2x, c.Q2y = along*c.Q2x+across*c.Q2y, along*c.Q2y-across*c.Q2x
	if len(f.Curvature) > 0 { // else both layers turn at the same rate
		along, across = turn.Factors(dt, turn.Rate(i, f.Coriolis, f.Curvature, u1))
	}
	c.Q1x, c.Q1y = along*c.Q1x+across*c.Q1y, along*c.Q1y-across*c.Q1x
}

// Lost is the thickness of water that left a cell upwards and downwards since the start, and that of the rain on it,
// which is known only if a model of the soil needs it, m.
type Lost struct{ Evaporated, Infiltrated, Fallen float64 }

// Lose removes evaporation and infiltration of a whole step of length dt from owned cell i, at most the water that it
// has, evaporation first. It follows the step, so that the last film is removed too. Lost water takes its momentum.
func (f *Forcing[F]) Lose(i int, dt F, c *State[F]) {
	if len(f.Lost) == 0 {
		return
	}
	h := num.Larger(c.H2, 0)
	left := num.Larger(h-dt*f.Prescribed[f.Evaporation], 0)
	lost := f.Lost[i]
	lost.Evaporated += float64(h) - float64(left)
	rest := left
	if len(f.Infiltration) > 0 {
		rest = num.Larger(left-dt*f.Infiltration[i], 0)
	} else if len(f.Soil) > 0 {
		fallen := float64(dt) * float64(f.rainOn(i))
		rest = num.Larger(left-F(f.Soil[i].Infiltration(f.Model, lost.Infiltrated, lost.Fallen, float64(dt), fallen,
			float64(left))), 0)
		lost.Fallen += fallen
	}
	lost.Infiltrated += float64(left) - float64(rest)
	f.Lost[i] = lost
	if rest < h {
		part := rest / h
		c.H2, c.Q2x, c.Q2y = rest, c.Q2x*part, c.Q2y*part
	}
}
