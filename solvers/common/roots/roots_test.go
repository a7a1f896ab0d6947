package roots

import (
	"math"
	"slices"
	"testing"
)

// TestPolynomial proves that simple roots from -1 to 1 are found, and no others.
func TestPolynomial(t *testing.T) {
	for _, c := range []struct{ a, want []float64 }{
		{[]float64{.5, -2}, []float64{.25}},
		{[]float64{3, 1}, nil},
		{[]float64{1}, nil},
		{[]float64{-.25, 0, 1}, []float64{-.5, .5}},
		{[]float64{0, -.25, 0, 1, 0}, []float64{-.5, 0, .5}},
		{[]float64{.36, 0, -4.09, 0, 1}, []float64{-.3, .3}},
		{[]float64{1, 0, 1}, nil},
	} {
		got := Polynomial(c.a)
		if !slices.EqualFunc(got, c.want, func(x, y float64) bool { return math.Abs(x-y) < 1e-14 }) {
			t.Errorf("roots of %v: got %v, want %v", c.a, got, c.want)
		}
	}
}
