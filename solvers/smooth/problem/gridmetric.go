package problem

import (
	"cmp"
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// planeMetric makes the metric of a case in the plane, over the bounds of its mesh, and counts changes in adjusted.
func planeMetric(ctx context.Context, m *request.Metric, b sizing.Bounds, adjusted *request.Adjusted) (*sizing.Metric,
	error) {
	grid := gridded[*sizing.Metric]{dim: 2, low: [3]float64{b.X0, b.Y0}, high: [3]float64{b.X1, b.Y1}}
	grid.make = func(at func(x, y, z float64) sizing.Six) (*sizing.Metric, error) {
		return sizing.Discrete(b, m.Samples, func(x, y float64) (m11, m12, m22 float64) {
			t := at(x, y, 0)
			return t[0], t[1], t[3]
		})
	}
	grid.evaluate = func(made *sizing.Metric, x, y, _ float64) metric.Tensor {
		m11, m12, m22 := made.At(x, y)
		return metric.Tensor{m11, m12, m22}
	}
	var made *sizing.Metric
	var err error
	switch m.Field {
	case "uniform":
		made, err = sizing.Linear(b, 1, 1)
	case "linear":
		made, err = sizing.Linear(b, m.Low, m.High)
	case "sinusoidal":
		made, err = sizing.Sinusoidal(b, m.Low, m.High, m.Waves)
	case "sizes", "tensor":
		return grid.expressions(ctx, m, adjusted)
	default:
		return nil, fmt.Errorf("field %q is not known", m.Field)
	}
	if err != nil || m.Samples == 0 {
		return made, err
	}
	return grid.sampled(m.Samples, metric.Bounds{}, adjusted, func(x, y, z float64) (metric.Tensor, error) {
		return grid.evaluate(made, x, y, z), nil
	})
}

// gridded makes a metric on a grid over a rectangle or a box, and evaluates it.
type gridded[M any] struct {
	dim       int
	low, high [3]float64
	make      func(evaluate func(x, y, z float64) sizing.Six) (M, error)
	evaluate  func(made M, x, y, z float64) metric.Tensor
}

// expressions makes the metric of a case's expressions. It returns early when ctx is cancelled.
func (g *gridded[M]) expressions(ctx context.Context, m *request.Metric, adjusted *request.Adjusted) (M, error) {
	calls := 0
	return g.sampled(m.Samples, request.BoundsOf(m), adjusted, func(x, y, z float64) (metric.Tensor, error) {
		if calls++; calls%1024 == 0 && ctx.Err() != nil {
			return metric.Tensor{}, ctx.Err()
		}
		return request.TensorAt(m, x, y, z)
	})
}

// sampled makes a metric from the tensors requested at the nodes, changed to satisfy the limits, and measures its
// interpolation error.
func (g *gridded[M]) sampled(n int, limits metric.Bounds, adjusted *request.Adjusted,
	requested func(x, y, z float64) (metric.Tensor, error)) (made M, err error) {
	var refused error // of a tensor; more specific than that of the metric made from it
	made, err = g.make(func(x, y, z float64) sizing.Six {
		t, err := requested(x, y, z)
		if err == nil && limits != (metric.Bounds{}) {
			if err = t.Check(g.dim); err == nil {
				within := t.Within(g.dim, limits)
				adjusted.Samples++
				if within != t {
					adjusted.Bounded++
				}
				t = within
			}
		}
		if err != nil {
			refused = err
		}
		return six(t, err)
	})
	if err = cmp.Or(refused, err); err != nil {
		var none M
		return none, err
	}
	adjusted.OffGrid = g.gridError(n-1, made, limits, requested)
	return made, nil
}

// samplesPerAxis is the number of positions along each axis at which the interpolation error of a metric on a grid is
// measured, by dimension.
var samplesPerAxis = [...]int{2: 256, 3: 32}

// gridError returns Adjusted.OffGrid of a metric with `boxes` grid cells along each axis, measured at
// samplesPerAxis points along each axis: at centres of grid cells, or, if these are fewer, at evenly spaced points.
// Points at which the expressions give no metric are skipped.
func (g *gridded[M]) gridError(boxes int, made M, limits metric.Bounds,
	requested func(x, y, z float64) (metric.Tensor, error)) float64 {
	n := samplesPerAxis[g.dim]
	boxes = max(boxes, n)
	total, worst := n*n, 0.0
	if g.dim == 3 {
		total *= n
	}
	for k := range total {
		var p [3]float64
		for axis, rest := 0, k; axis < g.dim; axis, rest = axis+1, rest/n {
			box := rest % n * boxes / n
			p[axis] = g.low[axis] + (float64(box)+.5)/float64(boxes)*(g.high[axis]-g.low[axis])
		}
		t, err := requested(p[0], p[1], p[2])
		if err == nil && t.Check(g.dim) == nil {
			worst = max(worst, metric.Stretch(g.dim, t.Within(g.dim, limits), g.evaluate(made, p[0], p[1], p[2])))
		}
	}
	return worst
}
