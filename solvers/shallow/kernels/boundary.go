package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Condition is a boundary condition for one layer of water, imposed by characteristics: the outgoing one carries
// u + 2√(gh) from the cell to the edge, the prescribed value replaces the incoming one. Where the outflow is
// supercritical both are outgoing, and the condition has no effect.
type Condition struct {
	Kind  int32
	Value int32 // index in Boundary.Prescribed of the prescribed value
	Wave  int32 // index in Boundary.Prescribed of the incoming wave's height, for Radiation
}

// Kinds of boundary conditions.
const (
	Transmissive int32 = iota // zero gradient: the state inside continues outside
	Level                     // of the surface, m
	Discharge                 // inflow per metre of the edge, m²/s
	Radiation                 // level at rest of the water outside, m: waves enter and leave
)

// Boundary holds the boundary conditions of the outlets: the boundary edges that are not walls, numbered from 0.
type Boundary[F num.Float] struct {
	ConditionOf []int32     // index of each outlet's condition
	Conditions  []Condition // one for each open group of edges
	Prescribed  []F         // the prescribed numbers of this stage of a step
	Ahead       []F         // the largest values of these until the end of the next step: see EvaluateSeries
	Passed      []Passed    // what has left through each outlet since the start
}

// Passed is the volume of each layer that has left through an edge, m³: the sum over all stages of steps.
type Passed struct{ V1, V2 float64 }

// condition returns the boundary condition at an outlet edge.
func (s *Boundary[F]) condition(at EdgeCells) Condition {
	return s.Conditions[s.ConditionOf[FirstOutlet-at.Right]]
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

// prescribedFlux writes the flux of an outlet with a prescribed condition, in a run with one layer (the lower one).
func (f *Face[F]) prescribedFlux(at EdgeCells, normal *Normal[F], p *Params[F], boundary *Boundary[F], dt F, own bool,
	out *Flux[F], n *Counters) {
	l := &f.l
	h, u := num.Larger(l.h2, 0), l.u2
	given := boundary.condition(at)
	value, wave := boundary.Prescribed[given.Value], boundary.Prescribed[given.Wave]
	rise, thick, speed := boundaryState(given.Kind, value, wave, p.Gravity, h, u, l.z2, l.depth)
	length := normal.Length
	m := thick * speed
	force := m*speed + p.Gravity*((h+thick)/2)*rise
	mean := l.h2 // mean thickness in the cell
	if f.sloped {
		mean = l.mean2
	}
	if s := f.availableShare(at, m*length*dt, mean, mean, 0, p.DryDepth); s < 1 {
		m, force = m*s, force*s
		if own {
			atomic.AddInt64(&n.LimitedFluxes, 1)
		}
	}
	t := carried(m, l.t2, 0)
	x, y := normal.X*length, normal.Y*length
	*out = Flux[F]{M2: m * length, Speed: (num.Abs(speed) + num.Sqrt(p.Gravity*num.Larger(h, thick))) * length}
	out.Side[0] = MomentumChange[F]{X2: force*x - t*y, Y2: force*y + t*x}
}

// boundaryState returns the thickness and the outward velocity on the boundary, and how far the level there is above
// that in the cell. The cell has thickness h, outward velocity u, level z, and its bed at depth. The outgoing
// characteristic carries u + 2√(gh), the incoming one u - 2√(gh), where u is the outward velocity. Radiation prescribes
// the incoming one: that of water at rest with the prescribed level, or, if wave is not 0, of a simple wave whose
// height above that level is wave. Across a simple wave that moves inward, u + 2√(gh) keeps its value 2√(gh₀) at rest.
func boundaryState[F num.Float](kind int32, value, wave, gravity, h, u, z, depth F) (rise, thick, speed F) {
	c := num.Sqrt(gravity * h)
	outgoing := u + 2*c
	if u > c || kind == Level && value == z {
		return 0, h, u
	}
	if kind == Level {
		thick = num.Larger(value+depth, 0)
		c = num.Sqrt(gravity * thick)
		return value - z, thick, num.Larger(outgoing-2*c, -c)
	}
	if kind == Discharge {
		thick, speed = inflow(gravity, value, outgoing, c)
		return thick - h, thick, speed
	}
	if value == z && u == 0 && wave == 0 {
		return 0, h, u
	}
	atRest := num.Sqrt(gravity * num.Larger(value+depth, 0)) // √(gh₀)
	incoming := -2 * atRest
	if wave != 0 {
		incoming = 2*atRest - 4*num.Sqrt(gravity*num.Larger(value+wave+depth, 0))
	}
	c = num.Larger((outgoing-incoming)/4, 0)
	thick = c * c / gravity
	return thick - h, thick, (outgoing + incoming) / 2
}

// inflow returns the thickness and the outward velocity on the boundary for an inflow of q per metre, so that u + 2c
// equals the outgoing characteristic. c is the wave speed √(gh) in the cell, from which Newton's method starts. The
// inflow is at most critical: no faster than waves.
func inflow[F num.Float](gravity, q, outgoing, c F) (thick, speed F) {
	critical := F(0)
	if q > 0 {
		critical = cubeRoot(gravity * q)
	}
	c = num.Larger(c, critical)
	for k := 0; k < 12 && c > 0; k++ {
		inward := gravity * q / (c * c) // velocity: q/h
		c = num.Larger(c-(2*c-inward-outgoing)/(2+2*inward/c), c/4)
	}
	c = num.Larger(c, critical)
	if c <= 0 {
		return 0, 0
	}
	thick = c * c / gravity
	return thick, -q / thick
}
