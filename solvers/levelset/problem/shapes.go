package problem

import (
	"context"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
)

func (d *body) Shapes() []solvers.Shape {
	return append(d.block.Shapes(d), solvers.Shape{Format: "particles", File: "vtp",
		Doc: "the particles, with their signs and radii", Faces: d.particles})
}

func (d *body) particles(ctx context.Context) (*solvers.Faces, error) {
	all, err := d.Particles(ctx)
	if err != nil {
		return nil, err
	}
	p := &solvers.Faces{PolyData: vtk.PolyData{Points: all.Points, FieldData: d.block.Bounds()}}
	p.PointData = vtk.Arrays{{Name: "particle", Components: 1, Data: all.ID},
		{Name: "sign", Components: 1, Data: all.Sign},
		{Name: "radius", Components: 1, Data: all.Radius}, {Name: "escaped", Components: 1, Data: all.Escaped}}
	for i := range all.ID {
		p.Verts.Add(int64(i))
	}
	return p, nil
}
