// Package structures has the kernels of hydraulic structures: sources, culverts, bridges, gates, breaches and pumps,
// which move water between a few cells of one layer at the start of a step.
//
// Every rank computes the discharges of all structures, from what all ranks read in the cells at their ends.
package structures

//go:generate go run github.com/atoll-hpc/atoll/kernelgen/cmd/kernelgen
//atoll:machine sm_80 sm_90

import (
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/rough"
)

// Kinds of structures.
const (
	Source  int32 = iota // a given discharge comes in at To, or is withdrawn there if it is negative
	Culvert              // the levels at both ends determine the discharge
	Pump                 // a given discharge from From to To, or out of the domain, while it is on
	Breach               // a gap in a wall, over whose crest water flows from the higher level to the lower one
	Gate                 // water flows over a sill and under a gate to the lower head
)

// End is where water leaves or enters, or is watched: Count cells, each with two readings, of which the first is First;
// none for an end outside the domain.
type End struct {
	First, Count int32
	Users        int32   // the largest number of ends that share one of the cells
	Lowest       float64 // height of the lowest bed of the cells above the datum, m
	Area         float64 // of the cells, m²
}

// Table is a function that is linear between rows: Count of them from First on.
type Table struct{ First, Count int32 }

// Structure moves water from From to To.
type Structure struct {
	Kind int32
	// Value is the index of a prescribed number: discharge of a source or a pump, m³/s; opening of a culvert, 0 to 1, or
	// of a gate, m; height of the crest of a breach above the datum, m. Length is that of the length of a breach, m.
	Value, Length int32
	From, To      End

	// Rules from Rule on, Rules of them, determine what share of Value is used. The share changes by 1 in no less than
	// Travel, s.
	Rule, Rules int32
	Travel      float64

	// Of a culvert or a bridge: see hydraulics.Barrel. InvertFrom is also the sill of a gate, and a breach is not deeper.
	InvertFrom, InvertTo float64 // heights of its bottom above the datum, m
	Inlet, Critical      Table   // over the head above the invert, m: discharge of a barrel, m³/s, and critical depth, m
	Flow, Friction       Table   // over the depth in the barrel, m: area of the flow, m², and n²L/R^(4/3), s²/m
	Loss                 float64 // of entry and exit, over 2g: s²/m
	Height, Barrels      float64 // of a barrel, m, and their number
	OneWay               bool    // a flap keeps water from flowing back
	Deck                 float64 // height of a bridge's deck, or of the top of a closed gate, above the datum, m
	Crest                float64 // weir coefficient times the length of the deck, m^1.5/s; of a breach the former alone

	// Of a gate: √(2g) times its width, m^1.5/s, that width, m, the depth of the jet under it over its opening, and the
	// first readings of motion at its ends: see Probe.
	Jet, Span, Contraction float64
	FromMotion, ToMotion   int32
	X, Y                   float64 // its direction, from From to To

	// A ruled breach opens for good when the water at one of its ends has risen to Start, m. Bottom and Width are then the
	// height of its crest and its length, in place of Value and Length, over the time since.
	Start         float64
	Ruled         bool
	Bottom, Width Table
}

// Operation is what a structure does in a step.
type Operation struct {
	Discharge float64 // mean over the step, from From to To, m³/s
	Ahead     float64 // the largest one to be expected until the end of the next two steps, at least 0, m³/s
	Total     float64 // volume since the start, m³
	On        float64 // 1 when a ruled breach has opened
	Since     float64 // time at which a ruled breach has opened, s
	Share     float64 // what rules let the structure use of Value, from 0 to 1
	Setting   float64 // Value times Share of a culvert or a gate, and Share of a pump
	Speed     float64 // with which water comes out of an open gate, to To, m/s
}

// Rule determines what share of its opening or capacity a structure uses, by a level at Watched above the datum, m,
// less one at Against unless that has no cells, or by the discharge through the line of Watched, m³/s. With a Table
// it is that of the number. Else it is 1 from Start on and 0 below Stop, or, if Stop is above Start, 1 down from
// Start and 0 above Stop; in between as it was.
type Rule struct {
	Watched, Against End
	Flow             bool // the discharge
	Start, Stop      float64
	Table            Table
}

// Place is a cell of an end of structure Structure.
type Place struct {
	Cell, Structure int32
	Reading         int32 // index of the volume in its cell among the readings
	To              bool  // whether the end is To
}

// Probe is a cell in which all ranks know the water: as index Reading of the readings the volume in m³, and as the next
// one that times the height of the surface above Lowest, m⁴; of a line through the cell, whose normal has the length of
// the line in it, the discharge through it in m³/s, and that against it. At a gate, whose direction times the root of
// the cell's area is the normal, the motion: the volume times u², m⁵/s², with the velocity u along the gate, where this
// is positive, and where it is negative. No reading is negative.
type Probe struct {
	Cell, Reading int32
	Lowest        float64
	X, Y          float64 // the normal, m; 0 for none
	Motion        bool
}

// Moved is the volume that has come into a place since the start, m³. Pending is what a number of the precision of the
// state could not express so far.
type Moved struct{ Volume, Pending float64 }

// Spot is a cell with places, Count of them from First on, and the distance that waves may go in it in a step, m.
type Spot struct {
	Cell, First, Count int32
	Way                float64
}

// Read reads the water at probe k.
//
//atoll:kernel
func Read[F num.Float](k int, probes []Probe, beds []kernels.Bed[F], w []kernels.State[F], readings []float64) {
	p := probes[k]
	bed, c := beds[p.Cell], w[p.Cell]
	h := float64(num.Larger(c.H2, 0))
	volume := h * float64(bed.Area)
	moment := volume * num.Larger(h-float64(bed.Depth)-p.Lowest, 0)
	if p.X != 0 || p.Y != 0 {
		q := float64(c.Q2x)*p.X + float64(c.Q2y)*p.Y
		if p.Motion && h > 0 {
			q *= num.Abs(q) / h
		} else if p.Motion {
			q = 0
		}
		volume, moment = num.Larger(q, 0), num.Larger(-q, 0)
	}
	readings[p.Reading], readings[p.Reading+1] = volume, moment
}

// Operate computes the discharge of structure k. At most half of the water at an end leaves in a step, shared among the
// structures there.
//
//atoll:kernel
func Operate[F num.Float](k int, list []Structure, rules []Rule, rows []kernels.Row, readings []float64,
	prescribed, ahead []F, clock *kernels.Clock[F], limit *atomics.Least[F], operations []Operation, on []float64) {
	now := clock.AtStepStart(limit)
	if now.Stop {
		return
	}
	dt := float64(now.Dt)
	s, o := list[k], operations[k]
	from, fromLevel := s.From.state(readings)
	to, toLevel := s.To.state(readings)
	q := float64(prescribed[s.Value])
	o.Ahead = num.Larger(num.Larger(q, float64(ahead[s.Value])), 0)
	if dt == 0 {
		o.Share = -1 // it begins where the rules want it
	}
	o.Share = s.share(o.Share, rules, rows, readings, on, dt)
	q *= o.Share
	o.Setting = q
	switch s.Kind {
	case Culvert:
		q *= s.culvert(rows, from, fromLevel, to, toLevel, dt)
		o.Ahead = 2 * num.Abs(q)
	case Breach:
		crest, weir := q, s.Crest*float64(prescribed[s.Length])
		if s.Ruled {
			if o.On == 0 && (from > 0 && fromLevel >= s.Start || to > 0 && toLevel >= s.Start) {
				o.On, o.Since = 1, now.Time
			}
			middle := now.Time - o.Since + dt/2
			crest, weir = s.Bottom.at(rows, middle), s.Crest*o.On*s.Width.at(rows, middle)
		}
		crest = num.Larger(crest, s.InvertFrom)
		if toLevel > fromLevel {
			q = -s.over(crest, weir, toLevel, fromLevel, dt)
		} else {
			q = s.over(crest, weir, fromLevel, toLevel, dt)
		}
		o.Ahead = 2 * num.Abs(q)
	case Gate:
		q, o.Speed = s.gate(q, o.Discharge, readings, from, fromLevel, to, toLevel, dt)
		o.Ahead = 2 * num.Abs(q)
	case Pump:
		o.Setting = o.Share
	}
	if q > 0 {
		q = s.From.most(q, from, dt)
	} else if q < 0 {
		q = -s.To.most(-q, to, dt)
	}
	o.Discharge = q
	o.Total += q * dt
	operations[k] = o
}

// share returns what the rules let the structure use of its opening or capacity: the least of their shares, but no
// farther from the share before, unless that is negative, than it moves in a step of length dt.
func (s *Structure) share(before float64, rules []Rule, rows []kernels.Row, readings, on []float64,
	dt float64) float64 {
	share := 1.0
	for n := s.Rule; n < s.Rule+s.Rules; n++ {
		r := rules[n]
		number := r.number(readings)
		if r.Table.Count > 0 {
			on[n] = r.Table.at(rows, number)
		} else {
			on[n] = r.state(number, on[n], before < 0)
		}
		share = num.Smaller(share, on[n])
	}
	if before < 0 || s.Travel == 0 {
		return share
	}
	return num.Larger(num.Smaller(share, before+dt/s.Travel), before-dt/s.Travel)
}

// number returns what the rule watches.
func (r *Rule) number(readings []float64) float64 {
	if r.Flow {
		forward, backward := r.Watched.sums(readings)
		return forward - backward
	}
	_, level := r.Watched.state(readings)
	if r.Against.Count > 0 {
		_, other := r.Against.state(readings)
		level -= other
	}
	return level
}

// state returns the share of a rule without a table, from that before; at first that after a rise from far below.
func (r *Rule) state(number, before float64, first bool) float64 {
	start, stop := r.Start, r.Stop
	falls := stop > start
	if falls {
		number, start, stop = -number, -start, -stop
	}
	if number >= start {
		return 1
	}
	if number < stop || first && !falls {
		return 0
	}
	if first {
		return 1
	}
	return before
}

// most returns what may leave of a discharge q in a step of length dt if the end, unless it is outside of the domain,
// has a volume of water.
func (e *End) most(q, volume, dt float64) float64 {
	if e.Count == 0 || dt == 0 && volume > 0 {
		return q
	}
	if volume == 0 {
		return 0
	}
	return num.Smaller(q, volume/(2*float64(e.Users)*dt))
}

// state returns the volume of the water at an end, m³, and its mean level above the datum, m; the lowest bed's if it is
// dry.
func (e *End) state(readings []float64) (volume, level float64) {
	volume, moment := e.sums(readings)
	level = e.Lowest
	if volume > 0 {
		level += moment / volume
	}
	return volume, level
}

// sums returns the sums of both readings of an end's cells.
func (e *End) sums(readings []float64) (first, second float64) {
	for n := int32(0); n < e.Count; n++ {
		first += readings[e.First+2*n]
		second += readings[e.First+2*n+1]
	}
	return first, second
}

// culvert returns the discharge of a culvert in m³/s: the smaller one of what its inlet takes and of what its losses
// permit (M. J. Boyd, "Head-discharge relations for culverts", Monier Rocla Technical Journal, 1987). In a step levels
// approach each other by at most half of their difference.
func (s *Structure) culvert(rows []kernels.Row, from, fromLevel, to, toLevel, dt float64) float64 {
	sign, volume, up, down, inlet, outlet := 1.0, from, fromLevel, toLevel, s.InvertFrom, s.InvertTo
	if toLevel > fromLevel {
		if s.OneWay {
			return 0
		}
		sign, volume, up, down, inlet, outlet = -1, to, toLevel, fromLevel, s.InvertTo, s.InvertFrom
	}
	head := up - inlet
	if head <= 0 || volume <= 0 {
		return 0
	}
	most := s.Inlet.at(rows, head)
	critical := s.Critical.at(rows, head)
	depth := num.Smaller(num.Larger(critical, down-outlet), s.Height)
	fall := up - num.Larger(down, outlet+critical)
	if fall <= 0 {
		return 0
	}
	flow := s.Flow.at(rows, depth) * s.Barrels
	q := num.Smaller(most*s.Barrels, flow*num.Sqrt(fall/(s.Loss+s.Friction.at(rows, depth))))
	if dt > 0 {
		both := s.From.Area * s.To.Area / (s.From.Area + s.To.Area) // of which the fall times is what makes levels equal
		q = num.Smaller(q, fall*both/(2*dt))
	}
	if s.Crest > 0 {
		q += s.over(s.Deck, s.Crest, up, down, dt)
	}
	return sign * q
}

// over returns the discharge over a crest, such as the deck of a bridge, a broad-crested weir: C L H^1.5 until the
// water behind stands at two thirds of the head H, and then, continuously, 3√3/2 C L Y √(H - Y) with the height Y of
// the water behind (flow with the depth Y and the velocity head H - Y). weir is C L, in m^1.5/s. In a step levels
// approach each other by at most a quarter of their difference.
func (s *Structure) over(crest, weir, up, down, dt float64) float64 {
	head, behind := up-crest, num.Larger(down-crest, 0)
	if head <= behind {
		return 0
	}
	q := weir * head * num.Sqrt(head)
	if 3*behind > 2*head {
		q = weir * (1.5 * 1.7320508075688772) * behind * num.Sqrt(head-behind)
	}
	if dt > 0 {
		q = num.Smaller(q, (head-behind)*(s.From.Area*s.To.Area/(s.From.Area+s.To.Area))/(4*dt))
	}
	return q
}

// gate returns the discharge of a gate of an opening in m, and the velocity with which water comes out of it as far as
// it is open, from the discharge of the step before. To and fro, water flows to where the head drives it.
func (s *Structure) gate(opening, before float64, readings []float64, from, fromLevel, to, toLevel, dt float64) (
	q, speed float64) {
	open := s.openShare(opening, num.Larger(fromLevel, toLevel))
	forth := open * s.velocityHead(s.From.sum(s.FromMotion, readings), from)
	back := open * s.velocityHead(s.To.sum(s.ToMotion+1, readings), to)
	if fromLevel+forth-toLevel >= toLevel+back-fromLevel {
		return s.under(opening, open, num.Larger(before, 0), fromLevel, forth, toLevel, dt)
	}
	if s.OneWay {
		return 0, 0
	}
	q, speed = s.under(opening, open, num.Larger(-before, 0), toLevel, back, fromLevel, dt)
	return -q, -speed
}

// openShare returns the share of a gate's flow that is that of an open channel: 1 while the gate is above the water, 0
// where the water is deeper than 5/4 of the opening, and linear in between (HEC-RAS, Hydraulic Reference Manual:
// transition from weir to gate flow). A closed gate has none.
func (s *Structure) openShare(opening, level float64) float64 {
	const transition = .25
	depth := level - s.InvertFrom
	switch {
	case opening <= 0:
		return 0
	case depth <= opening:
		return 1
	}
	return num.Larger(1-(depth-opening)/(transition*opening), 0)
}

// velocityHead returns the mean velocity head of a volume of water at an end of a gate, in m, from its motion.
func (s *Structure) velocityHead(motion, volume float64) float64 {
	if !(volume > 0) {
		return 0
	}
	share := s.Span / s.Jet // 1/√(2g)
	return motion / volume * (share * share)
}

// sum returns the sum of every second one of the readings from first on, one for each cell of an end.
func (e *End) sum(first int32, readings []float64) (sum float64) {
	for n := int32(0); n < e.Count; n++ {
		sum += readings[first+2*n]
	}
	return sum
}

// under returns the discharge under and over a gate of an opening in m, with a level in front and one behind, and the
// velocity with which water comes out of it as far as it is open. Of the share that is open, the head is higher by that
// of the water's velocity, the gate does not make the jet thinner, and most of the discharge before is supplied to its
// ends as it was.
func (s *Structure) under(opening, open, before, up, rise, down, dt float64) (q, speed float64) {
	const supplied = .75 // more would leave oscillations between small ends undamped
	head, behind := up-s.InvertFrom, num.Larger(down-s.InvertFrom, 0)
	q, _ = s.jet(s.Contraction*opening, head, behind, 0, dt)
	if open > 0 {
		free, depth := s.jet(head+rise, head+rise, behind, supplied*before, dt)
		q += open * (free - q)
		if free > 0 {
			speed = open * free / (s.Span * depth)
		}
	}
	if s.Crest > 0 {
		q += s.over(s.Deck+opening, s.Crest, up, down, dt)
	}
	return q, speed
}

// jet returns the discharge over a sill, and the depth of the flow there, which is at most thickest. With the head E
// and the depth behind Y above the sill the discharge is W y √(2g (E - max(Y, y))) with the depth y = max(Y, 2E/3) of
// a drowned or critical flow, or the thickest. The levels of both ends are those at the end of the step, closer to each
// other by dt/both times what the discharge is more than that supplied.
func (s *Structure) jet(thickest, head, behind, supplied, dt float64) (q, depth float64) {
	depth = num.Smaller(num.Larger(behind, 2*head/3), thickest)
	fall := head - num.Larger(behind, depth)
	if !(fall > 0 && depth > 0) {
		return 0, depth
	}
	both := s.From.Area * s.To.Area / (s.From.Area + s.To.Area)
	most := s.Jet * depth // of the root of the fall
	half := most * most * dt / (2 * both)
	fall += num.Smaller(supplied*dt/both, fall) // it does not keep water flowing between equal levels
	return most * most * fall / (half + num.Sqrt(half*half+most*most*fall)), depth
}

// at returns the value at x, on the line through the last two rows beyond them.
func (t *Table) at(rows []kernels.Row, x float64) float64 {
	return kernels.Interpolate(rows, t.First, t.Count, x)
}

// Transfer moves the water of the structures in the cell of spot k, and bounds the length of the next step by what
// comes in: as for rain on dry ground, waves on it do not go farther than the CFL condition permits. Water leaves with
// its velocity, and comes in without one, but out of an open gate with that which it has there.
//
//atoll:kernel
func Transfer[F num.Float](k int, spots []Spot, places []Place, list []Structure, operations []Operation,
	readings []float64, gravity float64, beds []kernels.Bed[F], clock *kernels.Clock[F], limit, next *atomics.Least[F],
	w []kernels.State[F], moved []Moved) {
	now := clock.AtStepStart(limit)
	if now.Stop {
		return
	}
	dt := float64(now.Dt)
	spot := spots[k]
	c, area, rate := w[spot.Cell], float64(beds[spot.Cell].Area), 0.0
	for n := spot.First; n < spot.First+spot.Count; n++ {
		p := places[n]
		s, o := list[p.Structure], operations[p.Structure]
		end, inflow := s.From, -o.Discharge
		if p.To {
			end, inflow = s.To, o.Discharge
		}
		volume := inflow * dt
		if inflow < 0 {
			all, _ := end.state(readings)
			volume *= readings[p.Reading] / all
		} else {
			volume *= area / end.Area
		}
		if inflow > 0 || p.To && (s.Kind == Source || s.Kind == Pump) {
			rate += o.Ahead / end.Area
		}
		m := moved[n]
		before := c.H2
		c.H2 = F(num.Larger(float64(before)+(m.Pending+volume)/area, 0))
		if inflow < 0 && before > 0 {
			share := c.H2 / before
			c.Q2x, c.Q2y = c.Q2x*share, c.Q2y*share
		}
		if inflow > 0 && s.Kind == Gate {
			carried := (c.H2 - before) * F(o.Speed)
			c.Q2x, c.Q2y = c.Q2x+carried*F(s.X), c.Q2y+carried*F(s.Y)
		}
		change := (float64(c.H2) - float64(before)) * area
		m.Volume += change
		m.Pending += volume - change
		moved[n] = m
	}
	w[spot.Cell] = c
	if rate > 0 {
		next.Take(rough.CubeRoot(F(spot.Way * spot.Way / (gravity * rate))))
	}
}
