package exact

import "math"

// Rank is an integer that grows with x: the greatest for a NaN, and less for -0 than for 0. 0 is the rank of nothing,
// so that zeroed memory holds the greatest of no numbers.
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

// FromRank is the number of a rank, and -∞ for 0.
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
