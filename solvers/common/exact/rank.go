package exact

import "math"

// Rank returns an integer that increases with x, so that the largest of several numbers can be found with integers. -0
// ranks below 0, and NaN above all numbers. No number has rank 0, so that zeroed memory is the maximum of no numbers.
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

// FromRank returns the number that has a rank; -∞ for rank 0.
func FromRank(rank uint64) float64 {
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
