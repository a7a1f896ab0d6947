package problem

import (
	"context"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
)

func (d *body) Shapes() []solvers.Shape {
	return []solvers.Shape{
		{Format: "vtp", File: "vtp", Doc: "the interface without gaps", Faces: d.surface},
		{Format: "stl", File: "stl", Doc: "the same, of triangles, in one file", Faces: d.surface},
		{Format: "plic", File: "vtp", Doc: "the lines or planes of mixed cells", Faces: d.planes},
	}
}

// surface is the closed interface.
func (d *body) surface(ctx context.Context) (*solvers.Faces, error) {
	s, err := d.Surface(ctx)
	if err != nil {
		return nil, err
	}
	p := &solvers.Faces{PolyData: vtk.PolyData{Points: s.Points, FieldData: d.bounds()}}
	p.PointData = vtk.Arrays{{Name: "point", Components: 1, Data: s.ID}}
	corners, cells := d.block.Grid.Dim, &p.Polys
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
	return p, nil
}

// planes are the lines or planes of this rank's mixed cells, each with the fields of its cell.
func (d *body) planes(ctx context.Context) (*solvers.Faces, error) {
	s, err := d.Planes(ctx)
	if err != nil {
		return nil, err
	}
	p := &solvers.Faces{PolyData: vtk.PolyData{Points: s.Points, FieldData: d.bounds()}, On: d.cells, Of: s.Cells,
		Carry: []string{"f", "normal", "alpha"}}
	cells := &p.Polys
	if d.block.Grid.Dim == 2 {
		cells = &p.Lines
	}
	first := 0
	for _, end := range s.Ends {
		ids := make([]int64, end-first)
		for k := range ids {
			ids[k] = int64(first + k)
		}
		cells.Add(ids...)
		first = end
	}
	return p, nil
}

// bounds tells of a shape in space where its grid begins and ends.
func (d *body) bounds() vtk.Arrays {
	g := d.block.Grid
	if g.Dim == 2 {
		return nil
	}
	return vtk.Arrays{{Name: "Bounds", Components: 1, Data: slices.Concat(g.Lo[:], g.Hi[:])}}
}
