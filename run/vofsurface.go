package run

import (
	"context"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// surfacePiece is a rank's part of the closed interface, format vtp.
type surfacePiece vtk.PolyData

func (p *surfacePiece) write(path string) error { return vtk.WritePolyData(path, (*vtk.PolyData)(p)) }

func (p *surfacePiece) join(path string, pieces []string) error {
	return vtk.WritePVTP(path, pieces, (*vtk.PolyData)(p))
}

func (d *vofRun) surface(ctx context.Context) (*surfacePiece, error) {
	s, err := d.solver.Surface(ctx)
	if err != nil {
		return nil, err
	}
	p := &surfacePiece{Points: s.Points}
	p.PointData = vtk.Arrays{{Name: "point", Components: 1, Data: s.ID}}
	p.FieldData = d.frameData()
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
	p.CellData = vtk.Arrays{d.rankOf(cells.Len())}
	return p, nil
}

// rankOf tells of so many cells whose they are.
func (d *vofRun) rankOf(cells int) vtk.Array {
	return vtk.Array{Name: "rank", Components: 1, Data: slices.Repeat([]int32{int32(d.rank)}, cells)}
}

// frameData tells of a frame when it is, and in space where its grid begins and ends.
func (d *vofRun) frameData() vtk.Arrays {
	g := d.block.Grid
	data := vtk.Arrays{{Name: "TimeValue", Components: 1, Data: []float64{d.solver.Time()}}}
	if g.Dim == 3 {
		data = append(data, vtk.Array{Name: "Bounds", Components: 1, Data: slices.Concat(g.Lo[:], g.Hi[:])})
	}
	return data
}
