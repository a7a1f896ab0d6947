// Package roots finds the roots of polynomials.
package roots

import "slices"

// Polynomial returns the roots of Σ a[k]·x^k from -1 to 1, by bisection between the roots of the derivative. A double
// root may be missed.
func Polynomial(a []float64) []float64 {
	for len(a) > 1 && a[len(a)-1] == 0 {
		a = a[:len(a)-1]
	}
	if len(a) < 2 {
		return nil
	}
	slope := make([]float64, len(a)-1)
	for k := range slope {
		slope[k] = float64(k+1) * a[k+1]
	}
	value := func(x float64) float64 {
		v := 0.0
		for _, c := range slices.Backward(a) {
			v = v*x + c
		}
		return v
	}
	var found []float64
	x0 := -1.0
	v0 := value(x0)
	for _, x1 := range append(Polynomial(slope), 1) {
		v1 := value(x1)
		if v0 < 0 != (v1 < 0) {
			found = append(found, bisect(value, x0, x1, v0))
		}
		x0, v0 = x1, v1
	}
	return found
}

// bisect returns the sign change of f between x0 and x1; v0 is f(x0).
func bisect(f func(x float64) float64, x0, x1, v0 float64) float64 {
	for x1-x0 > 1e-15 {
		x := (x0 + x1) / 2
		if x <= x0 || x >= x1 {
			break
		}
		if f(x) < 0 == (v0 < 0) {
			x0 = x
		} else {
			x1 = x
		}
	}
	return (x0 + x1) / 2
}
