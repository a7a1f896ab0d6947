package vtk

import (
	"fmt"
	"strconv"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/mesh/vtk/internal/xmldata"
)

// Write writes a grid to a .vtu file, which appears under its name only when it is complete. The bytes depend only on
// the grid. Errors name the file.
func Write(path string, g *Grid) error {
	return writeData(path, g)
}

// writeChecked writes a file if check returns nil. Errors name the file.
func writeChecked(path string, check func() error, write func(*atomicfile.File) error) error {
	err := check()
	if err == nil {
		err = atomicfile.Write(path, write)
	}
	if err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, err)
	}
	return nil
}

// writeData writes data to a file of one piece, compressed: as the only part of a file that ranks could write
// together.
func writeData(path string, data divisible) error {
	var p *FilePart
	check := func() (err error) {
		p, err = newFilePart(data, true)
		return err
	}
	return writeChecked(path, check, func(f *atomicfile.File) error { return p.Write(f, []Sizes{p.sizes}, 0) })
}

func (g *Grid) document(compress bool) *document {
	d := newDocument("UnstructuredGrid", compress)
	d.open("UnstructuredGrid")
	d.fieldData(g.FieldData)
	d.beginPiece("NumberOfPoints", strconv.Itoa(g.points()), "NumberOfCells", strconv.Itoa(len(g.Types)))
	d.dataSection("PointData", g.PointData)
	d.dataSection("CellData", g.CellData)
	d.open("Points")
	d.array("Points", 3, xmldata.Slice[float64](g.Points))
	d.constant(g.ConstantPoints, 1)
	d.close("Points")
	d.open("Cells")
	d.connectivity(g.Connectivity, g.Offsets, g.points())
	d.array("types", 1, xmldata.Slice[uint8](g.Types))
	d.constant(g.ConstantCells, 3)
	d.close("Cells")
	d.close("Piece")
	return d
}
