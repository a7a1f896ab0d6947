package smooth

import (
	"fmt"
	"math"
)

// Sampled is Discrete, and tells how far lengths in the metric, at worst, are from those that at gives: a share, found
// by looking at the middle of every box of the grid, and so where a bilinear tensor is farthest from a smooth one. Half
// the spacing brings a quarter of the error where the metric is smooth. A jump cannot be had: there the error is as
// large as the jump, however many nodes there are.
func Sampled(b Bounds, n int, at func(x, y float64) (m11, m12, m22 float64)) (*Metric, float64, error) {
	m, err := Discrete(b, n, at)
	if err != nil {
		return nil, 0, err
	}
	worst := 0.0
	for j := range n - 1 {
		y := node(b.Y0, b.Y1, 2*j+1, 2*(n-1))
		for i := range n - 1 {
			x := node(b.X0, b.X1, 2*i+1, 2*(n-1))
			m11, m12, m22 := at(x, y)
			if !positive(m11, m12, m22) {
				return nil, 0, fmt.Errorf("the metric at (%g, %g) is not positive definite: m11 = %g, m12 = %g, m22 = %g", x, y,
					m11, m12, m22)
			}
			s11, s12, s22 := m.At(x, y)
			worst = max(worst, stretch(m11, m12, m22, s11, s12, s22))
		}
	}
	return m, worst, nil
}

// stretch is the largest share by which lengths in two metrics differ, of the smaller length.
func stretch(a11, a12, a22, b11, b12, b22 float64) float64 {
	// The eigenvalues of inv(a)·b are the squares of the ratios of lengths. Their product is det b / det a, and the
	// square of half their difference is left of that of half their sum.
	det := a11*a22 - a12*a12
	half := ((a22*b11-a12*b12)/det + (a11*b22-a12*b12)/det) / 2
	product := (b11*b22 - b12*b12) / det
	high := half + math.Sqrt(max(0, half*half-product))
	low := product / high
	return max(math.Sqrt(high), 1/math.Sqrt(low)) - 1
}
