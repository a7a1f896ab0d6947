package main

import (
	"math"
	"slices"
)

// leastPairs is the least number of values for which the median has a 95% interval.
const leastPairs = 6

// median returns the median of values and its 95% interval: the k-th least and the k-th largest value, where k is the
// largest for which, of so many tosses of a coin, fewer than k heads come with a probability of at most 2.5%. That
// holds for values of any distribution that are independent (H. A. David and H. N. Nagaraja, Order Statistics, 2003,
// section 7.1); 15 values have the 4th and the 12th, and 96.5%. Fewer than leastPairs have no interval: it is that of
// all of them then.
func median(values []float64) (middle, low, high float64) {
	v := slices.Sorted(slices.Values(values))
	n := len(v)
	middle = (v[(n-1)/2] + v[n/2]) / 2
	k := max(rank(n), 1)
	return middle, v[k-1], v[n-k]
}

// rank is k of the interval of n values, 0 where there is none.
func rank(n int) (k int) {
	probability := math.Pow(.5, float64(n)) // of exactly k heads
	for below := 0.0; ; k++ {
		if below += probability; below > .025 {
			return k
		}
		probability *= float64(n-k) / float64(k+1)
	}
}
