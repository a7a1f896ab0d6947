package run

import (
	"context"
	"errors"
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

// drawing is a rank's piece of a frame, made of the state as it was when the drawing began.
type drawing struct {
	make func() (piece.Piece, error) // to be called once, while steps go on
	held []*solvers.Held             // what it is made of, where that is not on the host already
}

// drawn is one that is made.
func drawn(p piece.Piece) *drawing {
	return &drawing{make: func() (piece.Piece, error) { return p, nil }}
}

// close gives back what the drawing holds on the device, when it is made or will not be.
func (d *drawing) close() error {
	var err error
	for _, h := range d.held {
		err = errors.Join(err, h.Close())
	}
	return err
}

// hold takes what fields of a space hold now.
func (d *drawing) hold(ctx context.Context, on *solvers.Space, fields []solvers.Field) (*solvers.Held, error) {
	h, err := solvers.Hold(ctx, on, fields)
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	d.held = append(d.held, h)
	return h, nil
}

// piece begins to draw the state as it is.
func (d *frameBuilder) piece(ctx context.Context, format string) (*drawing, error) {
	for _, s := range d.shapes {
		if s.Format == format {
			p, err := d.faces(ctx, &s)
			return drawn(p), err
		}
	}
	on, now := d.space(format), &drawing{}
	fields := d.on(on)
	held, err := now.hold(ctx, on, fields)
	if err != nil {
		return nil, err
	}
	if format == recordFormat {
		now.make = func() (piece.Piece, error) { return recordOf(held, fields) }
		return now, nil
	}
	g, points, err := now.geometry(ctx, on)
	if err != nil {
		return nil, err
	}
	ranks, at := d.ranks(on.Owned), d.timeValue()
	now.make = func() (piece.Piece, error) {
		values, err := held.Read()
		if err != nil {
			return nil, err
		}
		data := vtk.Arrays{ranks}
		if g.Mesh != nil {
			data = append(data, keys(on))
		}
		for k := range fields {
			data = append(data, array(&fields[k], values[k], nil))
		}
		if g.Mesh != nil {
			p := *g.Mesh
			p.CellData, p.FieldData = data, at
			p.Points, err = points()
			return (*piece.Mesh)(&p), err
		}
		p := *g.Block
		p.CellData, p.FieldData = data, at
		if format == volumeFormat {
			return &piece.Volume{Image: piece.Image{Image: &p, Boxes: g.Boxes}, Fields: d.fields}, nil
		}
		return &piece.Image{Image: &p, Boxes: g.Boxes}, nil
	}
	return now, nil
}

// geometry is that of a space, with what makes the points of a mesh.
func (d *drawing) geometry(ctx context.Context, on *solvers.Space) (g solvers.Geometry,
	points func() ([]float64, error), err error) {
	if on.Moving == nil {
		if g, err = on.Geometry(ctx); err != nil {
			return g, nil, errors.Join(err, d.close())
		}
		return g, func() ([]float64, error) { return g.Mesh.Points, nil }, nil
	}
	g, places, err := on.Moving(ctx)
	if err != nil {
		return g, nil, errors.Join(err, d.close())
	}
	held, err := d.hold(ctx, places.Field.Space, []solvers.Field{places.Field})
	return g, func() ([]float64, error) {
		numbers, err := held.Read()
		if err != nil {
			return nil, err
		}
		return places.Points(numbers[0]), nil
	}, err
}

// on are the fields that the case writes on a space.
func (d *frameBuilder) on(space *solvers.Space) []solvers.Field {
	var list []solvers.Field
	for _, f := range d.fields {
		if f.Space == space {
			list = append(list, f)
		}
	}
	return list
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
			values, err := f.Read(ctx)
			if err != nil {
				return nil, err
			}
			p.CellData = append(p.CellData, array(&f, values, of))
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
func array(f *solvers.Field, values []float64, of []int) vtk.Array {
	n := len(f.Numbers())
	width := n
	if n == 2 {
		width = 3
	}
	a := vtk.Array{Name: f.Name, Components: width, Unit: f.Unit}
	if of == nil && width == n {
		a.Data = values
		return a
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
	return a
}
