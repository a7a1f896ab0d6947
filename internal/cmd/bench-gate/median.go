package main

import (
	"math"
	"slices"
)

// minPairs is the least number of values for which the median has a 95% interval.
const minPairs = 6

// median returns the median of n values and its 95% interval, from the k-th least to the k-th largest value: k is the
// largest number for which n tosses of a coin give fewer than k heads with a probability of at most 2.5%. The interval
// holds for independent values of any distribution (H. A. David and H. N. Nagaraja, Order Statistics, 2003, section
// 7.1). For 15 values it is from the 4th to the 12th, with 96.5%. For fewer than minPairs values there is no such k:
// low and high are then the least and the largest value.
func median(values []float64) (middle, low, high float64) {
	v := slices.Sorted(slices.Values(values))
	n := len(v)
	middle = (v[(n-1)/2] + v[n/2]) / 2
	k := max(rank(n), 1)
	return middle, v[k-1], v[n-k]
}

// rank returns k of the interval of n values, 0 if there is none.
func rank(n int) (k int) {
	probability := math.Pow(.5, float64(n)) // of exactly k heads
	for below := 0.0; ; k++ {
		if below += probability; below > .025 {
			return k
		}
		probability *= float64(n-k) / float64(k+1)
	}
}
