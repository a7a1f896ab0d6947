package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Condition is a boundary condition for one layer of water, imposed by characteristics: of the two that cross an
// edge, the outgoing one carries u + 2√(gh) from inside, the incoming one the prescribed value. Supercritical outflow
// needs none.
type Condition struct {
	Kind  int32
	Value int32 // index in Boundary.Now
	Wave  int32 // index in Boundary.Now of the incoming wave's height, of Radiation
}

// Kinds of boundary conditions.
const (
	Transmissive int32 = iota // zero gradient: the state inside continues outside
	Level                     // of the surface, m
	Discharge                 // inflow through each metre of the side, m²/s
	Radiation                 // a wave enters over water at rest at this level, m, and all outgoing waves leave
)

// Boundary holds the boundary edges that are not walls, each an outlet with its own number.
type Boundary[F num.Float] struct {
	Of         []int32     // of each outlet, the index of its condition
	Conditions []Condition // by the groups of edges
	Now        []F         // the prescribed numbers at this stage of a step
	Passed     []Passed    // what has left through each outlet since the start
}

// Passed is the volume of each layer that has left through an edge, m³: the sum over all stages of steps.
type Passed struct{ V1, V2 float64 }

// condition returns the boundary condition at an outlet edge.
func (s *Boundary[F]) condition(at EdgeCells) Condition {
	return s.Conditions[s.Of[FirstOutlet-at.Right]]
}

// Transmissive reports whether an edge has the condition of zero gradient.
func (s *Boundary[F]) Transmissive(at EdgeCells) bool {
	return at.Right <= FirstOutlet && s.condition(at).Kind == Transmissive
}

// addOutflow adds the outflow through an outlet edge in a stage of a step of length dt.
func (s *Boundary[F]) addOutflow(at EdgeCells, dt F, out *Flux[F]) {
	k := FirstOutlet - at.Right
	s.Passed[k].V1 += float64(dt) * float64(out.M1)
	s.Passed[k].V2 += float64(dt) * float64(out.M2)
}

// prescribedFlux writes the flux of a boundary edge with a prescribed condition on the lower layer, the only one.
func (f *Face[F]) prescribedFlux(at EdgeCells, normal *Normal[F], p *Params[F], boundary *Boundary[F], dt F, own bool,
	out *Flux[F], n *Counters) {
	l := &f.l
	h, u := num.Larger(l.h2, 0), l.u2
	given := boundary.condition(at)
	value, wave := boundary.Now[given.Value], boundary.Now[given.Wave]
	rise, outside, speed := boundaryState(given.Kind, value, wave, p.Gravity, h, u, l.z2, l.depth)
	length := normal.Length
	m := outside * speed
	force := m*speed + p.Gravity*((h+outside)/2)*rise
	whole := l.h2
	if f.sloped {
		whole = l.mean2
	}
	if s := f.availableShare(at, m*length*dt, whole, whole, 0, p.DryDepth); s < 1 {
		m, force = m*s, force*s
		if own {
			atomic.AddInt64(&n.LimitedFluxes, 1)
		}
	}
	t := carried(m, l.t2, 0)
	x, y := normal.X*length, normal.Y*length
	*out = Flux[F]{M2: m * length, Speed: (num.Abs(speed) + num.Sqrt(p.Gravity*num.Larger(h, outside))) * length}
	out.Side[0] = MomentumChange[F]{X2: force*x - t*y, Y2: force*y + t*x}
}

// boundaryState finds the thickness and the outward velocity on the boundary, and how far its level is above that
// inside. Inside are thickness h, outward velocity u, level z, and the bed at depth. An incoming wave of height wave is
// a simple wave over water at rest: its characteristic is u - 2√(gh) of that water, less four times the growth of
// √(gh).
func boundaryState[F num.Float](kind int32, value, wave, gravity, h, u, z, depth F) (rise, thick, speed F) {
	c := num.Sqrt(gravity * h)
	leaving := u + 2*c
	if u > c || kind == Level && value == z {
		return 0, h, u
	}
	if kind == Level {
		thick = num.Larger(value+depth, 0)
		c = num.Sqrt(gravity * thick)
		return value - z, thick, num.Larger(leaving-2*c, -c)
	}
	if kind == Discharge {
		thick, speed = inflow(gravity, value, leaving, c)
		return thick - h, thick, speed
	}
	if value == z && u == 0 && wave == 0 {
		return 0, h, u
	}
	rest := num.Sqrt(gravity * num.Larger(value+depth, 0))
	entering := -2 * rest
	if wave != 0 {
		entering = 2*rest - 4*num.Sqrt(gravity*num.Larger(value+wave+depth, 0))
	}
	c = num.Larger((leaving-entering)/4, 0)
	thick = c * c / gravity
	return thick - h, thick, (leaving + entering) / 2
}

// inflow returns the thickness and the outward velocity for an inflow of q per metre with the outgoing characteristic
// u + 2c = leaving, by Newton's method from the wave speed c inside: critical if the inflow would be faster than
// waves.
func inflow[F num.Float](gravity, q, leaving, c F) (thick, speed F) {
	critical := F(0)
	if q > 0 {
		critical = cubeRoot(gravity * q)
	}
	c = num.Larger(c, critical)
	for k := 0; k < 12 && c > 0; k++ {
		part := gravity * q / (c * c)
		c = num.Larger(c-(2*c-part-leaving)/(2+2*part/c), c/4)
	}
	c = num.Larger(c, critical)
	if c <= 0 {
		return 0, 0
	}
	thick = c * c / gravity
	return thick, -q / thick
}
