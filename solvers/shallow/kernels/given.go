package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Given is what a boundary holds one layer of water to, by its characteristics: of the two that cross a side, the one
// that leaves brings u + 2√(gh) from inside, the other what is given. Where the flow leaves faster than waves nothing
// is.
type Given[F num.Float] struct {
	Kind  int32
	_     int32
	Value F
}

// Kinds of what is given.
const (
	Level     int32 = iota // of the surface, m
	Discharge              // that comes in through each metre of the side, m²/s
	Radiation              // nothing comes in over water at rest at this level, m
)

// Boundary is all that is given at boundaries.
type Boundary[F num.Float] struct{ Given []Given[F] }

// through writes the flux of a boundary edge at which something is given to the lower layer, the only one.
func (f *Face[F]) through(at Ends, normal *Normal[F], p *Params[F], given *Given[F], dt F, mine bool, out *Flux[F],
	n *Counters) {
	l := &f.l
	h, u := num.Larger(l.h2, 0), l.u2
	rise, outside, speed := given.meet(p.Gravity, h, u, l.z2, l.depth)
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
// are thickness h, outward velocity u, level z, and the bed at depth.
func (g *Given[F]) meet(gravity, h, u, z, depth F) (rise, thick, speed F) {
	c := num.Sqrt(gravity * h)
	leaving := u + 2*c
	if u > c || g.Kind == Level && g.Value == z {
		return 0, h, u
	}
	if g.Kind == Level {
		thick = num.Larger(g.Value+depth, 0)
		c = num.Sqrt(gravity * thick)
		return g.Value - z, thick, num.Larger(leaving-2*c, -c)
	}
	if g.Kind == Discharge {
		thick, speed = inflow(gravity, g.Value, leaving, c)
		return thick - h, thick, speed
	}
	if g.Value == z && u == 0 {
		return 0, h, u
	}
	entering := -2 * num.Sqrt(gravity*num.Larger(g.Value+depth, 0))
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
