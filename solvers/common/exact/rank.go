package exact

import "math"

// Rank is a number that grows with x: above it for a NaN, and lower for -0 than for 0. So the greatest of many numbers is
// found by integers that are never below, and 0 is the rank of nothing.
func Rank(x float64) uint64 {
	if x != x {
		return 1<<64 - 1
	}
	bits := math.Float64bits(x)
	if bits>>63 != 0 {
		return ^bits
	}
	return bits | 1<<63
}

// Ranked is the number of a rank, and -∞ for 0.
func Ranked(rank uint64) float64 {
	switch {
	case rank == 0:
		return math.Inf(-1)
	case rank == 1<<64-1:
		return math.NaN()
	case rank>>63 != 0:
		return math.Float64frombits(rank &^ (1 << 63))
	}
	return math.Float64frombits(^rank)
}
