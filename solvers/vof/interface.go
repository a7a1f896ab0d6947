package vof

import (
	"context"

	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/contour"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/vof/plic"
)

// SurfaceField returns the volume fractions with ghosts, of which SurfaceOf makes the interface. All ranks call it.
func (s *solver[F]) SurfaceField(ctx context.Context) (solvers.Field, error) {
	f := s.state().Data
	return solvers.Field{Name: "f", Space: &solvers.Space{Owned: len(f)},
		View: func() solvers.View { return solvers.ViewOf[F](s.Env().Device, f, 0) }}, s.fillGhosts(ctx)
}

// SurfaceOf returns the interface in the block as a mesh without gaps: see plic.Interface.Surface. Any goroutine may
// call it.
func (s *solver[F]) SurfaceOf(fractions []float64, closed bool) *contour.Surface {
	field, same := any(fractions).([]F)
	if !same {
		field = make([]F, len(fractions))
		for i, f := range fractions {
			field[i] = F(f)
		}
	}
	return s.plic.Surface(field, closed)
}

// planeShape is the output format of lines or planes, each with the fields of its cell.
func (s *solver[F]) planeShape(b *domain.Block) solvers.Shape {
	return solvers.Shape{Format: "plic", File: "vtp",
		Doc: "the lines or planes of mixed cells, and faces between full and empty cells",
		Faces: func(ctx context.Context) (*solvers.Faces, error) {
			p, err := s.planesOf(ctx)
			if err != nil {
				return nil, err
			}
			return p.Faces(b, s.cells), nil
		}}
}

// planesOf returns the lines or planes of the block. All ranks call it.
func (s *solver[F]) planesOf(ctx context.Context) (*plic.Planes, error) {
	field, err := s.hostField(ctx)
	if err != nil {
		return nil, err
	}
	return s.plic.Planes(field), nil
}
