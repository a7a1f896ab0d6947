package run

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/run/config"
	"github.com/atoll-hpc/atoll/solvers/smooth"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
)

// HeldBack counts the places at which a metric is not what was asked for.
type HeldBack struct {
	Places  int // vertices of a mesh, or nodes of a grid; 0 where nothing could hold the metric back
	Bounded int // by hmin, hmax or aspect; with two fields, the places of both
	Raised  int // with second derivatives too small to make a metric
	Graded  int // by gradation
}

// smoothMetric makes the metric of a case, over the bounds of its mesh.
func smoothMetric(ctx context.Context, m *config.Metric, b smooth.Bounds, held *HeldBack) (*smooth.Metric, error) {
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
		return sampled(ctx, m, 2, held, func(at func(x, y, z float64) smooth.Six) (*smooth.Metric, error) {
			return smooth.Discrete(b, m.Samples, func(x, y float64) (m11, m12, m22 float64) {
				t := at(x, y, 0)
				return t[0], t[1], t[3]
			})
		})
	default:
		return nil, fmt.Errorf("field %q is not known", m.Field)
	}
	if err != nil || m.Samples == 0 {
		return made, err
	}
	return made.Discretised(m.Samples)
}

// sampled lets a grid be made of the expressions of a metric, unless the run is to end. What it is told after an error
// is no metric.
func sampled[M any](ctx context.Context, m *config.Metric, dim int, held *HeldBack,
	grid func(at func(x, y, z float64) smooth.Six) (M, error)) (M, error) {
	var first error
	limits := boundsOf(m)
	calls := 0
	made, err := grid(func(x, y, z float64) smooth.Six {
		if calls++; calls%1024 == 0 && ctx.Err() != nil {
			first = ctx.Err()
			return six(metric.Tensor{}, first)
		}
		t, err := tensorAt(m, x, y, z)
		if err == nil && limits != (metric.Bounds{}) {
			if err = t.Check(dim); err == nil {
				within := t.Within(dim, limits)
				held.Places++
				if within != t {
					held.Bounded++
				}
				t = within
			}
		}
		if err != nil {
			first = err
		}
		return six(t, err)
	})
	if first != nil {
		var none M
		return none, first
	}
	return made, err
}

func boundsOf(m *config.Metric) metric.Bounds {
	return metric.Bounds{Min: m.HMin, Max: m.HMax, Aspect: m.Aspect}
}

// tensorAt evaluates the expressions of sizes or of a tensor, by rows of its lower triangle.
func tensorAt(m *config.Metric, x, y, z float64) (t metric.Tensor, err error) {
	v, err := m.Eval(x, y, z)
	if err != nil || m.Field != "sizes" {
		return v, err
	}
	flat, err := tensorOfSizes(v[0], v[1], v[2])
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
