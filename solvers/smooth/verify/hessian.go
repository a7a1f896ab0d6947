package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/smooth"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// hessians smooths a mesh toward the metric given by the second derivatives of a field, recovered from its values at
// the vertices, and measures the error of linear interpolation. The derivatives are recovered again on every mesh, as
// a solver would, and gradation limits the metric. No bound is published for moving vertices only; ours is that the
// error falls to 0.15, for which a uniform mesh needs seven times as many triangles.
func hessians(ctx context.Context, p *verify.Page) error {
	cells, rounds, sweeps, share := 8000, 3, [2]int{50, 20}, .15
	if p.Options.Quick {
		cells, rounds, sweeps, share = 2000, 2, [2]int{30, 10}, .35
	}
	t := p.Table(fmt.Sprintf("L2 interpolation error, %d triangles, a round of %d sweeps of pain-exact with "+
		"ω = 1.5 and %d of hybrid", cells, sweeps[0], sweeps[1]), "field", "round", "error", "share of the first",
		"mean quality", "worst", "bounded", "graded")
	for _, c := range []struct {
		name string
		of   func(x, y float64) float64
	}{
		{"tanh 20(y - 0.3 - 0.2 sin 4x)", func(x, y float64) float64 { return math.Tanh(20 * (y - .3 - .2*math.Sin(4*x))) }},
		{"tanh 40(r - 0.7)", func(x, y float64) float64 { return math.Tanh(40 * (math.Hypot(x, y) - .7)) }},
	} {
		m, err := mesh.Rectangle(0, 0, 1, 1, cells, 8)
		if err != nil {
			return err
		}
		first := interpolationError(m, c.of)
		t.Row(verify.Info, c.name, 0, first, 1.0, "", "", "", "")
		for round := 1; round <= rounds; round++ {
			p.Progress("%s, round %d", c.name, round)
			of, r, graded, err := hessianMetric(m, c.of, float64(cells))
			if err != nil {
				return err
			}
			var d quality.Diagnostics
			for k, cfg := range []smooth.Config{
				{Smoother: "pain-exact", Guard: "halve", Rescale: true, Relax: 1.5},
				{Smoother: "hybrid", Guard: "none", Rescale: true, Gain: 1e-6},
			} {
				err = smoothing(ctx, p, m, of, cfg, func(part *layout.Part, s *smooth.Solver) error {
					for s.Sweeps() < sweeps[k] {
						if _, err := s.Sweep(ctx, 10); err != nil {
							return err
						}
					}
					var err error
					if d, err = s.Diagnose(ctx); err != nil {
						return err
					}
					m.X, m.Y, err = coordinates(part, s)
					return err
				})
				if err != nil {
					return err
				}
			}
			now := interpolationError(m, c.of)
			bound := verify.Info
			if round == rounds {
				bound = both(verify.VerdictOf(d.Inverted == 0, ""), verify.AtMost(now/first, share))
			}
			t.Row(bound, c.name, round, now, now/first, d.QualityMean, d.QualityMin, r.Bounded, graded)
		}
	}
	t.Flush()
	return nil
}

// hessianMetric returns the metric for the L2 norm of a field known at the vertices, with sizes between 1/1000 and
// 1/4, aspect ratios up to 20, and growth by up to 1.8 from edge to edge.
func hessianMetric(m *mesh.Mesh, field func(x, y float64) float64,
	cells float64) (*sizing.Metric, metric.Report, int, error) {
	values := make([]float64, len(m.X))
	for v := range values {
		values[v] = field(m.X[v], m.Y[v])
	}
	on := metric.FromTriangles(m)
	h, err := metric.Recovered(on, values)
	if err != nil {
		return nil, metric.Report{}, 0, err
	}
	f, report, err := metric.FromHessian(on, h, metric.HessianOptions{Norm: 2, Complexity: cells * math.Sqrt(3) / 4,
		Bounds: metric.Bounds{Min: .001, Max: .25, Aspect: 20}})
	if err != nil {
		return nil, report, 0, err
	}
	graded, err := f.Graded(on, 1.8)
	if err != nil {
		return nil, report, 0, err
	}
	out, err := sizing.OnMesh(m, f)
	return out, report, graded, err
}

// interpolationError returns the L2 norm of the difference between a field and its linear interpolation on the
// triangles, by a midpoint rule on 36 parts of every triangle.
func interpolationError(m *mesh.Mesh, field func(x, y float64) float64) float64 {
	const n = 6
	sum := 0.0
	for c, cell := range m.Cells {
		var values [3]float64
		for k, v := range cell {
			values[k] = field(m.X[v], m.Y[v])
		}
		squares := 0.0
		for i := range n {
			for j := range n - i {
				for half := range 2 {
					if half == 1 && i+j == n-1 {
						continue
					}
					third := float64(1+half) / 3
					b, d := (float64(i)+third)/n, (float64(j)+third)/n
					a := 1 - b - d
					x := a*m.X[cell[0]] + b*m.X[cell[1]] + d*m.X[cell[2]]
					y := a*m.Y[cell[0]] + b*m.Y[cell[1]] + d*m.Y[cell[2]]
					off := field(x, y) - (a*values[0] + b*values[1] + d*values[2])
					squares += off * off
				}
			}
		}
		sum += squares / (n * n) * m.Area(c)
	}
	return math.Sqrt(sum)
}
