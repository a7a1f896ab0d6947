package twophase

import (
	"context"
	"slices"

	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/vof/plic"
)

// surface is the interface as output.
type surface[F num.Float] struct{ *solver[F] }

// shapes are its output formats. Solids are empty: there surfaces without gaps bound the first fluid.
func (s surface[F]) shapes(cells *solvers.Space) []solvers.Shape {
	o := plic.Output[F]{Interface: &s.plic, Of: s.cellsOf, Cells: cells, Names: []string{"f"}, Device: s.Env().Device,
		Fractions: func(ctx context.Context) ([]F, error) { return s.f[0].Data, s.Do(ctx, s.settle) },
		Host:      s.extended}
	return o.Shapes()
}

// settle fills the ghosts of the volume fraction as a step leaves them: the next step and measurements read them.
func (s surface[F]) settle(p *engine.Program) {
	s.refreshFractions(p, s.f[0])
	s.extendFractions(p, s.f[0])
	s.emptySolids(p, s.f[0])
}

// extended returns a copy of the volume fraction that continues into solids and beyond sides with contact angles.
func (s surface[F]) extended(ctx context.Context) ([]F, error) {
	err := s.Do(ctx, func(p *engine.Program) {
		s.refreshFractions(p, s.f[0])
		s.extendFractions(p, s.f[0])
	})
	if err != nil {
		return nil, err
	}
	f, err := s.f[0].Host()
	if err != nil {
		return nil, err
	}
	f = slices.Clone(f)
	return f, s.Do(ctx, func(p *engine.Program) { s.emptySolids(p, s.f[0]) })
}

// curvature returns the curvature of the interface in cells with both fluids, and 0 in others.
func (s surface[F]) curvature(ctx context.Context) ([]float64, error) {
	f, err := s.extended(ctx)
	if err != nil {
		return nil, err
	}
	values := make([]float64, 0, s.block.Cells())
	for c := range s.block.OwnedIndices() {
		values = append(values, s.curvatureOf(f, c))
	}
	return values, nil
}

func (s surface[F]) curvatureOf(f []F, c int) float64 {
	if !s.plic.HasPlane(f, c) {
		return 0
	}
	return s.plic.Curvature(f, c)
}
