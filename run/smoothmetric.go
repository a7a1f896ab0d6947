package run

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/run/config"
	"github.com/atoll-hpc/atoll/solvers/smooth"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
)

// smoothMetric makes the metric of a case, over the bounds of its mesh.
func smoothMetric(ctx context.Context, m *config.Metric, b smooth.Bounds) (*smooth.Metric, error) {
	var made *smooth.Metric
	var err error
	switch m.Field {
	case "uniform":
		made, err = smooth.Linear(b, 1, 1)
	case "linear":
		made, err = smooth.Linear(b, m.Low, m.High)
	case "sinusoidal":
		made, err = smooth.Sinusoidal(b, m.Low, m.High, m.Waves)
	case "sizes", "tensor":
		return sampledMetric(ctx, m, b)
	default:
		return nil, fmt.Errorf("field %q is not known", m.Field)
	}
	if err != nil || m.Samples == 0 {
		return made, err
	}
	return made.Discretised(m.Samples)
}

// sampledMetric evaluates expressions at the nodes of a grid, unless the run is to end.
func sampledMetric(ctx context.Context, m *config.Metric, b smooth.Bounds) (*smooth.Metric, error) {
	var first error
	limits := boundsOf(m)
	calls := 0
	made, err := smooth.Discrete(b, m.Samples, func(x, y float64) (m11, m12, m22 float64) {
		if calls++; calls%1024 == 0 && ctx.Err() != nil {
			first = ctx.Err()
			return math.NaN(), 0, 0
		}
		t, err := tensorAt(m, x, y)
		if err == nil && limits != (metric.Bounds{}) {
			if err = t.Check(2); err == nil {
				t = t.Within(2, limits)
			}
		}
		if err != nil {
			first = err
			return math.NaN(), 0, 0
		}
		return t[0], t[1], t[2]
	})
	if first != nil {
		return nil, first
	}
	return made, err
}

func boundsOf(m *config.Metric) metric.Bounds {
	return metric.Bounds{Min: m.HMin, Max: m.HMax, Aspect: m.Aspect}
}

// tensorAt evaluates the expressions of sizes or of a tensor.
func tensorAt(m *config.Metric, x, y float64) (metric.Tensor, error) {
	v, err := m.Eval(x, y)
	if err == nil && m.Field == "sizes" {
		if v, err = tensorOfSizes(v[0], v[1], v[2]); err != nil {
			err = fmt.Errorf("at (%g, %g): %w", x, y, err)
		}
	}
	return metric.Tensor{v[0], v[1], v[2]}, err
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
