package vtk

import (
	"fmt"
	"strconv"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/mesh/vtk/internal/xmldata"
)

// PolyData has points, and vertices, lines and polygons of them: for example an interface, or a cloud of particles.
type PolyData struct {
	Points []float64 // x, y, z of each point
	Verts  Cells     // vertices of 1 point or more
	Lines  Cells     // polylines of 2 points or more
	Polys  Cells     // convex polygons of 3 points or more

	PointData Arrays // one tuple for each point
	CellData  Arrays // one tuple for each cell: first of Verts, then of Lines, then of Polys
	FieldData Arrays // as in Grid
}

// Cells has the points of cells.
type Cells struct {
	Connectivity []int64 // point ids of all cells, cell after cell
	Offsets      []int64 // end of each cell in Connectivity
}

// Add appends a cell.
func (c *Cells) Add(points ...int64) {
	c.Connectivity = append(c.Connectivity, points...)
	c.Offsets = append(c.Offsets, int64(len(c.Connectivity)))
}

// Len is the number of cells.
func (c *Cells) Len() int { return len(c.Offsets) }

// Cell returns the point ids of cell i, a part of Connectivity.
func (c *Cells) Cell(i int) []int64 {
	first := int64(0)
	if i > 0 {
		first = c.Offsets[i-1]
	}
	return c.Connectivity[first:c.Offsets[i]]
}

func (p *PolyData) points() int { return len(p.Points) / 3 }
func (p *PolyData) cells() int  { return p.Verts.Len() + p.Lines.Len() + p.Polys.Len() }

// cellKind is one of the three types of cells.
type cellKind struct {
	tag   string
	cells *Cells
	least int // minimum number of points of a cell
}

// kinds returns the types of cells in the order of cell data.
func (p *PolyData) kinds() []cellKind {
	return []cellKind{{"Verts", &p.Verts, 1}, {"Lines", &p.Lines, 2}, {"Polys", &p.Polys, 3}}
}

// checkCells refuses cells with too few points, and ids of points out of range.
func (p *PolyData) checkCells() error {
	if len(p.Points)%3 != 0 {
		return fmt.Errorf("the points have %d coordinates, not a multiple of 3", len(p.Points))
	}
	for _, k := range p.kinds() {
		if err := checkConnectivity(k.cells.Connectivity, k.cells.Offsets, p.points()); err != nil {
			return fmt.Errorf("%s: %w", k.tag, err)
		}
		for i := range k.cells.Len() {
			if n := len(k.cells.Cell(i)); n < k.least {
				return fmt.Errorf("%s: cell %d has %d points, want at least %d", k.tag, i, n, k.least)
			}
		}
	}
	return nil
}

// check refuses data that cannot be written.
func (p *PolyData) check() error {
	if err := p.checkCells(); err != nil {
		return err
	}
	if err := p.PointData.check("point data", p.points()); err != nil {
		return err
	}
	if err := p.CellData.check("cell data", p.cells()); err != nil {
		return err
	}
	return p.FieldData.check("field data", -1)
}

// WritePolyData writes a .vtp file, which appears under its name only when it is complete. The bytes depend only on the
// data. Errors name the file.
func WritePolyData(path string, p *PolyData) error {
	return writeData(path, p)
}

func (p *PolyData) document(compress bool) *document {
	d := newDocument("PolyData", compress)
	d.open("PolyData")
	d.fieldData(p.FieldData)
	piece := []string{"NumberOfPoints", strconv.Itoa(p.points())}
	for _, k := range p.kinds() {
		piece = append(piece, "NumberOf"+k.tag, strconv.Itoa(k.cells.Len()))
	}
	d.beginPiece(append(piece, "NumberOfStrips", "0")...)
	d.dataSection("PointData", p.PointData)
	d.dataSection("CellData", p.CellData)
	d.open("Points")
	d.array("Points", 3, xmldata.Slice[float64](p.Points))
	d.close("Points")
	for _, k := range p.kinds() {
		d.open(k.tag)
		d.connectivity(k.cells.Connectivity, k.cells.Offsets, p.points())
		d.close(k.tag)
	}
	d.close("Piece")
	return d
}

// WritePVTP writes the index of poly data whose pieces are .vtp files, given relative to the folder of path. like is
// any of the pieces: all must have point data and cell data with the same names, types and components, in the same
// order. A viewer opens the index, so it should be written after the pieces.
func WritePVTP(path string, pieces []string, like *PolyData) error {
	check := func() error {
		if err := checkSources(pieces); err != nil {
			return err
		}
		return like.check()
	}
	return writeChecked(path, check, func(f *atomicfile.File) error {
		return writeIndex(f, "PPolyData", nil, []section{
			{"PPointData", like.PointData},
			{"PCellData", like.CellData},
			{"PPoints", Arrays{{Name: "Points", Components: 3, Data: like.Points}}},
		}, sourcesOnly(pieces))
	})
}
