package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh/vdb"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
)

// piece is a rank's part of a frame: what the host holds of the state at one moment.
type piece interface {
	write(path string) error
	// join writes the file that makes one of all ranks' pieces, whose paths are relative to its folder.
	join(path string, pieces []string) error
}

// sharedPiece is a piece of a file that all ranks write at once.
type sharedPiece interface {
	share(compress bool) (*vtk.Share, error)
}

// meshPiece is of the cells of a mesh, format vtu.
type meshPiece vtk.Grid

func (p *meshPiece) write(path string) error { return vtk.Write(path, (*vtk.Grid)(p)) }

func (p *meshPiece) share(compress bool) (*vtk.Share, error) { return (*vtk.Grid)(p).Share(compress) }

func (p *meshPiece) join(path string, pieces []string) error {
	return vtk.WritePVTU(path, pieces, (*vtk.Grid)(p))
}

// imagePiece is of a grid, format vti, with the boxes of all ranks.
type imagePiece struct {
	*vtk.Image
	boxes []vtk.Box
}

func (p *imagePiece) write(path string) error { return vtk.WriteImage(path, p.Image) }

func (p *imagePiece) share(compress bool) (*vtk.Share, error) { return p.Image.Share(compress) }

func (p *imagePiece) join(path string, pieces []string) error {
	if len(pieces) != len(p.boxes) {
		return fmt.Errorf("%s: %d pieces of %d boxes", path, len(pieces), len(p.boxes))
	}
	all := make([]vtk.ImagePiece, len(pieces))
	for r, file := range pieces {
		all[r] = vtk.ImagePiece{Box: p.boxes[r], File: file}
	}
	return vtk.WritePVTI(path, all, p.Image)
}

// volumeFormat is of a grid, in a file that OpenVDB reads.
const volumeFormat = "vdb"

// volumePiece is of a grid, format vdb: an image that is joined to one file.
type volumePiece struct {
	imagePiece
	fields []solvers.Field
}

func (p *volumePiece) join(path string, pieces []string) error {
	index := strings.TrimSuffix(path, filepath.Ext(path)) + ".pvti"
	if err := p.imagePiece.join(index, pieces); err != nil {
		return err
	}
	all, err := vtk.ReadImage(index)
	if err := errors.Join(err, os.Remove(index)); err != nil {
		return err
	}
	var grids []vdb.Grid
	for _, f := range p.fields {
		a, found := all.CellData.Find(f.Name)
		if !found || a.Components > 1 {
			continue // a vector, which has no such grid
		}
		g := vdb.Grid{Name: f.Name, N: all.Whole, Spacing: all.Spacing, First: all.Origin, Values: a.Float64s(),
			Background: f.Beyond, LevelSet: f.Beyond > 0}
		if all.Dim == 2 {
			g.Spacing[2] = max(g.Spacing[0], g.Spacing[1])
		}
		for d := range all.Dim {
			g.First[d] += g.Spacing[d] / 2
		}
		grids = append(grids, g)
	}
	if len(grids) == 0 {
		return fmt.Errorf("%s: of the fields none has one number a cell", path)
	}
	return vdb.Write(path, grids...)
}

// facesPiece is of a shape, format vtp.
type facesPiece vtk.PolyData

func (p *facesPiece) write(path string) error { return vtk.WritePolyData(path, (*vtk.PolyData)(p)) }

func (p *facesPiece) share(compress bool) (*vtk.Share, error) {
	return (*vtk.PolyData)(p).Share(compress)
}

func (p *facesPiece) join(path string, pieces []string) error {
	return vtk.WritePVTP(path, pieces, (*vtk.PolyData)(p))
}

// drawer makes pieces of frames of what a solver declares.
type drawer struct {
	solver solvers.Solver
	rank   int32
	fields []solvers.Field // that the case writes
	all    []solvers.Field
	shapes []solvers.Shape
	mine   []int32 // the rank, as often as a frame has asked for
}

func newDrawer(s solvers.Solver, rank int, names []string) *drawer {
	d := &drawer{solver: s, rank: int32(rank), all: s.Fields(), shapes: s.Shapes()}
	d.fields = solvers.Named(d.all, names)
	return d
}

// file is the kind of file that a format is written to, "" if the solver has no such format.
func (d *drawer) file(format string) string {
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
func (d *drawer) space(format string) *solvers.Space {
	switch format {
	case volumeFormat:
		format = "vti"
	case recordFormat:
		format = "vtu"
	}
	for _, f := range d.all {
		if f.On.Format == format {
			return f.On
		}
	}
	return nil
}

// piece draws the state as it is.
func (d *drawer) piece(ctx context.Context, format string) (piece, error) {
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
		if f.On != on {
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
		p.CellData, p.FieldData = data, d.moment()
		return (*meshPiece)(&p), nil
	}
	p := *g.Block
	p.CellData, p.FieldData = data, d.moment()
	if format == volumeFormat {
		return &volumePiece{imagePiece{&p, g.Boxes}, d.fields}, nil
	}
	return &imagePiece{&p, g.Boxes}, nil
}

func (d *drawer) faces(ctx context.Context, s *solvers.Shape) (piece, error) {
	p, err := s.Faces(ctx)
	if err != nil {
		return nil, err
	}
	count := p.Verts.Len() + p.Lines.Len() + p.Polys.Len()
	p.FieldData = slices.Concat(d.moment(), p.FieldData)
	p.CellData = append(vtk.Arrays{d.ranks(count)}, p.CellData...)
	if p.On != nil {
		of := append([]int{}, p.Of...) // not nil, of a rank without faces
		fields := solvers.Named(d.all, p.Carry)
		for _, f := range d.fields {
			if f.On == p.On && !slices.Contains(p.Carry, f.Name) {
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
		return (*stlPiece)(&p.PolyData), nil
	case "obj":
		return (*objPiece)(&p.PolyData), nil
	}
	return (*facesPiece)(&p.PolyData), nil
}

// ranks tells of so many cells whose they are.
func (d *drawer) ranks(cells int) vtk.Array {
	if len(d.mine) < cells {
		d.mine = slices.Repeat([]int32{d.rank}, cells)
	}
	return vtk.Array{Name: "rank", Components: 1, Data: d.mine[:cells:cells]}
}

func (d *drawer) moment() vtk.Arrays {
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
	a := vtk.Array{Name: f.Name, Components: width}
	if of == nil && width == n {
		a.Data = values
		return a, nil
	}
	if of == nil {
		of = make([]int, f.On.Owned)
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
