package smooth

import (
	"context"
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

func cube(t testing.TB, n int, shift float64) *mesh.Solid {
	t.Helper()
	m, err := mesh.Cube(n, n, n, shift, 3)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var unitBox = sizing.Box{High: [3]float64{1, 1, 1}}

// twist is a discrete metric that rotates and stretches.
func twist(t testing.TB) *sizing.SolidMetric {
	t.Helper()
	m, err := sizing.SolidDiscrete(unitBox, 8, func(x, y, z float64) sizing.Six {
		s, c := math.Sincos(3*x + 2*y - z)
		a, b := 1/(.2*.2), 1/((.1+.1*z)*(.1+.1*z))
		return sizing.Six{a*c*c + b*s*s, 0, (a - b) * s * c, 1 / (.1 * .1), 0, a*s*s + b*c*c}
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

type solidJob = func(c dist.Comm, p *layout.SolidPart, s *Solver) error

// onSolid runs f on every rank.
func (s setting) onSolid(m *mesh.Solid, owner []int32, metric *sizing.SolidMetric, cfg Config, f solidJob) error {
	l, err := layout.NewSolid(m, s.layout)
	if err != nil {
		return err
	}
	if owner == nil {
		if owner, err = partition.Partition(s.cut, l.Graph(), [][]float64{m.X, m.Y, m.Z}, s.ranks, 11); err != nil {
			return err
		}
	}
	parts, err := l.Parts(owner, s.ranks)
	if err != nil {
		return err
	}
	return s.onSolidParts(parts, metric, cfg, f)
}

// onSolidParts runs f on every rank, each with its part.
func (s setting) onSolidParts(parts []*layout.SolidPart, metric *sizing.SolidMetric, cfg Config, f solidJob) error {
	return s.onRanks(len(parts), func(rank int, c dist.Comm, dev backend.Device) error {
		env := solvers.Env{Comm: c, Device: dev, Halo: s.halo}
		solver, err := NewSolid(context.Background(), env, s.precision, cfg, parts[rank], metric)
		if err != nil {
			return err
		}
		defer solver.Close()
		return f(c, parts[rank], solver)
	})
}

// runSolid smooths and returns the result, which must be the same on all ranks.
func (s setting) runSolid(t testing.TB, m *mesh.Solid, owner []int32, metric *sizing.SolidMetric, cfg Config,
	sweeps int) outcome {
	t.Helper()
	return s.sweep(t, sweeps, func(f func(dist.Comm, *Solver) error) error {
		return s.onSolid(m, owner, metric, cfg, func(c dist.Comm, _ *layout.SolidPart, solver *Solver) error {
			return f(c,
				solver)
		})
	})
}
