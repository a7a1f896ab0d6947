package verify

import "math"

// sample is what one quantity came to on several meshes that differ by their seed alone.
type sample []float64

func (s sample) mean() float64 {
	var sum float64
	for _, v := range s {
		sum += v
	}
	return sum / float64(len(s))
}

// deviation is the standard deviation of a single draw, 0 for fewer than two.
func (s sample) deviation() float64 {
	if len(s) < 2 {
		return 0
	}
	var sum float64
	mean := s.mean()
	for _, v := range s {
		sum += (v - mean) * (v - mean)
	}
	return math.Sqrt(sum / float64(len(s)-1))
}
