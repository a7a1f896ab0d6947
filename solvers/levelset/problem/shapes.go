package problem

import (
	"context"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
)

func (d *levelSetCase) Shapes() []solvers.Shape {
	return append(d.block.Shapes(d), solvers.Shape{Format: "particles", File: "vtp",
		Doc: "the particles, with their signs and radii", Faces: d.particleFile})
}

func (d *levelSetCase) particleFile(ctx context.Context) (*solvers.Faces, error) {
	particles, err := d.Particles(ctx)
	if err != nil {
		return nil, err
	}
	p := &solvers.Faces{PolyData: vtk.PolyData{Points: particles.Points, FieldData: d.block.Bounds()}}
	p.PointData = vtk.Arrays{{Name: "particle", Components: 1, Data: particles.ID},
		{Name: "sign", Components: 1, Data: particles.Sign},
		{Name: "radius", Components: 1, Data: particles.Radius}, {Name: "escaped", Components: 1, Data: particles.Escaped}}
	for i := range particles.ID {
		p.Verts.Add(int64(i))
	}
	return p, nil
}
