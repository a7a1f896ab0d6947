package frames

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/piece"
	"github.com/atoll-hpc/atoll/run/recorder"
	"github.com/atoll-hpc/atoll/solvers"
)

// builder makes this rank's pieces of frames from the fields and shapes that a solver declares.
type builder struct {
	run       *recorder.Run
	buffers   piece.Buffers
	constants map[*solvers.Space]vtk.Arrays // arrays that are the same in all frames of a space
}

func newBuilder(run *recorder.Run) *builder {
	return &builder{run: run, constants: map[*solvers.Space]vtk.Arrays{}}
}

// prepare makes keys, ranks and the cells of moving meshes, which all frames share, and reserves the device's memory
// for one frame in each format, so that the first frames take no longer than later ones. All ranks call it.
func (b *builder) prepare(formats []Format) (err error) {
	var reserved snapshot
	defer func() { err = errors.Join(err, reserved.close()) }()
	reserve := func(space *solvers.Space, fields []solvers.Field) error {
		copies, err := solvers.CopyOnDevice(space, fields)
		reserved.copies = append(reserved.copies, copies)
		return err
	}
	for _, format := range formats {
		space := format.space
		if space == nil {
			continue
		}
		if err := reserve(space, b.run.WrittenOn(space)); err != nil {
			return err
		}
		if format.layout == records {
			continue
		}
		if b.constants[space] == nil { // formats may share a space
			b.constants[space] = b.constantsOf(space)
		}
		if space.Moving == nil {
			continue
		}
		m := space.Moving()
		cells, points := m.Cells()
		if err := errors.Join(cells.CheckCells(points), reserve(m.Field.Space, []solvers.Field{m.Field})); err != nil {
			return err
		}
	}
	return nil
}

// snapshot is this rank's part of a frame, with the state at the time when it was taken. Steps may go on while
// makePiece runs.
type snapshot struct {
	makePiece func() (piece.Piece, error) // call it once
	copies    []*solvers.FieldCopies      // copies of fields that may still be on the device
	arrays    *piece.Lease                // arrays that the piece uses; nil if it has arrays of its own
}

// readySnapshot returns a snapshot of a piece that is complete.
func readySnapshot(p piece.Piece) *snapshot {
	return &snapshot{makePiece: func() (piece.Piece, error) { return p, nil }}
}

// close frees the copies on the device. It must also be called if the piece will not be made.
func (s *snapshot) close() error {
	var err error
	for _, copied := range s.copies {
		err = errors.Join(err, copied.Close())
	}
	return err
}

// copyFields copies the current values of fields of a space.
func (s *snapshot) copyFields(ctx context.Context, space *solvers.Space, fields []solvers.Field) (*solvers.FieldCopies,
	error) {
	copied, err := solvers.CopyFields(ctx, space, fields)
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.copies = append(s.copies, copied)
	return copied, nil
}

// snapshot takes a snapshot of the current state, for a frame in a format that was prepared.
func (b *builder) snapshot(ctx context.Context, format *Format) (*snapshot, error) {
	if format.shape != nil {
		return b.snapshotOfShape(ctx, format.shape)
	}
	space, s := format.space, &snapshot{}
	fields := b.run.WrittenOn(space)
	copies, err := s.copyFields(ctx, space, fields)
	if err != nil {
		return nil, err
	}
	if format.layout == records {
		s.makePiece = func() (piece.Piece, error) { return newRecordPiece(copies, fields) }
		return s, nil
	}
	s.arrays = b.buffers.Lease()
	geometry, err := s.geometry(ctx, space)
	if err != nil {
		return nil, err
	}
	timeValue, constants := b.timeValue(), b.constants[space]
	if space.Changing {
		constants = b.constantsOf(space)
	}
	s.makePiece = func() (piece.Piece, error) {
		var g solvers.Geometry
		var geometryErr error
		var wait sync.WaitGroup
		wait.Go(func() { g, geometryErr = geometry() })
		values, err := copies.Read(s.arrays.Array)
		wait.Wait()
		if err = errors.Join(err, geometryErr); err != nil {
			return nil, err
		}
		data := slices.Clone(constants)
		for k := range fields {
			data = append(data, piece.FieldArray(&fields[k], values[k], nil))
		}
		if g.Mesh != nil {
			p := *g.Mesh
			p.CellData, p.FieldData = data, timeValue
			p.ConstantCells, p.ConstantPoints = !space.Changing, !space.Changing && space.Moving == nil
			return (*piece.Mesh)(&p), nil
		}
		p := *g.Block
		p.CellData, p.FieldData = data, timeValue
		image := piece.Image{Image: &p, Boxes: g.Boxes}
		if format.volume {
			return &piece.Volume{Image: image, Fields: b.run.Written}, nil
		}
		return &image, nil
	}
	return s, nil
}

// geometry returns a function that computes the geometry of a space at the time of the snapshot. Any goroutine may call
// it, once.
func (s *snapshot) geometry(ctx context.Context, space *solvers.Space) (func() (solvers.Geometry, error), error) {
	if space.Moving == nil {
		return func() (solvers.Geometry, error) { return space.Geometry(ctx) }, nil
	}
	m := space.Moving()
	copies, err := s.copyFields(ctx, m.Field.Space, []solvers.Field{m.Field})
	return func() (solvers.Geometry, error) {
		numbers, err := copies.Read(s.arrays.Array)
		if err != nil {
			return solvers.Geometry{}, err
		}
		cells, points := m.Cells()
		g := *cells
		g.Points = s.arrays.Array(3 * points)
		piece.SetPoints(g.Points, numbers[0], len(m.Field.Numbers()))
		return solvers.Geometry{Mesh: &g}, nil
	}, err
}

// snapshotOfShape takes a snapshot of a shape.
func (b *builder) snapshotOfShape(ctx context.Context, s *solvers.Shape) (*snapshot, error) {
	if s.Field == nil {
		p, err := b.faces(ctx, s)
		return readySnapshot(p), err
	}
	from, err := s.Field(ctx)
	if err != nil {
		return nil, err
	}
	taken := &snapshot{}
	copies, err := taken.copyFields(ctx, from.Space, []solvers.Field{from})
	if err != nil {
		return nil, err
	}
	timeValue := b.timeValue()
	taken.makePiece = func() (piece.Piece, error) {
		numbers, err := copies.Read(newArray)
		if err != nil {
			return nil, err
		}
		p := s.FacesOf(numbers[0])
		b.complete(p, timeValue)
		return pieceOf(s, p), nil
	}
	return taken, nil
}

// complete adds the data that all frames have.
func (b *builder) complete(p *solvers.Faces, timeValue vtk.Arrays) {
	count := p.Verts.Len() + p.Lines.Len() + p.Polys.Len()
	p.FieldData = slices.Concat(timeValue, p.FieldData)
	p.CellData = append(vtk.Arrays{b.ranks(count)}, p.CellData...)
}

func (b *builder) faces(ctx context.Context, s *solvers.Shape) (piece.Piece, error) {
	p, err := s.Faces(ctx)
	if err != nil {
		return nil, err
	}
	b.complete(p, b.timeValue())
	if p.Space != nil {
		entities := append([]int{}, p.Entities...) // not nil, even on a rank without faces
		fields := solvers.Named(b.run.Fields, p.FieldNames)
		for _, f := range b.run.Written {
			if f.Space == p.Space && !slices.Contains(p.FieldNames, f.Name) {
				fields = append(fields, f)
			}
		}
		for _, f := range fields {
			values, err := f.Read(ctx)
			if err != nil {
				return nil, err
			}
			p.CellData = append(p.CellData, piece.FieldArray(&f, values, entities))
		}
	}
	return pieceOf(s, p), nil
}

// pieceOf returns the faces as a piece of the shape's file format.
func pieceOf(s *solvers.Shape, p *solvers.Faces) piece.Piece {
	switch s.File {
	case "stl":
		return (*piece.STL)(&p.PolyData)
	case "obj":
		return (*piece.OBJ)(&p.PolyData)
	}
	return (*piece.Faces)(&p.PolyData)
}

// constantsOf makes the arrays that are the same in all frames of a space.
func (b *builder) constantsOf(space *solvers.Space) vtk.Arrays {
	arrays := vtk.Arrays{b.ranks(space.Owned)}
	if space.Format == "vtu" { // cells of meshes are not ordered by key
		arrays = append(arrays, piece.Keys(space))
	}
	for k := range arrays {
		arrays[k].Constant = !space.Changing
	}
	return arrays
}

// ranks returns the array "rank" for a number of cells.
func (b *builder) ranks(cells int) vtk.Array {
	return vtk.Array{Name: "rank", Components: 1, Data: slices.Repeat([]int32{int32(b.run.Comm.Rank())}, cells)}
}

func newArray(n int) []float64 { return make([]float64, n) }

func (b *builder) timeValue() vtk.Arrays {
	return vtk.Arrays{{Name: "TimeValue", Components: 1, Data: []float64{b.run.Solver.Clock().Time}}}
}
