package twophase

import (
	"errors"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/twophase/drops"
	"github.com/atoll-hpc/atoll/solvers/twophase/ghosts"
	"github.com/atoll-hpc/atoll/solvers/twophase/solid"
	vof "github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// Kinds of sides.
const (
	Slip    = "slip"    // no flow through it, no stress along it
	NoSlip  = "no-slip" // a wall, which may move along itself
	Inflow  = "inflow"  // a given velocity and volume fraction
	Outflow = "outflow" // a given pressure
)

// SideKinds are all kinds of sides.
var SideKinds = []string{Slip, NoSlip, Inflow, Outflow}

// Side is the condition at a side of the grid. Periodic axes have none.
type Side struct {
	Kind     string
	Velocity [3]float64 // of a wall, along it, or of the inflow, in m/s
	Fraction float64    // of the first fluid in the inflow
	Angle    float64    // of contact at a wall, in the first fluid, in degrees; 0 for 90
	// Functions of the position and time, instead of constants: of an inflow's velocity and volume fraction, and of an
	// outflow's pressure in Pa, which is 0 without one. Nil for none.
	Profile  [3]*ghosts.Given
	Mixture  *ghosts.Given
	Pressure *ghosts.Given
	Backflow bool // fluid that enters through an outflow has Fraction or Mixture
}

// varies reports whether an inflow is not the same everywhere and at all times.
func (s *Side) varies() bool { return s.Profile != [3]*ghosts.Given{} }

// Config holds the fluids, the sides and the parameters of the method. The first fluid is where the volume fraction is
// 1.
type Config struct {
	Density   [2]float64 // in kg/m³
	Viscosity [2]float64 // dynamic, in Pa·s
	Tension   float64    // of the interface, in N/m
	Gravity   [3]float64 // in m/s²
	Sides     [3][2]Side
	// Rings is axisymmetric flow in the plane: x is the distance from the axis, and cells are rings around it.
	Rings  bool
	Solid  *solid.Solid      // nil without
	Pieces [2]*drops.Options // of the first and of the second fluid; nil for none

	CFL              float64 // largest dt·Σ|u|/h of a cell
	Tolerance        float64 // of |∇·u| dt after the projection
	ViscousTolerance float64 // of the change of velocity by viscosity, relative to the largest velocity
	MaxStep          float64 // longest step in s; 0 for no limit
	Normal           string  // of planes: see Normals
}

// Normals are the methods for the normals of planes in cells.
var Normals = map[string]int32{"mixed": vof.Mixed, "elvira": vof.ELVIRA, "lvira": vof.LVIRA}

// MaxCFL is the limit of the sweeps of Weymouth and Yue.
const MaxCFL = 0.5

// Ghosts is the number of ghost layers: columns of heights reach so far.
const Ghosts = 4

// Check returns an error for parameters out of range, or a grid that the method does not take.
func (c *Config) Check(g *grid.Grid) error {
	h := g.Spacing(0)
	for d := range g.Dim {
		if s := g.Spacing(d); math.Abs(s-h) > 1e-9*h {
			return fmt.Errorf("the cells are %g long along %c and %g along x: solver \"two-phase\" takes squares or cubes",
				s, "xyz"[d], h)
		}
		if g.N[d] < Ghosts {
			return fmt.Errorf("%d cells along %c: solver \"two-phase\" takes at least %d along each axis", g.N[d], "xyz"[d],
				Ghosts)
		}
	}
	if c.Rings && (g.Dim != 2 || g.Lo[0] != 0 || g.Periodic[0]) {
		return errors.New("axisymmetric flow is in the plane, with bounds from x = 0, the axis, and x is not periodic")
	}
	for n := range 2 {
		if !(c.Density[n] > 0) || !(c.Viscosity[n] >= 0) {
			return fmt.Errorf("density %g and viscosity %g: densities must be positive, viscosities at least 0", c.Density[n],
				c.Viscosity[n])
		}
	}
	return nil
}

// passes reports whether fluid may pass a side.
func (c *Config) passes(g *grid.Grid, axis, side int) bool {
	kind := c.Sides[axis][side].Kind
	return axis < g.Dim && !g.Periodic[axis] && (kind == Inflow || kind == Outflow)
}

// looksAhead reports whether values at faces are those of half a step later by forces, too: see kernels.Momentum.
func (c *Config) looksAhead() bool { return c.Density[0] == c.Density[1] }

// jumps reports whether the pressure does at interfaces, by surface tension or by what the fluids weigh.
func (c *Config) jumps() bool {
	return c.Tension != 0 || c.Density[0] != c.Density[1] && c.Gravity != [3]float64{}
}

// lift is that of kernels.Faces.
func (c *Config) lift(g *grid.Grid, d int) float64 {
	return .5 * (c.Density[0] - c.Density[1]) * c.Gravity[d] * g.Spacing(d) * g.Spacing(d)
}

// inflowBalance returns the net inflow through all sides in m³/s, or m²/s in the plane without axis, and whether there
// is an outflow; varies tells that an inflow is not constant.
func (c *Config) inflowBalance(g *grid.Grid) (net float64, open, varies bool) {
	for d := range g.Dim {
		if g.Periodic[d] {
			continue
		}
		area := 1.0
		for e := range g.Dim {
			if e != d {
				area *= g.Hi[e] - g.Lo[e]
			}
		}
		if c.Rings {
			area *= []float64{2 * math.Pi, math.Pi}[d] * g.Hi[0]
		}
		for side, s := range c.Sides[d] {
			open = open || s.Kind == Outflow
			if s.Kind == Inflow {
				varies = varies || s.varies()
				net += float64(1-2*side) * s.Velocity[d] * area
			}
		}
	}
	return net, open, varies
}

// sideSpeed is the largest sum of the speeds along the axes at a side: fluid that a wall sets in motion gets as fast.
func (c *Config) sideSpeed(g *grid.Grid) (most float64) {
	for d := range g.Dim {
		for _, s := range c.Sides[d] {
			if v := s.Velocity; !g.Periodic[d] {
				most = max(most, math.Abs(v[0])+math.Abs(v[1])+math.Abs(v[2]))
			}
		}
	}
	return most
}

// Numbers of points of a side, along each of its axes, and of times at which inflowSpeed looks.
const speedPoints, speedTimes = 17, 9

// inflowSpeed is sideSpeed of inflows that vary, from a time on for a while, at a part of the points.
func (c *Config) inflowSpeed(g *grid.Grid, from, while float64) (most float64) {
	for d := range g.Dim {
		for side := range c.Sides[d] {
			s := &c.Sides[d][side]
			if g.Periodic[d] || !s.varies() {
				continue
			}
			n := [3]int{1, 1, 1}
			for e := range g.Dim {
				if e != d {
					n[e] = min(g.N[e], speedPoints)
				}
			}
			for k := range n[0] * n[1] * n[2] * speedTimes {
				var x [3]float64
				rest := k / speedTimes
				for e := range g.Dim {
					x[e] = g.Lo[e] + (g.Hi[e]-g.Lo[e])*(float64(rest%n[e])+.5)/float64(n[e])
					rest /= n[e]
				}
				x[d] = [2]float64{g.Lo[d], g.Hi[d]}[side]
				sum := 0.0
				for e, q := range s.Profile {
					v := s.Velocity[e]
					if q != nil {
						v, _ = q.At(x[0], x[1], x[2], from+while*float64(k%speedTimes)/(speedTimes-1)) // an error is told later
					}
					sum += math.Abs(v)
				}
				most = max(most, sum)
			}
		}
	}
	return most
}

// CheckSides returns an error if more fluid flows in than can leave.
func (c *Config) CheckSides(g *grid.Grid) error {
	net, open, varies := c.inflowBalance(g)
	if s := c.Sides[0][0]; c.Rings && (s.Kind != Slip || s.Angle != 0 && s.Angle != RightAngle) {
		return errors.New("x_low is the axis of axisymmetric flow: leave it out")
	}
	if !open && varies {
		return errors.New("an inflow varies, and no side is an outflow, through which as much could leave")
	}
	if !open && net != 0 && c.Solid != nil {
		return errors.New("there is an inflow and there are solids, and no side is an outflow")
	}
	if !open && math.Abs(net) > 1e-12*math.Abs(net)+1e-300 {
		unit := "m³/s"
		if g.Dim == 2 && !c.Rings {
			unit = "m²/s"
		}
		return fmt.Errorf("%g %s more flow in than out, and no side is an outflow", net, unit)
	}
	return nil
}
