package scale

import "math"

// features of a rank on which the time of its computations may depend: a constant, its cells, its ghosts, and what some
// of its cells cost more than others.
const features = 4

func (w *World) features(rank int) [features]float64 {
	return [features]float64{1, float64(w.Cells[rank]), float64(w.Ghosts[rank]), w.Extra[rank]}
}

// sample is a measured time in s of a rank with some features.
type sample struct {
	of   [features]float64
	time float64
}

// law is a time in s that is linear in the features, with coefficients that are not negative.
type law [features]float64

func (l *law) at(f [features]float64) (s float64) {
	for k, c := range l {
		s += c * f[k]
	}
	return s
}

// fit returns the law with the least relative errors, of the laws in some of the features. A further feature must
// lower the squares by a fifth; ghosts, of which other ranks have more than the few that are timed, to a quarter.
func fit(samples []sample) (best law) {
	mean := 0.0
	for _, s := range samples {
		mean += s.time / float64(len(samples))
	}
	if mean == 0 {
		return best
	}
	const ghosts = 2
	const furtherFeature, furtherGhosts = 1.25, 4
	least := math.Inf(1)
	for chosen := 1; chosen < 1<<features; chosen++ {
		l, ok := solve(samples, chosen, mean)
		if !ok {
			continue
		}
		squares := 1e-12
		for _, s := range samples {
			off := (l.at(s.of) - s.time) / (s.time + .1*mean)
			squares += off * off
		}
		for k := range features {
			switch {
			case chosen>>k&1 == 0:
			case k == ghosts:
				squares *= furtherGhosts
			default:
				squares *= furtherFeature
			}
		}
		if squares < least {
			least, best = squares, l
		}
	}
	return best
}

// solve fits the chosen features; ok is false if a coefficient is negative or the samples do not determine them.
func solve(samples []sample, chosen int, mean float64) (l law, ok bool) {
	var index []int
	for k := range features {
		if chosen>>k&1 == 1 {
			index = append(index, k)
		}
	}
	n := len(index)
	var scale [features]float64
	for _, s := range samples {
		for k := range features {
			scale[k] = max(scale[k], s.of[k])
		}
	}
	a := make([][features + 1]float64, n) // normal equations
	for _, s := range samples {
		weight := 1 / (s.time + .1*mean)
		for i, p := range index {
			if scale[p] == 0 {
				return l, false
			}
			for j, q := range index {
				a[i][j] += weight * s.of[p] / scale[p] * weight * s.of[q] / scale[q]
			}
			a[i][n] += weight * s.of[p] / scale[p] * weight * s.time
		}
	}
	for i := range n {
		pivot := i
		for r := i; r < n; r++ {
			if math.Abs(a[r][i]) > math.Abs(a[pivot][i]) {
				pivot = r
			}
		}
		a[i], a[pivot] = a[pivot], a[i]
		if math.Abs(a[i][i]) < 1e-9*float64(len(samples))/(mean*mean) {
			return l, false
		}
		for r := range n {
			if r != i {
				factor := a[r][i] / a[i][i]
				for c := i; c <= n; c++ {
					a[r][c] -= factor * a[i][c]
				}
			}
		}
	}
	for i, p := range index {
		c := a[i][n] / a[i][i]
		if c < 0 {
			return l, false
		}
		l[p] = c / scale[p]
	}
	return l, true
}
