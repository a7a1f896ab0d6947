package twophase

import "github.com/atoll-hpc/atoll/solvers/twophase/ghosts"

// sideRule is what faces in outflows get when a velocity's ghosts are filled.
type sideRule int

const (
	keepOutflow   sideRule = iota // they keep their velocity, that of the last projection
	extendOutflow                 // before the projection: that of the next face inside
	zeroGiven                     // 0, as have all faces with a given velocity: for changes of velocity
)

// cellGhost is for volume fractions and curvatures: mirrored in sides, so that interfaces meet them at right angles,
// and given in inflows.
func (c *Config) cellGhost(inflow bool) ghosts.Of {
	return func(axis, i, n int) (ghosts.Affine, bool) {
		if i >= 0 && i < n {
			return ghosts.Affine{}, false
		}
		side := 0
		if i >= n {
			side = 1
		}
		if s := c.Sides[axis][side]; inflow && (s.Kind == Inflow || s.Backflow) {
			return ghosts.ConstantOr(max(0, min(n-1, i)), 0, 1, s.Fraction, s.Mixture), true
		}
		return ghosts.Affine{At: ghosts.Mirrored(i, n), A: 1}, true
	}
}

// velocityGhost is for the velocity component d.
func (c *Config) velocityGhost(d int, rule sideRule) ghosts.Of {
	return func(axis, i, n int) (ghosts.Affine, bool) {
		side, last := 0, n-1
		if axis == d {
			last = n
		}
		if 2*i > last {
			side = 1
		}
		s, given := c.Sides[axis][side], 1.0
		if rule == zeroGiven {
			given = 0
		}
		if axis != d {
			if i >= 0 && i < n {
				return ghosts.Affine{}, false
			}
			switch s.Kind {
			case NoSlip, Inflow:
				return ghosts.ConstantOr(ghosts.Mirrored(i, n), -1, 2*given, s.Velocity[d], s.Profile[d]), true
			case Outflow:
				return ghosts.Affine{At: max(0, min(n-1, i)), A: 1}, true
			}
			return ghosts.Affine{At: ghosts.Mirrored(i, n), A: 1}, true
		}
		if i > 0 && i < n {
			return ghosts.Affine{}, false
		}
		wall := side * n
		switch s.Kind {
		case Inflow:
			return ghosts.ConstantOr(max(0, min(n, i)), 0, given, s.Velocity[d], s.Profile[d]), true
		case Outflow:
			switch {
			case rule == zeroGiven:
				return ghosts.Affine{At: wall}, true
			case rule == extendOutflow:
				return ghosts.Affine{At: max(1, min(n-1, i)), A: 1}, true
			case i == wall:
				return ghosts.Affine{}, false
			}
			return ghosts.Affine{At: wall, A: 1}, true
		}
		if i == wall {
			return ghosts.Affine{At: wall}, true
		}
		return ghosts.Affine{At: 2*wall - i, A: -1}, true
	}
}

// pressureGhost is for the pressure: the first ghost beyond an outflow has the value that is given in the side.
func (c *Config) pressureGhost(axis, i, n int) (ghosts.Affine, bool) {
	side := 0
	if i >= n {
		side = 1
	}
	if q := c.Sides[axis][side].Pressure; q != nil && (i == -1 || i == n) {
		return ghosts.Affine{At: max(0, min(n-1, i)), Part: 1, Given: q}, true
	}
	return ghosts.Affine{}, false
}

// velocityLayers is the number of layers of ghosts of velocities: van Leer's slopes reach two faces.
const velocityLayers = 2
