package vof

import "math"

// farthest is how much longer than at a factor of 1 a step may be in slack water, in adaptive runs.
const farthest = 4

// stepTo is the length of the next of the steps that lead to the time until, and whether it is the last one.
func (s *solver[F]) stepTo(until float64) (dt float64, last bool) {
	left := until - s.t
	long := s.limit
	if s.cfg.Adaptive {
		long = s.longStep()
	}
	// A hair's breadth of room keeps rounding from adding a step to those of before.
	n := max(1, math.Ceil(left/long*(1-1e-12)))
	for s.cfg.Adaptive && left/n > s.limit && !s.fits(left/n) {
		n++
	}
	return left / n, n == 1
}

// StepsTo counts the steps that lead to a time: they do not depend on what becomes of the interface.
func (s *solver[F]) StepsTo(until float64) (least, most float64) {
	left := until - s.t
	n := max(1, math.Ceil(left/s.limit*(1-1e-12)))
	if !s.cfg.Adaptive {
		return n, n
	}
	// Of short stretches of time each has as many as its velocity needs.
	const stretches = 4096
	count := 0.0
	for k := range stretches {
		factor := math.Abs(s.flow.At(s.t + left*(float64(k)+0.5)/stretches))
		count += left / stretches / s.limit * max(factor, 1./farthest)
	}
	return min(n, math.Floor(count)), min(n, math.Ceil(1.05*count)+1)
}

// fits tells that a step keeps to the CFL number with the velocity in its middle, which is the one that it is made
// with.
func (s *solver[F]) fits(dt float64) bool { return dt*math.Abs(s.flow.At(s.t+dt/2)) <= s.limit }

// longStep is a long step that fits: the shortest one always does.
func (s *solver[F]) longStep() float64 {
	short, long := s.limit, farthest*s.limit
	if s.fits(long) || math.IsInf(long, 0) {
		return long
	}
	for range 50 {
		if middle := (short + long) / 2; s.fits(middle) {
			short = middle
		} else {
			long = middle
		}
	}
	return short
}
