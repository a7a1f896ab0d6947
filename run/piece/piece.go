// Package piece writes the pieces of frames that ranks have, and the files that join them.
package piece

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/atoll-hpc/atoll/mesh/vdb"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
)

// Piece is a rank's part of a frame: what the host holds of the state at one moment.
type Piece interface {
	Write(path string) error
	// Join writes the file that makes one of all ranks' pieces, whose paths are relative to its folder.
	Join(path string, pieces []string) error
}

// Shared is a piece of a file that all ranks write at once.
type Shared interface {
	Share(compress bool) (*vtk.Share, error)
}

// Mesh is of the cells of a mesh, format vtu.
type Mesh vtk.Grid

func (p *Mesh) Write(path string) error { return vtk.Write(path, (*vtk.Grid)(p)) }

func (p *Mesh) Share(compress bool) (*vtk.Share, error) { return (*vtk.Grid)(p).Share(compress) }

func (p *Mesh) Join(path string, pieces []string) error {
	return vtk.WritePVTU(path, pieces, (*vtk.Grid)(p))
}

// Image is of a grid, format vti, with the boxes of all ranks.
type Image struct {
	*vtk.Image
	Boxes []vtk.Box
}

func (p *Image) Write(path string) error { return vtk.WriteImage(path, p.Image) }

func (p *Image) Share(compress bool) (*vtk.Share, error) { return p.Image.Share(compress) }

func (p *Image) Join(path string, pieces []string) error {
	if len(pieces) != len(p.Boxes) {
		return fmt.Errorf("%s: %d pieces of %d boxes", path, len(pieces), len(p.Boxes))
	}
	all := make([]vtk.ImagePiece, len(pieces))
	for r, file := range pieces {
		all[r] = vtk.ImagePiece{Box: p.Boxes[r], File: file}
	}
	return vtk.WritePVTI(path, all, p.Image)
}

// Volume is of a grid, format vdb: an image that is joined to one file.
type Volume struct {
	Image
	Fields []solvers.Field
}

func (p *Volume) Join(path string, pieces []string) error {
	index := strings.TrimSuffix(path, filepath.Ext(path)) + ".pvti"
	if err := p.Image.Join(index, pieces); err != nil {
		return err
	}
	all, err := vtk.ReadImage(index)
	if err := errors.Join(err, os.Remove(index)); err != nil {
		return err
	}
	var grids []vdb.Grid
	for _, f := range p.Fields {
		a, found := all.CellData.Find(f.Name)
		if !found || a.Components > 1 {
			continue // a vector, which has no such grid
		}
		g := vdb.Grid{Name: f.Name, N: all.Whole, Spacing: all.Spacing, First: all.Origin, Values: a.Float64s(),
			Background: f.MaxDistance, LevelSet: f.MaxDistance > 0}
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

// Faces is of a shape, format vtp.
type Faces vtk.PolyData

func (p *Faces) Write(path string) error { return vtk.WritePolyData(path, (*vtk.PolyData)(p)) }

func (p *Faces) Share(compress bool) (*vtk.Share, error) {
	return (*vtk.PolyData)(p).Share(compress)
}

func (p *Faces) Join(path string, pieces []string) error {
	return vtk.WritePVTP(path, pieces, (*vtk.PolyData)(p))
}
