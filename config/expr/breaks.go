package expr

import (
	"math"
	"slices"
)

// breaker is a part of an expression at whose zeros the expression may jump or have a kink, or, with a period, at all
// multiples of it: the difference of both sides of a comparison, an argument of step, floor or %, and the like.
type breaker struct {
	value  number
	period float64
}

func (c *compiler) breaksAt(value number, period float64) {
	c.breakers = append(c.breakers, breaker{value, period})
}

// breaksBetween adds the breakers of two terms that are compared.
func (c *compiler) breaksBetween(a, b term) {
	if f, g := a.eval, b.eval; !a.constant || !b.constant {
		c.breaksAt(func(p point) float64 { return f(p) - g(p) }, 0)
	}
}

// breaksOf adds the breakers of a function's arguments.
func (c *compiler) breaksOf(name string, args []term) {
	switch name {
	case "step", "sign", "abs":
		c.breaksBetween(args[0], literal(0))
	case "floor", "ceil":
		c.breaksAt(args[0].eval, 1)
	case "min", "max":
		for i := range args {
			for _, b := range args[:i] {
				c.breaksBetween(args[i], b)
			}
		}
	}
}

// maxBreaks bounds the result of Breaks.
const maxBreaks = 1 << 16

// Breaks returns the times after 0 up to end at which an expression over t alone may jump or have a kink, ascending, to
// a few units in the last place. Where what is compared is linear in t, or so between other breaks, none is missed,
// however close they are; elsewhere it is sampled.
func (p *Program) Breaks(end float64) []float64 {
	var all []float64
	for _, b := range p.breakers { // inner ones come before those of which they are a part
		ends := slices.Concat([]float64{0}, all, []float64{end})
		for k, hi := range ends[1:] {
			if lo := ends[k]; hi > lo && len(all) < maxBreaks {
				all = b.within(lo, hi, all)
			}
		}
		slices.Sort(all)
		all = slices.CompactFunc(all, func(a, b float64) bool { return math.Abs(a-b) <= 1e-14*a })
	}
	return all
}

// class returns a number that changes where the expression breaks.
func (b breaker) class(t float64) float64 {
	v := b.value(point{t: t})
	if b.period > 0 {
		return math.Floor(v / b.period)
	}
	return math.Copysign(1, v+0) // +0 for -0
}

// within appends the breaks between two times, between which there are no breaks of inner parts.
func (b breaker) within(lo, hi float64, all []float64) []float64 {
	at := func(share float64) float64 { return lo + share*(hi-lo) }
	q1, q2, q3 := b.value(point{t: at(.25)}), b.value(point{t: at(.5)}), b.value(point{t: at(.75)})
	if slope := 2 * (q3 - q1); math.Abs(q1+q3-2*q2) <= 1e-9*(math.Abs(q1)+math.Abs(q3)) {
		first, last := q2-slope/2, q2+slope/2 // the values at both ends
		least, most, period := min(first, last), max(first, last), max(b.period, math.Abs(slope))
		if b.period > 0 {
			period = b.period
		}
		if !(slope != 0) || (most-least)/period > maxBreaks {
			return all
		}
		for k := math.Ceil(least / period); k*period <= most; k++ {
			if b.period == 0 && k != 0 {
				continue
			}
			if t := at((k*period - first) / slope); t > lo && t <= hi {
				around := 1e-10 * (hi - lo)
				all = append(all, b.polished(max(lo, t-around), t, min(hi, t+around)))
			}
		}
		return all
	}
	const samples = 64
	for k := range samples {
		a, z := at((float64(k)+1e-9)/samples), at((float64(k)+1-1e-9)/samples)
		if b.class(a) != b.class(z) {
			all = append(all, b.polished(a, z, z))
		}
	}
	return all
}

// polished returns the time of the break between lo and hi, t if it is not found.
func (b breaker) polished(lo, t, hi float64) float64 {
	before := b.class(lo)
	if before == b.class(hi) {
		return t
	}
	for range 60 {
		if middle := (lo + hi) / 2; b.class(middle) == before {
			lo = middle
		} else {
			hi = middle
		}
	}
	return hi
}
