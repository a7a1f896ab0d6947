package vtk

import (
	"fmt"
	"os"
	"strconv"
)

// Write writes a grid to a .vtu file, which appears under its name only when it is complete. The bytes depend on
// the grid alone. Errors name the file.
func Write(path string, g *Grid) error {
	if err := g.check(); err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, err)
	}
	err := replaceFile(path, func(f *os.File) error { return writeGrid(f, g) })
	if err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, err)
	}
	return nil
}

func writeGrid(f *os.File, g *Grid) error {
	d := newDocument(f, "UnstructuredGrid")
	d.open("UnstructuredGrid")
	if len(g.FieldData) > 0 {
		d.open("FieldData")
		for _, a := range g.FieldData {
			v, err := wrap(a.Data)
			if err != nil {
				return err
			}
			d.array(a.Name, a.width(), v, "NumberOfTuples", strconv.Itoa(a.Tuples()))
		}
		d.close("FieldData")
	}
	d.open("Piece", "NumberOfPoints", strconv.Itoa(g.points()), "NumberOfCells", strconv.Itoa(len(g.Types)))
	d.dataSection("PointData", g.PointData)
	d.dataSection("CellData", g.CellData)
	d.open("Points")
	d.array("Points", 3, slice[float64](g.Points))
	d.close("Points")
	d.open("Cells")
	d.array("connectivity", 1, indices(g.Connectivity, int64(g.points())))
	d.array("offsets", 1, indices(g.Offsets, int64(len(g.Connectivity))))
	d.array("types", 1, slice[uint8](g.Types))
	d.close("Cells")
	d.close("Piece")
	d.close("UnstructuredGrid")
	return d.finish()
}
