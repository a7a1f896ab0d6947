// Package piece writes frames of distributed data: a Piece is one rank's part of a frame. Each rank writes its piece,
// and one rank joins them, to an index file or to a single file. A piece that is a PartOfFile can instead be written
// by all ranks to one file.
//
// There is a type for each format: Mesh (vtu), Image (vti), Faces (vtp), Volume (vdb), STL and OBJ. Buffers are arrays
// that frames use one after the other.
package piece

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/mesh/vdb"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
)

// Piece is a rank's part of a frame, in host memory.
type Piece interface {
	// Write writes the piece to a file of its own.
	Write(path string) error
	// Join writes the file that joins the pieces of all ranks. Their paths are relative to its folder.
	Join(path string, pieces []string) error
}

// PartOfFile is a piece that can be written as a part of one file, by all ranks in parallel.
type PartOfFile interface {
	// FilePart prepares the part; with compress its arrays are compressed.
	FilePart(compress bool) (*vtk.FilePart, error)
}

// Mesh is a piece of an unstructured mesh, format vtu.
type Mesh vtk.Grid

func (p *Mesh) Write(path string) error { return vtk.Write(path, (*vtk.Grid)(p)) }

func (p *Mesh) FilePart(compress bool) (*vtk.FilePart, error) {
	return (*vtk.Grid)(p).FilePart(compress)
}

func (p *Mesh) Join(path string, pieces []string) error {
	return vtk.WritePVTU(path, pieces, (*vtk.Grid)(p))
}

// Image is a piece of a grid, format vti. Boxes are the blocks of all ranks.
type Image struct {
	*vtk.Image
	Boxes []vtk.Box
}

func (p *Image) Write(path string) error { return vtk.WriteImage(path, p.Image) }

func (p *Image) FilePart(compress bool) (*vtk.FilePart, error) { return p.Image.FilePart(compress) }

func (p *Image) Join(path string, pieces []string) error {
	if len(pieces) != len(p.Boxes) {
		return fmt.Errorf("%s: %d pieces of %d boxes", path, len(pieces), len(p.Boxes))
	}
	imagePieces := make([]vtk.ImagePiece, len(pieces))
	for r, file := range pieces {
		imagePieces[r] = vtk.ImagePiece{Box: p.Boxes[r], File: file}
	}
	return vtk.WritePVTI(path, imagePieces, p.Image)
}

// Volume is a piece of a grid, format vdb. Pieces are images, which Join merges to one file.
type Volume struct {
	Image
	Fields []solvers.Field
}

func (p *Volume) Join(path string, pieces []string) error {
	index := strings.TrimSuffix(path, filepath.Ext(path)) + "_vdb.pvti" // .pvti is the index of a series of images
	if err := p.Image.Join(index, pieces); err != nil {
		return err
	}
	merged, err := vtk.ReadImage(index)
	if err := errors.Join(err, atomicfile.Remove(index)); err != nil {
		return err
	}
	var grids []vdb.Grid
	for _, f := range p.Fields {
		a, found := merged.CellData.Find(f.Name)
		if !found || a.Components > 1 {
			continue // a vector: grids in the file are scalar
		}
		g := vdb.Grid{Name: f.Name, N: merged.Whole, Spacing: merged.Spacing, First: merged.Origin, Values: a.Float64s(),
			Background: f.MaxDistance, LevelSet: f.MaxDistance > 0}
		if merged.Dim == 2 {
			g.Spacing[2] = max(g.Spacing[0], g.Spacing[1])
		}
		for d := range merged.Dim {
			g.First[d] += g.Spacing[d] / 2
		}
		grids = append(grids, g)
	}
	if len(grids) == 0 {
		return fmt.Errorf("%s: format vdb needs a field with one component; there is none", path)
	}
	return vdb.Write(path, grids...)
}

// Faces is a piece of points, lines or polygons, format vtp.
type Faces vtk.PolyData

func (p *Faces) Write(path string) error { return vtk.WritePolyData(path, (*vtk.PolyData)(p)) }

func (p *Faces) FilePart(compress bool) (*vtk.FilePart, error) {
	return (*vtk.PolyData)(p).FilePart(compress)
}

func (p *Faces) Join(path string, pieces []string) error {
	return vtk.WritePVTP(path, pieces, (*vtk.PolyData)(p))
}
