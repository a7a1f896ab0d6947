package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Given is what a boundary holds one layer of water to, by its characteristics: of the two that cross a side, the one
// that leaves brings u + 2√(gh) from inside, the other what is given. Where the flow leaves faster than waves nothing
// is.
type Given struct {
	Kind  int32
	Value int32 // where the numbers of now have it
	Wave  int32 // and the height of the wave that comes in, of Radiation
}

// Kinds of what is given.
const (
	Nothing   int32 = iota // what is inside continues outside
	Level                  // of the surface, m
	Discharge              // that comes in through each metre of the side, m²/s
	Radiation              // a wave comes in over water at rest at this level, m, and all waves leave
)

// Boundary is the edges through which water comes and goes, each of an outlet of its own.
type Boundary[F num.Float] struct {
	Of     []int32  // of each outlet what is given there
	Given  []Given  // by the groups of edges
	Now    []F      // the numbers that are given, as they are in this stage of a step
	Passed []Passed // what has left through each outlet since the start
}

// Passed is how much of each layer has left through an edge, m³: the sum over all stages of steps.
type Passed struct{ V1, V2 float64 }

// given is what is given at an edge that is an outlet.
func (s *Boundary[F]) given(at Ends) Given { return s.Given[s.Of[FirstOutlet-at.Right]] }

// Free tells whether at an edge what is inside continues outside.
func (s *Boundary[F]) Free(at Ends) bool {
	return at.Right <= FirstOutlet && s.given(at).Kind == Nothing
}

// count adds what leaves through an edge that is an outlet in a stage of a step of length dt.
func (s *Boundary[F]) count(at Ends, dt F, out *Flux[F]) {
	k := FirstOutlet - at.Right
	s.Passed[k].V1 += float64(dt) * float64(out.M1)
	s.Passed[k].V2 += float64(dt) * float64(out.M2)
}

// through writes the flux of a boundary edge at which something is given to the lower layer, the only one.
func (f *Face[F]) through(at Ends, normal *Normal[F], p *Params[F], boundary *Boundary[F], dt F, mine bool,
	out *Flux[F], n *Counters) {
	l := &f.l
	h, u := num.Larger(l.h2, 0), l.u2
	given := boundary.given(at)
	value, wave := boundary.Now[given.Value], boundary.Now[given.Wave]
	rise, outside, speed := meet(given.Kind, value, wave, p.Gravity, h, u, l.z2, l.depth)
	length := normal.Length
	m := outside * speed
	force := m*speed + p.Gravity*((h+outside)/2)*rise
	whole := l.h2
	if f.sloped {
		whole = l.mean2
	}
	if s := f.share(at, m*length*dt, whole, whole, 0, p.DryDepth); s < 1 {
		m, force = m*s, force*s
		if mine {
			atomic.AddInt64(&n.LimitedFluxes, 1)
		}
	}
	t := carried(m, l.t2, 0)
	x, y := normal.X*length, normal.Y*length
	*out = Flux[F]{M2: m * length, Speed: (num.Abs(speed) + num.Sqrt(p.Gravity*num.Larger(h, outside))) * length}
	out.Side[0] = Push[F]{X2: force*x - t*y, Y2: force*y + t*x}
}

// meet finds the thickness and the outward velocity on the boundary, and how far its level is above that inside. Inside
// are thickness h, outward velocity u, level z, and the bed at depth. A wave of height wave that comes in is a simple
// one over water at rest: what it brings is u - 2√(gh) of that water, less four times what √(gh) grows by.
func meet[F num.Float](kind int32, value, wave, gravity, h, u, z, depth F) (rise, thick, speed F) {
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

// inflow is the thickness and the outward velocity where q comes in over each metre against the characteristic
// u + 2c = leaving, by Newton's method from the speed c of waves inside: critical where that would come in faster than
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
