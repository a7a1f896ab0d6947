package vof

import "math"

// maxLengthening is how much longer than at a factor of 1 a step may be while the flow is slow, in adaptive runs.
const maxLengthening = 4

// stepTo is the length of the next of the steps that lead to the time until, and whether it is the last one.
func (s *solver[F]) stepTo(until float64) (dt float64, last bool) {
	left := until - s.t
	long := s.limit
	if s.cfg.Adaptive {
		long = s.longStep()
	}
	// The tolerance keeps round-off from adding a step.
	n := max(1, math.Ceil(left/long*(1-1e-12)))
	for s.cfg.Adaptive && left/n > s.limit && !s.fits(left/n) {
		n++
	}
	return left / n, n == 1
}

// StepsTo counts the steps that lead to a time: they do not depend on the interface.
func (s *solver[F]) StepsTo(until float64) (least, most float64) {
	left := until - s.t
	n := max(1, math.Ceil(left/s.limit*(1-1e-12)))
	if !s.cfg.Adaptive {
		return n, n
	}
	// Each of many short intervals of time has as many steps as its velocity needs.
	const intervals = 4096
	count := 0.0
	for k := range intervals {
		factor := math.Abs(s.flow.FactorAt(s.t + left*(float64(k)+0.5)/intervals))
		count += left / intervals / s.limit * max(factor, 1./maxLengthening)
	}
	return min(n, math.Floor(count)), min(n, math.Ceil(1.05*count)+1)
}

// fits tells that a step keeps to the CFL number with the velocity in its middle, which is the one that it uses.
func (s *solver[F]) fits(dt float64) bool { return dt*math.Abs(s.flow.FactorAt(s.t+dt/2)) <= s.limit }

// longStep is a long step that fits: the shortest one always does.
func (s *solver[F]) longStep() float64 {
	short, long := s.limit, maxLengthening*s.limit
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
