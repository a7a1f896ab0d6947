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

// spaceInterpolations is interpolations for tetrahedra. The connectivity of a cube's mesh allows stretching in few
// directions: the error falls less than in two dimensions. As in the program, the best of three rounds is used; the
// bounds are ours.
func spaceInterpolations(ctx context.Context, p *verify.Page) error {
	side, rounds := 14, 3
	if p.Options.Quick {
		side = 8
	}
	t := p.Table("the same for tetrahedra of a cube", "field", "round", "before", "after", "share", "mean quality",
		"worst")
	for _, c := range []struct {
		name  string
		of    func(x, y, z float64) float64
		share float64
	}{
		{"exp(-20((x-.6)² + (y-.4)² + (z-.5)²))", func(x, y, z float64) float64 {
			return math.Exp(-20 * ((x-.6)*(x-.6) + (y-.4)*(y-.4) + (z-.5)*(z-.5)))
		}, .85},
		{"tanh(10(x - .5 + .2 sin 4y))", func(x, y, _ float64) float64 {
			return math.Tanh(10 * (x - .5 + .2*math.Sin(4*y)))
		}, .8},
	} {
		p.Progress("%s", c.name)
		m, err := mesh.Cube(side, side, side, .14, 4)
		if err != nil {
			return err
		}
		before := spaceInterpolationError(m, c.of)
		var best quality.Diagnostics
		after, round := math.Inf(1), 0
		for n := range rounds {
			d, err := adaptSolidToField(ctx, p, m, c.of)
			if err != nil {
				return err
			}
			if left := spaceInterpolationError(m, c.of); left < after {
				best, after, round = d, left, n+1
			}
		}
		bound := verify.AtMost(after/before, c.share)
		if p.Options.Quick {
			bound = verify.AtMost(after/before, .95)
		}
		t.Row(bound, c.name, round, before, after, after/before, best.QualityMean, best.QualityMin)
	}
	t.Flush()
	return nil
}

// adaptSolidToField moves the vertices of a mesh toward the metric from the Hessian of a field.
func adaptSolidToField(ctx context.Context, p *verify.Page, m *mesh.Solid, field func(x, y, z float64) float64) (
	d quality.Diagnostics, err error) {
	values := make([]float64, len(m.X))
	for v := range values {
		values[v] = field(m.X[v], m.Y[v], m.Z[v])
	}
	on := metric.FromTetrahedra(m)
	h, err := metric.Recovered(on, values)
	if err != nil {
		return d, err
	}
	f, _, err := metric.FromHessian(on, h, metric.HessianOptions{Norm: 2, Floor: .003,
		Complexity: float64(len(m.Cells)) * math.Sqrt2 / 12})
	if err != nil {
		return d, err
	}
	wanted, err := sizing.OnSolid(m, f)
	if err != nil {
		return d, err
	}
	cfg := smooth.Config{Smoother: "barrier", Guard: "none", Rescale: true}
	err = solidSmoothing(ctx, p, m, wanted, cfg, func(part *layout.SolidPart, s *smooth.Solver) error {
		if d, err = sweepToEnd(ctx, s); err != nil {
			return err
		}
		at, err := s.Coordinates()
		if err != nil {
			return err
		}
		for i, v := range part.Global {
			m.X[v], m.Y[v], m.Z[v] = at[0][i], at[1][i], at[2][i]
		}
		return nil
	})
	return d, err
}

// spaceInterpolationError returns the L2 norm of the difference between a field and its linear interpolation on the
// tetrahedra, by its values at the centres of the parts of each that have its shape and orientation.
func spaceInterpolationError(m *mesh.Solid, of func(x, y, z float64) float64) float64 {
	const n = 4
	sum := 0.0
	for c, cell := range m.Cells {
		squares, points := 0.0, 0
		for i := range n {
			for j := range n - i {
				for k := range n - i - j {
					share := [4]float64{float64(i), float64(j), float64(k), float64(n - 1 - i - j - k)}
					var p [3]float64
					linear := 0.0
					for l, v := range cell {
						share[l] = (share[l] + .25) / n
						at := m.At(v)
						for axis := range p {
							p[axis] += share[l] * at[axis]
						}
						linear += share[l] * of(at[0], at[1], at[2])
					}
					off := of(p[0], p[1], p[2]) - linear
					squares += off * off
					points++
				}
			}
		}
		sum += squares / float64(points) * m.Volume(c)
	}
	return math.Sqrt(sum)
}
