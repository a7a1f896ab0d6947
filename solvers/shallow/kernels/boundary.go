package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/rough"
)

// Condition is a boundary condition for one layer of water, imposed by characteristics: the outgoing one carries
// u + 2√(gh) from the cell to the edge, the prescribed value replaces the incoming one. Where the outflow is
// supercritical both are outgoing, and the condition has no effect.
type Condition struct {
	Kind  int32
	Value int32 // index in Boundary.Prescribed of the prescribed value
	Wave  int32 // index of the incoming wave's height for Radiation, of the depth for Torrent and TotalTorrent
	First int32 // first row in Boundary.Curves of a Rating or of TotalDischarge, and their number
	Count int32
}

// Kinds of boundary conditions.
const (
	Transmissive   int32 = iota // zero gradient: the state inside continues outside
	Level                       // of the surface, m; critical outflow if it is lower than that
	Discharge                   // inflow per metre of the edge, m²/s
	Radiation                   // level at rest of the water outside, m: waves enter and leave
	NormalDepth                 // outflow of uniform flow down a slope, whose square root is the value
	Critical                    // critical outflow: free overfall
	Rating                      // outflow of the group by a curve of level and discharge, m³/s
	TotalDischarge              // inflow through the group, m³/s, distributed by conveyance
	Torrent                     // supercritical inflow per metre, m²/s, with its depth
	TotalTorrent                // supercritical inflow through the group, m³/s, with its depth
)

// Boundary holds the boundary conditions of the outlets: the boundary edges that are not walls, numbered from 0.
type Boundary[F num.Float] struct {
	ConditionOf []int32     // index of each outlet's condition
	Conditions  []Condition // one for each open group of edges
	Prescribed  []F         // the prescribed numbers of this stage of a step
	Ahead       []F         // the largest values of these in this step and the next two: see EvaluateSeries
	Passed      []Passed    // what has left through each outlet since the start
	Outlets     []Outlet[F]
	Curves      []Row // rating curves: discharge over level; TotalDischarge: critical level over discharge

	// Of groups whose discharge is distributed: the conveyance of each of their edges on all ranks, in an order that does
	// not depend on the ranks, and the sum of each condition.
	Conveyances []F
	Sums        []F
}

// Outlet has the geometry of an outlet.
type Outlet[F num.Float] struct {
	Slope    F     // by which the bed falls outwards along the normal
	Fall     F     // of the bed along the normal from the cell's centroid to the edge, m
	Rise     F     // of the bed from the cell's centroid to the edge's midpoint, m
	Manning  F     // of the cell, s/m^(1/3)
	Position int32 // in Conveyances
	_        int32
	Shallows rough.Shallows[F] // of the cell
}

// roughness returns Manning's coefficient where the water is h deep.
func (o *Outlet[F]) roughness(h F) F { return o.Shallows.At(o.Manning, h) }

// Passed is the volume of each layer that has left through an edge, m³: the sum over all stages of steps.
type Passed struct{ V1, V2 float64 }

// Transmissive reports whether an edge has the condition of zero gradient.
func (s *Boundary[F]) Transmissive(at EdgeCells) bool {
	return at.Right <= FirstOutlet && s.Conditions[s.ConditionOf[FirstOutlet-at.Right]].Kind == Transmissive
}

// addOutflow adds the outflow of both layers through an outlet edge, m³/s, in a stage of a step of length dt.
func (s *Boundary[F]) addOutflow(at EdgeCells, dt, m1, m2 F) {
	k := FirstOutlet - at.Right
	s.Passed[k].V1 += float64(dt) * float64(m1)
	s.Passed[k].V2 += float64(dt) * float64(m2)
}

// outletFlux returns the flux of an outlet in a run with one layer (the lower one). The speed of its waves is that of
// the prescribed value or of the largest one until the end of the next step, so that the step is short enough for it.
func (f *Face[F]) outletFlux(at EdgeCells, normal *Normal[F], p *Params[F], boundary *Boundary[F], dt F, own bool,
	n *Counters) Flux[F] {
	l := &f.l
	h, u, length := num.Larger(l.h2, 0), l.u2, normal.Length
	k := FirstOutlet - at.Right
	given := boundary.Conditions[boundary.ConditionOf[k]]
	var rise, thick, speed, added F
	if given.Kind == Transmissive {
		rise, added, speed = f.openOutlet(p, &boundary.Outlets[k], h, u)
		thick = h
	} else {
		value, wave := boundary.Prescribed[given.Value], boundary.Prescribed[given.Wave]
		share := boundary.part(int(k), length)
		rise, thick, speed = f.beyond(int(k), p, boundary, value, wave, share)
	}
	m := thick*speed + added
	force := thick*speed*speed + p.Gravity*((h+thick)/2)*rise
	fastest := num.Abs(speed) + num.Sqrt(p.Gravity*num.Larger(h, thick))
	//atoll:seldom
	if ahead := boundary.Ahead[given.Value]; given.Kind != Transmissive && ahead > boundary.Prescribed[given.Value] {
		share := boundary.part(int(k), length)
		if share <= 0 {
			share = 1 / length // nothing flows yet, and all might flow here
		}
		_, thick, speed = f.beyond(int(k), p, boundary, ahead, boundary.Ahead[given.Wave], share)
		fastest = num.Larger(fastest, num.Abs(speed)+num.Sqrt(p.Gravity*num.Larger(h, thick)))
	}
	if !f.sloped {
		f.r.depth = l.depth - 2*boundary.Outlets[k].Rise // a step of the bed, as between cells: see suppliedByThirds
	}
	if m > 0 { // there is no limit on what comes from beyond the boundary
		if s := f.supplied2(OneLayer, at, m, length, dt, p); s < 1 {
			m, force = m*s, force*s
			if own {
				atomic.AddInt64(&n.LimitedFluxes, 1)
			}
		}
	}
	t := carried(m, l.t2, 0)
	if given.Kind == Transmissive {
		t = m * l.t2
	}
	x, y := normal.X*length, normal.Y*length
	return Flux[F]{M: m * length, Speed: fastest * length, Side: [2]Vec2[F]{{force*x - t*y, force*y + t*x}, {}}}
}

// openOutlet returns the jump of the level at a transmissive edge, the mass flow that this jump adds, and the outward
// velocity. Where water flows in down a slope its velocity is reduced, the more the thinner it is: else films on rough
// beds would draw in any amount of water. At first order the level falls outwards as that of uniform flow does, like
// that in a cell with slopes at second order (see openSlopes): HLLE's flux to a cell of the same depth beyond the edge.
func (f *Face[F]) openOutlet(p *Params[F], o *Outlet[F], h, u F) (rise, added, speed F) {
	if h <= 0 {
		return 0, 0, 0
	}
	c := num.Sqrt(p.Gravity * h)
	//atoll:seldom
	if u < 0 && o.Rise > 0 {
		mean := h
		if f.sloped {
			mean = f.l.mean2
		}
		slow := bounded(2 + 2*u/c)
		u *= bounded(mean/o.Rise-1) * (1 - num.Smaller(4*o.Rise/mean, 1)*(1-slow))
	}
	if f.sloped || o.Fall <= 0 || u <= 0 || u >= c {
		return 0, 0, u
	}
	drop := 2 * o.Fall * rough.Share(o.roughness(h), h, u*u+f.l.t2*f.l.t2, o.Slope)
	// With the jump -drop of the level alone HLLE adds (c²-u²)/2c drop to the mass and takes c (c-u)/2 drop of momentum.
	return -drop * (c - u) / (2 * c), (c*c - u*u) / (2 * c) * drop, u
}

// bounded returns x in [0, 1].
func bounded[F num.Float](x F) F { return num.Smaller(num.Larger(x, 0), 1) }

// beyond returns how far the level on outlet k is above that inside, and the thickness and the outward velocity there,
// for a prescribed value and the number that belongs to it. share is the part of what is distributed over the group
// that flows through a metre of the outlet.
func (f *Face[F]) beyond(k int, p *Params[F], boundary *Boundary[F], value, wave, share F) (rise, thick, speed F) {
	l := &f.l
	given := boundary.Conditions[boundary.ConditionOf[k]]
	h, g := num.Larger(l.h2, 0), p.Gravity
	kind := given.Kind
	if kind == NormalDepth || kind == Rating {
		if h <= 0 {
			return 0, 0, 0
		}
		var q F
		if kind == NormalDepth {
			mean := h
			if f.sloped {
				mean = l.mean2 // not what limiters make of the depth at the boundary
			}
			root := rough.CubeRoot(mean)
			q = mean * root * root * value / boundary.Outlets[k].roughness(mean)
		} else {
			q = F(Interpolate(boundary.Curves, given.First, given.Count, float64(l.z2))) * share
		}
		return outflow(g, q, h, l.u2)
	}
	if kind == TotalDischarge || kind == TotalTorrent {
		value *= share
	}
	if kind == Torrent || kind == TotalTorrent {
		if value > 0 && wave > 0 && entersFast(g, wave, value/wave, h, -l.u2) {
			return wave - h, wave, -value / wave
		}
		kind, value = Discharge, num.Larger(value, 0)
	}
	return boundaryState(kind, value, wave, g, h, l.u2, l.z2, l.depth)
}

// head returns the highest head that a condition lets in through outlet k, whose edge has a length and a height of the
// bed, from the level in the cell. Inflow is critical or deeper, not below the level in the cell, unless its depth is
// given.
func (s *Boundary[F]) head(k int32, length, bed, level F, p *Params[F]) F {
	given := s.Conditions[s.ConditionOf[k]]
	value, wave := s.Prescribed[given.Value], s.Prescribed[given.Wave]
	switch given.Kind {
	case Level:
		return value
	case Radiation:
		return value + 2*num.Larger(wave, 0) // that of a simple wave: as much again by its velocity
	case TotalDischarge, TotalTorrent:
		value *= s.part(int(k), length)
	case Discharge, Torrent:
	default:
		return level
	}
	if value <= 0 {
		return level
	}
	critical := rough.CubeRoot(value * value / p.Gravity)
	most := num.Larger(level, bed+critical) + critical/2
	if wave > 0 && (given.Kind == Torrent || given.Kind == TotalTorrent) {
		speed := value / wave
		most = num.Larger(most, bed+wave+speed*speed/(2*p.Gravity))
	}
	return most
}

// entersFast reports whether an inflow of thickness h0 and velocity u0 stays supercritical against water of thickness h
// inside, with velocity u, also inward: whether the slower wave of the Riemann problem of both moves inward. Else that
// water drowns it. The thickness between the waves is that of two rarefactions (E. F. Toro, Shock-Capturing Methods for
// Free-Surface Shallow Flows, 2001, section 10.5).
func entersFast[F num.Float](gravity, h0, u0, h, u F) bool {
	c := (num.Sqrt(gravity*h0)+num.Sqrt(gravity*h))/2 + (u0-u)/4
	between := num.Larger(c, 0) * num.Larger(c, 0) / gravity
	square := gravity * h0 // of the wave's speed relative to the inflow
	if between > h0 {
		square = gravity * (between + h0) / 2 * between / h0
	}
	return u0*u0 > square
}

// boundaryState returns the thickness and the outward velocity on the boundary, and how far the level there is above
// that in the cell. The cell has thickness h, outward velocity u, level z, and its bed at depth. The outgoing
// characteristic carries R = u + 2√(gh), the incoming one u - 2√(gh), where u is the outward velocity. Outflow is at
// most critical, c = u = R/3, unless it is supercritical inside: a lower level outside does not draw more. Radiation
// prescribes the incoming characteristic: that of water at rest with the prescribed level, or, if wave is not 0, of a
// simple wave whose height above that level is wave. Across a simple wave that moves inward, R keeps its value 2√(gh₀)
// at rest. An inflow comes in against any outflow.
func boundaryState[F num.Float](kind int32, value, wave, gravity, h, u, z, depth F) (rise, thick, speed F) {
	c := num.Sqrt(gravity * h)
	outgoing := u + 2*c
	discharge := kind == Discharge || kind == TotalDischarge
	if u > c && !(discharge && value > 0) || kind == Level && value == z {
		return 0, h, u
	}
	if discharge {
		thick, speed = inflow(gravity, value, outgoing, c)
		return thick - h, thick, speed
	}
	third := num.Larger(outgoing/3, 0) // the critical velocity
	critical := third * third / gravity
	if kind == Critical {
		return critical - h, critical, third
	}
	if kind == Level {
		if thick = value + depth; thick <= critical {
			return critical - h, critical, third
		}
		c = num.Sqrt(gravity * thick)
		return value - z, thick, num.Larger(outgoing-2*c, -c)
	}
	if value == z && u == 0 && wave == 0 {
		return 0, h, u
	}
	atRest := num.Sqrt(gravity * num.Larger(value+depth, 0)) // √(gh₀)
	incoming := -2 * atRest
	if wave != 0 {
		incoming = 2*atRest - 4*num.Sqrt(gravity*num.Larger(value+wave+depth, 0))
	}
	c, speed = num.Larger((outgoing-incoming)/4, 0), (outgoing+incoming)/2
	if speed > c {
		c, speed = third, third
	}
	thick = c * c / gravity
	return thick - h, thick, speed
}

// outflow returns what boundaryState does for an outflow of q per metre, which is at most critical, where the cell has
// thickness h and outward velocity u: Newton's method for (R - 2c) c² = gq, which decreases c from R/2, where q is 0.
func outflow[F num.Float](gravity, q, h, u F) (rise, thick, speed F) {
	c := num.Sqrt(gravity * h)
	outgoing := u + 2*c
	if u > c {
		return 0, h, u
	}
	third := num.Larger(outgoing/3, 0)
	critical := third * third / gravity
	if gravity*q >= third*third*third {
		return critical - h, critical, third
	}
	c = outgoing / 2
	for k := 0; k < 40; k++ {
		next := c - ((outgoing-2*c)*c*c-gravity*q)/(2*c*(outgoing-3*c))
		if next == c {
			break
		}
		c = num.Larger(next, third)
	}
	thick = c * c / gravity
	return thick - h, thick, outgoing - 2*c
}

// inflow returns the thickness and the outward velocity on the boundary for an inflow of q per metre, so that u + 2c
// equals the outgoing characteristic. c is the wave speed √(gh) in the cell, from which Newton's method starts. The
// inflow is at most critical: no faster than waves.
func inflow[F num.Float](gravity, q, outgoing, c F) (thick, speed F) {
	critical := F(0)
	if q > 0 {
		critical = rough.CubeRoot(gravity * q)
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
