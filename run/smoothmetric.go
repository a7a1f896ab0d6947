package run

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/run/config"
	"github.com/atoll-hpc/atoll/solvers/smooth"
)

// smoothMetric makes the metric of a case, over the bounds of its mesh.
func smoothMetric(m *config.Metric, b smooth.Bounds) (*smooth.Metric, error) {
	var metric *smooth.Metric
	var err error
	switch m.Field {
	case "uniform":
		metric, err = smooth.Linear(b, 1, 1)
	case "linear":
		metric, err = smooth.Linear(b, m.Low, m.High)
	case "sinusoidal":
		metric, err = smooth.Sinusoidal(b, m.Low, m.High, m.Waves)
	case "sizes", "tensor":
		return sampledMetric(m, b)
	default:
		return nil, fmt.Errorf("field %q is not known", m.Field)
	}
	if err != nil || m.Samples == 0 {
		return metric, err
	}
	return metric.Discretised(m.Samples)
}

// sampledMetric evaluates expressions at the nodes of a grid.
func sampledMetric(m *config.Metric, b smooth.Bounds) (*smooth.Metric, error) {
	var first error
	metric, err := smooth.Discrete(b, m.Samples, func(x, y float64) (m11, m12, m22 float64) {
		v, err := m.Eval(x, y)
		if err == nil && m.Field == "sizes" {
			if v, err = tensorOfSizes(v[0], v[1], v[2]); err != nil {
				err = fmt.Errorf("at (%g, %g): %w", x, y, err)
			}
		}
		if err != nil {
			if first == nil {
				first = err
			}
			return math.NaN(), 0, 0
		}
		return v[0], v[1], v[2]
	})
	if first != nil {
		return nil, first
	}
	return metric, err
}

// tensorOfSizes is R diag(1/width², 1/height²) R' with the rotation R by an angle in degrees.
func tensorOfSizes(width, height, angle float64) ([3]float64, error) {
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
