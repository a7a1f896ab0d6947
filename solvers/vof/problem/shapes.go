package problem

import (
	"context"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
)

func (d *caseSolver) Shapes() []solvers.Shape {
	return append(d.block.Shapes(d), solvers.Shape{Format: "plic", File: "vtp",
		Doc: "the lines or planes of mixed cells", Faces: d.planes})
}

// planes returns the lines or planes of this rank's mixed cells, each with the fields of its cell.
func (d *caseSolver) planes(ctx context.Context) (*solvers.Faces, error) {
	s, err := d.Planes(ctx)
	if err != nil {
		return nil, err
	}
	p := &solvers.Faces{PolyData: vtk.PolyData{Points: s.Points, FieldData: d.block.Bounds()}, Space: d.cells,
		Entities:   s.Cells,
		FieldNames: []string{"f", "normal", "alpha"}}
	if g := d.block.Grid; g.Dim == 3 { // plots locate the cells with these
		h := []float64{g.Spacing(0), g.Spacing(1), g.Spacing(2)}
		p.FieldData = append(p.FieldData, vtk.Array{Name: "Spacing", Components: 1, Data: h})
	}
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
