package run

import (
	"context"
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/piece"
	"github.com/atoll-hpc/atoll/solvers"
)

// volumeFormat is of a grid, in a file that OpenVDB reads.
const volumeFormat = "vdb"

// frameBuilder makes pieces of frames of what a solver declares.
type frameBuilder struct {
	solver     solvers.Solver
	rank       int32
	fields     []solvers.Field // that the case writes
	all        []solvers.Field
	shapes     []solvers.Shape
	rankColumn []int32 // the rank, as often as a frame has asked for
}

func newFrameBuilder(s solvers.Solver, rank int, names []string) *frameBuilder {
	d := &frameBuilder{solver: s, rank: int32(rank), all: s.Fields(), shapes: s.Shapes()}
	d.fields = solvers.Named(d.all, names)
	return d
}

// file is the kind of file that a format is written to, "" if the solver has no such format.
func (d *frameBuilder) file(format string) string {
	for _, s := range d.shapes {
		if s.Format == format {
			return s.File
		}
	}
	if d.space(format) != nil {
		return format
	}
	return ""
}

// space is what frames of a format are of.
func (d *frameBuilder) space(format string) *solvers.Space {
	switch format {
	case volumeFormat:
		format = "vti"
	case recordFormat:
		format = "vtu"
	}
	for _, f := range d.all {
		if f.Space.Format == format {
			return f.Space
		}
	}
	return nil
}

// piece draws the state as it is.
func (d *frameBuilder) piece(ctx context.Context, format string) (piece.Piece, error) {
	for _, s := range d.shapes {
		if s.Format == format {
			return d.faces(ctx, &s)
		}
	}
	on := d.space(format)
	if format == recordFormat {
		return d.record(ctx, on)
	}
	g, err := on.Geometry(ctx)
	if err != nil {
		return nil, err
	}
	data := vtk.Arrays{d.ranks(on.Owned)}
	if g.Mesh != nil {
		data = append(data, keys(on))
	}
	for k := range d.fields {
		f := &d.fields[k]
		if f.Space != on {
			continue
		}
		a, err := array(ctx, f, nil)
		if err != nil {
			return nil, err
		}
		data = append(data, a)
	}
	if g.Mesh != nil {
		p := *g.Mesh
		p.CellData, p.FieldData = data, d.timeValue()
		return (*piece.Mesh)(&p), nil
	}
	p := *g.Block
	p.CellData, p.FieldData = data, d.timeValue()
	if format == volumeFormat {
		return &piece.Volume{Image: piece.Image{Image: &p, Boxes: g.Boxes}, Fields: d.fields}, nil
	}
	return &piece.Image{Image: &p, Boxes: g.Boxes}, nil
}

func (d *frameBuilder) faces(ctx context.Context, s *solvers.Shape) (piece.Piece, error) {
	p, err := s.Faces(ctx)
	if err != nil {
		return nil, err
	}
	count := p.Verts.Len() + p.Lines.Len() + p.Polys.Len()
	p.FieldData = slices.Concat(d.timeValue(), p.FieldData)
	p.CellData = append(vtk.Arrays{d.ranks(count)}, p.CellData...)
	if p.Space != nil {
		of := append([]int{}, p.Entities...) // not nil, of a rank without faces
		fields := solvers.Named(d.all, p.FieldNames)
		for _, f := range d.fields {
			if f.Space == p.Space && !slices.Contains(p.FieldNames, f.Name) {
				fields = append(fields, f)
			}
		}
		for _, f := range fields {
			a, err := array(ctx, &f, of)
			if err != nil {
				return nil, err
			}
			p.CellData = append(p.CellData, a)
		}
	}
	switch s.File {
	case "stl":
		return (*piece.STL)(&p.PolyData), nil
	case "obj":
		return (*piece.OBJ)(&p.PolyData), nil
	}
	return (*piece.Faces)(&p.PolyData), nil
}

// ranks tells of so many cells whose they are.
func (d *frameBuilder) ranks(cells int) vtk.Array {
	if len(d.rankColumn) < cells {
		d.rankColumn = slices.Repeat([]int32{d.rank}, cells)
	}
	return vtk.Array{Name: "rank", Components: 1, Data: d.rankColumn[:cells:cells]}
}

func (d *frameBuilder) timeValue() vtk.Arrays {
	return vtk.Arrays{{Name: "TimeValue", Components: 1, Data: []float64{d.solver.Clock().Time}}}
}

// keys names the entities of a space that are not in the order of their keys.
func keys(on *solvers.Space) vtk.Array {
	const few = 20_000 // entities, for one thread
	id := make([]int64, on.Owned)
	parallel.Ranges(len(id), parallel.Parts(len(id), few), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			id[i] = on.Key(i)
		}
	})
	return vtk.Array{Name: on.Name, Components: 1, Data: id}
}

// array is a field on some entities, nil for all. A vector in the plane gets a third component, 0, as VTK wants it.
func array(ctx context.Context, f *solvers.Field, of []int) (vtk.Array, error) {
	values, err := f.Read(ctx)
	if err != nil {
		return vtk.Array{}, err
	}
	n := len(f.Numbers())
	width := n
	if n == 2 {
		width = 3
	}
	a := vtk.Array{Name: f.Name, Components: width, Unit: f.Unit}
	if of == nil && width == n {
		a.Data = values
		return a, nil
	}
	if of == nil {
		of = make([]int, f.Space.Owned)
		for i := range of {
			of[i] = i
		}
	}
	data := make([]float64, width*len(of))
	for k, i := range of {
		copy(data[k*width:], values[i*n:(i+1)*n])
	}
	a.Data = data
	return a, nil
}
