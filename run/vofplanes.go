package run

import (
	"context"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// planes are the lines or planes of this rank's mixed cells, format plic, each with the fields of its cell: f, normal,
// alpha, and what else the case writes.
func (d *vofRun) planes(ctx context.Context) (*surfacePiece, error) {
	s, err := d.solver.Planes(ctx)
	if err != nil {
		return nil, err
	}
	p := &surfacePiece{Points: s.Points}
	p.FieldData = d.frameData()
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
	p.CellData = vtk.Arrays{d.rankOf(len(s.Cells))}
	names := []string{"f", "normal", "alpha"}
	for _, name := range d.c.Output.Fields {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		all, err := d.field(ctx, name)
		if err != nil {
			return nil, err
		}
		values, n := all.Float64s(), all.Components
		mine := make([]float64, 0, len(s.Cells)*n)
		for _, c := range s.Cells {
			mine = append(mine, values[c*n:(c+1)*n]...)
		}
		p.CellData = append(p.CellData, vtk.Array{Name: name, Components: n, Data: mine})
	}
	return p, nil
}
