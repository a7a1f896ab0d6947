package twophase

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/grid"
	vof "github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// Kinds of sides.
const (
	Slip    = "slip"    // no flow through it, no stress along it
	NoSlip  = "no-slip" // a wall, which may move along itself
	Inflow  = "inflow"  // a given velocity and volume fraction
	Outflow = "outflow" // the pressure is 0
)

// SideKinds are all kinds of sides.
var SideKinds = []string{Slip, NoSlip, Inflow, Outflow}

// Side is the condition at a side of the grid. Periodic axes have none.
type Side struct {
	Kind     string
	Velocity [3]float64 // of a wall, along it, or of the inflow, in m/s
	Fraction float64    // of the first fluid in the inflow
}

// Config holds the fluids, the sides and the parameters of the method. The first fluid is where the volume fraction is
// 1.
type Config struct {
	Density   [2]float64 // in kg/m³
	Viscosity [2]float64 // dynamic, in Pa·s
	Tension   float64    // of the interface, in N/m
	Gravity   [3]float64 // in m/s²
	Sides     [3][2]Side

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
	for n := range 2 {
		if !(c.Density[n] > 0) || !(c.Viscosity[n] >= 0) {
			return fmt.Errorf("density %g and viscosity %g: densities must be positive, viscosities at least 0", c.Density[n],
				c.Viscosity[n])
		}
	}
	return nil
}

// inflowBalance returns the net inflow through all sides in m³/s, or m²/s in the plane, and whether there is an
// outflow.
func (c *Config) inflowBalance(g *grid.Grid) (net float64, open bool) {
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
		for side, s := range c.Sides[d] {
			open = open || s.Kind == Outflow
			if s.Kind == Inflow {
				net += float64(1-2*side) * s.Velocity[d] * area
			}
		}
	}
	return net, open
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

// CheckSides returns an error if more fluid flows in than can leave.
func (c *Config) CheckSides(g *grid.Grid) error {
	if net, open := c.inflowBalance(g); !open && math.Abs(net) > 1e-12*math.Abs(net)+1e-300 {
		unit := map[int]string{2: "m²/s", 3: "m³/s"}[g.Dim]
		return fmt.Errorf("%g %s more flow in than out, and no side is an outflow", net, unit)
	}
	return nil
}
