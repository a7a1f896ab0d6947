package expr

import "math"

// Interval is the numbers from Lo to Hi. Its arithmetic rounds as float64 does, not outward.
type Interval struct{ Lo, Hi float64 }

var everything = Interval{math.Inf(-1), math.Inf(1)}

// Has reports whether v is in the interval.
func (a Interval) Has(v float64) bool { return a.Lo <= v && v <= a.Hi }

// Size is the largest absolute value in the interval.
func (a Interval) Size() float64 { return max(math.Abs(a.Lo), math.Abs(a.Hi)) }

func exactly(v float64) Interval { return Interval{v, v} }

func (a Interval) plus(b Interval) Interval { return Interval{a.Lo + b.Lo, a.Hi + b.Hi}.orEverything() }
func (a Interval) minus(b Interval) Interval {
	return Interval{a.Lo - b.Hi, a.Hi - b.Lo}.orEverything()
}
func (a Interval) negative() Interval       { return Interval{-a.Hi, -a.Lo} }
func (a Interval) hull(b Interval) Interval { return Interval{min(a.Lo, b.Lo), max(a.Hi, b.Hi)} }

// orEverything replaces an interval without a limit.
func (a Interval) orEverything() Interval {
	if a.Lo <= a.Hi {
		return a
	}
	return everything
}

func (a Interval) times(b Interval) Interval {
	p, q, r, s := product(a.Lo, b.Lo), product(a.Lo, b.Hi), product(a.Hi, b.Lo), product(a.Hi, b.Hi)
	return Interval{min(p, q, r, s), max(p, q, r, s)}.orEverything()
}

// product is a·b, and 0 if one of them is 0 and the other infinite, as a limit of an interval.
func product(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}

func (a Interval) over(b Interval) Interval {
	if b.Has(0) {
		return everything
	}
	return a.times(Interval{1 / b.Hi, 1 / b.Lo})
}

func (a Interval) square() Interval {
	lo, hi := a.Lo*a.Lo, a.Hi*a.Hi
	if a.Has(0) {
		return Interval{0, max(lo, hi)}
	}
	return Interval{min(lo, hi), max(lo, hi)}.orEverything()
}

// increasing returns the values of an increasing function.
func (a Interval) increasing(f func(float64) float64) Interval {
	return Interval{f(a.Lo), f(a.Hi)}.orEverything()
}

// sine returns the values of sin(x + phase).
func (a Interval) sine(phase float64) Interval {
	lo, hi := a.Lo+phase, a.Hi+phase
	if !(hi-lo < 2*math.Pi) {
		return Interval{-1, 1}
	}
	out := Interval{math.Sin(lo), math.Sin(hi)}
	if out.Lo > out.Hi {
		out.Lo, out.Hi = out.Hi, out.Lo
	}
	if reaches(lo, hi, math.Pi/2) {
		out.Hi = 1
	}
	if reaches(lo, hi, -math.Pi/2) {
		out.Lo = -1
	}
	return out
}

// reaches reports whether an angle is, but for turns, between lo and hi.
func reaches(lo, hi, angle float64) bool {
	return angle+2*math.Pi*math.Ceil((lo-angle)/(2*math.Pi)) <= hi
}
