package verify

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/smooth"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// interpolations adapts meshes to fields with the smoother barrier. In each of three rounds the Hessian of the field
// is recovered from its values at the vertices, and the metric computed from it. The bound is on the error of linear
// interpolation after all rounds, relative to the initial one. Nothing is published for moving vertices only; the
// bounds are ours.
func interpolations(ctx context.Context, p *verify.Page) error {
	meshes, rounds := 3, 3
	if p.Options.Quick {
		meshes = 1
	}
	t := p.Table("L2 interpolation error, adapted by the smoother barrier", "field", "mesh", "rounds", "before", "after",
		"share", "mean quality", "worst")
	for _, c := range []struct {
		name  string
		of    func(x, y float64) float64
		share float64
	}{
		{"exp(-50((x-.6)² + (y-.4)²))", func(x, y float64) float64 {
			return math.Exp(-50 * ((x-.6)*(x-.6) + (y-.4)*(y-.4)))
		}, .40},
		{"sin(6x) y", func(x, y float64) float64 { return math.Sin(6*x) * y }, .60},
		{"tanh(20(x - .5 + .2 sin 4y))", func(x, y float64) float64 {
			return math.Tanh(20 * (x - .5 + .2*math.Sin(4*y)))
		}, .10},
	} {
		for n := range meshes {
			p.Progress("%s, mesh %d", c.name, n+1)
			m, err := generateMesh(3 + n)
			if err != nil {
				return err
			}
			before := interpolationError(m, c.of)
			var d quality.Diagnostics
			for range rounds {
				if d, err = adaptToField(ctx, p, m, c.of); err != nil {
					return err
				}
			}
			after := interpolationError(m, c.of)
			t.Row(verify.AtMost(after/before, c.share), c.name, n+1, rounds, before, after, after/before, d.QualityMean,
				d.QualityMin)
		}
	}
	t.Flush()
	return spaceInterpolations(ctx, p)
}

// adaptToField moves the vertices of a mesh toward the metric from the Hessian of a field.
func adaptToField(ctx context.Context, p *verify.Page, m *mesh.Mesh, field func(x, y float64) float64) (
	d quality.Diagnostics, err error) {
	values := make([]float64, len(m.X))
	for v := range values {
		values[v] = field(m.X[v], m.Y[v])
	}
	on := metric.FromTriangles(m)
	h, err := metric.Recovered(on, values)
	if err != nil {
		return d, err
	}
	f, _, err := metric.FromHessian(on, h, metric.HessianOptions{Norm: 2, Floor: .003,
		Complexity: float64(len(m.Cells)) * math.Sqrt(3) / 4})
	if err != nil {
		return d, err
	}
	wanted, err := sizing.OnMesh(m, f)
	if err != nil {
		return d, err
	}
	cfg := smooth.Config{Smoother: "barrier", Guard: "none", Rescale: true}
	err = smoothing(ctx, p, m, wanted, cfg, func(part *layout.Part, s *smooth.Solver) error {
		if d, err = sweepToEnd(ctx, s); err == nil {
			m.X, m.Y, err = coordinates(part, s)
		}
		return err
	})
	return d, err
}

// sweepToEnd sweeps until the smoother has converged.
func sweepToEnd(ctx context.Context, s *smooth.Solver) (quality.Diagnostics, error) {
	for !s.Ended() {
		if _, err := s.Sweep(ctx, 10); err != nil {
			return quality.Diagnostics{}, err
		}
	}
	return s.Diagnose(ctx)
}
