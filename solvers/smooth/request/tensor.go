package request

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
)

// Adjusted counts how often the metric that a case requests had to be changed.
type Adjusted struct {
	Fields  int // number of fields from whose Hessians the metric was made
	Samples int // vertices of a mesh, or nodes of a grid, at which it was evaluated; 0 if nothing can change it
	Bounded int // samples changed by hmin, hmax or aspect; summed over fields
	Raised  int // samples at which the Hessian was too small for a metric, and was raised; summed over fields
	Graded  int // samples changed by gradation

	// OffGrid is the interpolation error of a metric on a grid: the largest relative difference, between its nodes,
	// of lengths from those requested. It falls with the square of the spacing, except at a discontinuity.
	OffGrid float64
}

// BoundsOf returns the bounds of sizes of a case.
func BoundsOf(m *Metric) metric.Bounds {
	return metric.Bounds{Min: m.HMin, Max: m.HMax, Aspect: m.Aspect}
}

// TensorAt evaluates the expressions of sizes or of a tensor; the result is the lower triangle row by row.
func TensorAt(m *Metric, x, y, z float64) (t metric.Tensor, err error) {
	v, err := m.Eval(x, y, z)
	if err != nil || m.Field != "sizes" {
		return v, err
	}
	flat, err := TensorOfSizes(v[0], v[1], v[2])
	copy(t[:], flat[:])
	if err == nil && m.Space() {
		if t[5] = 1 / (v[3] * v[3]); !(v[3] > 0) {
			err = fmt.Errorf("depth = %g must be above 0", v[3])
		}
	}
	switch {
	case err != nil && m.Space():
		err = fmt.Errorf("at (%g, %g, %g): %w", x, y, z, err)
	case err != nil:
		err = fmt.Errorf("at (%g, %g): %w", x, y, err)
	}
	return t, err
}

// TensorOfSizes is R diag(1/width², 1/height²) R' with the rotation R by an angle in degrees.
func TensorOfSizes(width, height, angle float64) ([3]float64, error) {
	if !(width > 0) || !(height > 0) {
		return [3]float64{}, fmt.Errorf("width = %g and height = %g must be above 0", width, height)
	}
	a, c := 1/(width*width), 1/(height*height)
	if angle == 0 {
		return [3]float64{a, 0, c}, nil
	}
	sin, cos := math.Sincos(angle * math.Pi / 180)
	return [3]float64{a*cos*cos + c*sin*sin, (a - c) * sin * cos, a*sin*sin + c*cos*cos}, nil
}
