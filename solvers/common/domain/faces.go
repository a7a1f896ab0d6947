package domain

import (
	"slices"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/contour"
)

// Faces are the lines or triangles of a surface in the block.
func (b *Block) Faces(s *contour.Surface) *solvers.Faces {
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

// Bounds tells of a shape in space where its grid begins and ends.
func (b *Block) Bounds() vtk.Arrays {
	g := b.Grid
	if g.Dim == 2 {
		return nil
	}
	return vtk.Arrays{{Name: "Bounds", Components: 1, Data: slices.Concat(g.Lo[:], g.Hi[:])}}
}
