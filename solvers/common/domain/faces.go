package domain

import (
	"context"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/contour"
)

// Shapes returns the output formats of an interface that is a continuous surface across blocks.
func (b *Block) Shapes(surface func(ctx context.Context) (*contour.Surface, error)) []solvers.Shape {
	faces := func(ctx context.Context) (*solvers.Faces, error) {
		s, err := surface(ctx)
		if err != nil {
			return nil, err
		}
		return b.faces(s), nil
	}
	return []solvers.Shape{
		{Format: "vtp", File: "vtp", Doc: "the interface without gaps", Faces: faces},
		{Format: "stl", File: "stl", Doc: "the same, of triangles, in one file", Faces: faces},
		{Format: "obj", File: "obj", Doc: "the same, with each point once, in one file", Faces: faces},
	}
}

// faces returns the line segments (in the plane) or triangles (in space) of a surface in the block.
func (b *Block) faces(s *contour.Surface) *solvers.Faces {
	p := &solvers.Faces{PolyData: vtk.PolyData{Points: s.Points, FieldData: b.Bounds()}}
	p.PointData = vtk.Arrays{{Name: "point", Components: 1, Data: s.ID}}
	corners, cells := b.Grid.Dim, &p.Polys
	if corners == 2 {
		cells = &p.Lines
	}
	ids := make([]int64, corners)
	for i := 0; i < len(s.Simplices); i += corners {
		for k := range corners {
			ids[k] = int64(s.Simplices[i+k])
		}
		cells.Add(ids...)
	}
	return p
}

// Bounds returns the corners of the grid as field data "Bounds" of a surface in space; none in the plane.
func (b *Block) Bounds() vtk.Arrays {
	g := b.Grid
	if g.Dim == 2 {
		return nil
	}
	return vtk.Arrays{{Name: "Bounds", Components: 1, Data: slices.Concat(g.Lo[:], g.Hi[:])}}
}
