package exact

import "math"

// OrderedBits returns the bits of x, changed such that they increase with x as an integer: so the largest of several
// numbers is found with an atomic maximum of integers. -0 comes before 0, and NaN after all numbers. The result is
// never 0, so that zeroed memory is the maximum of no numbers.
func OrderedBits(x float64) uint64 {
	if x != x {
		return 1<<64 - 1
	}
	bits := math.Float64bits(x)
	if bits>>63 != 0 {
		return ^bits
	}
	return bits | 1<<63
}

// FromOrderedBits returns the number with these ordered bits; -∞ for 0.
func FromOrderedBits(bits uint64) float64 {
	switch {
	case bits == 0:
		return math.Inf(-1)
	case bits == 1<<64-1:
		return math.NaN()
	case bits>>63 != 0:
		return math.Float64frombits(bits &^ (1 << 63))
	}
	return math.Float64frombits(^bits)
}
