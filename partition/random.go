package partition

import "math/bits"

// splitMix is the SplitMix64 generator (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
// OOPSLA 2014). It is implemented here, since a library might change what a seed gives.
type splitMix uint64

func (s *splitMix) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a uniformly distributed number in 0..n-1 (Lemire, "Fast random integer generation in an interval",
// 2019).
func (s *splitMix) below(n uint64) uint64 {
	high, low := bits.Mul64(s.next(), n)
	for reject := -n % n; low < reject; {
		high, low = bits.Mul64(s.next(), n)
	}
	return high
}

// shuffled is a uniformly random permutation of 0..n-1 (Fisher and Yates).
func shuffled(n int, seed uint64) []int32 {
	perm := identity(n)
	random := splitMix(seed)
	for i := n - 1; i > 0; i-- {
		j := random.below(uint64(i) + 1)
		perm[i], perm[j] = perm[j], perm[i]
	}
	return perm
}
