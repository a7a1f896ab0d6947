package plic

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/contour"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Output is the interface as output.
type Output[F num.Float] struct {
	*Interface[F]
	Of     *domain.Block
	Cells  *solvers.Space
	Names  []string // of fields of cells that lines or planes always have
	Device backend.Device
	// Fractions returns the volume fractions in the device's memory, with current ghosts; Host those of which the lines
	// or planes are made, in the host's. All ranks call both.
	Fractions, Host func(ctx context.Context) ([]F, error)
}

// Shapes returns the output formats of the interface: a surface without gaps, and the lines or planes of cells.
func (o *Output[F]) Shapes() []solvers.Shape {
	planes := solvers.Shape{Format: "plic", File: "vtp",
		Doc: "the lines or planes of mixed cells, and faces between full and empty cells",
		Faces: func(ctx context.Context) (*solvers.Faces, error) {
			p, err := o.PlanesOf(ctx)
			if err != nil {
				return nil, err
			}
			return p.faces(o.Of, o.Cells, o.Names), nil
		}}
	return append(o.Of.Shapes(o), planes)
}

// PlanesOf returns the lines or planes of the block. All ranks call it.
func (o *Output[F]) PlanesOf(ctx context.Context) (*Planes, error) {
	field, err := o.Host(ctx)
	if err != nil {
		return nil, err
	}
	return o.Planes(field), nil
}

// SurfaceField implements domain.Surfaced: it returns the volume fractions with ghosts.
func (o *Output[F]) SurfaceField(ctx context.Context) (solvers.Field, error) {
	f, err := o.Fractions(ctx)
	return solvers.Field{Name: "f", Space: &solvers.Space{Owned: len(f)},
		View: func() solvers.View { return solvers.ViewOf[F](o.Device, f, 0) }}, err
}

// SurfaceOf implements domain.Surfaced: it returns the interface in the block as a mesh without gaps.
func (o *Output[F]) SurfaceOf(fractions []float64, closed bool) *contour.Surface {
	field, same := any(fractions).([]F)
	if !same {
		field = make([]F, len(fractions))
		for i, f := range fractions {
			field[i] = F(f)
		}
	}
	return o.Surface(field, closed)
}
