package vtk

import (
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/vtk/internal/xmldata"
)

// ReadPolyData reads a .vtp file, or a .pvtp file with the pieces that it lists; the type is that of the content, not
// of the name. Pieces are joined in their order; points at the same position are not merged. All pieces with points (or
// cells) must have the same point (or cell) arrays; field data are those of the first piece that has any. Triangle
// strips are refused. Errors name the file and the element.
func ReadPolyData(path string) (*PolyData, error) {
	return readFile(path, "PolyData", parsePolyData, readPolyIndex)
}

// parsePolyData decodes the pieces of a .vtp file.
func parsePolyData(file []byte, root, appended *xmldata.Element) (*PolyData, error) {
	c, err := newDecoder(file, root, appended)
	if err != nil {
		return nil, err
	}
	e, err := root.Needed("PolyData")
	if err != nil {
		return nil, err
	}
	field, err := c.section(e, "FieldData", -1)
	if err != nil {
		return nil, err
	}
	var pieces []*PolyData
	for i, p := range piecesOf(e) {
		piece, err := c.polyPiece(p)
		if err != nil {
			return nil, fmt.Errorf("piece %d: %w", i, err)
		}
		pieces = append(pieces, piece)
	}
	p, err := joinPolyData(pieces)
	if err != nil {
		return nil, err
	}
	p.FieldData = field
	return p, nil
}

func (c decoder) polyPiece(e *xmldata.Element) (*PolyData, error) {
	points, err := e.Count("NumberOfPoints", c.BytesLeft)
	if err != nil {
		return nil, err
	}
	if strips := e.Attribute("NumberOfStrips"); strips != "" && strips != "0" {
		return nil, e.Errorf("triangle strips are not supported; convert them to triangles")
	}
	p := &PolyData{}
	if p.Points, err = c.points(e, points); err != nil {
		return nil, err
	}
	for _, k := range p.kinds() {
		if e.Attribute("NumberOf"+k.tag) == "" {
			continue
		}
		n, err := e.Count("NumberOf"+k.tag, c.BytesLeft)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			continue
		}
		cells, err := e.Needed(k.tag)
		if err != nil {
			return nil, err
		}
		if k.cells.Connectivity, k.cells.Offsets, err = c.connectivity(cells, n); err != nil {
			return nil, err
		}
	}
	if p.PointData, err = c.section(e, "PointData", points); err != nil {
		return nil, err
	}
	if p.CellData, err = c.section(e, "CellData", int64(p.cells())); err != nil {
		return nil, err
	}
	if err := p.checkCells(); err != nil {
		return nil, e.Errorf("%w", err)
	}
	return p, nil
}

// readPolyIndex reads the pieces of a .pvtp file.
func readPolyIndex(path string, root *xmldata.Element) (*PolyData, error) {
	names, err := sources(root)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	pieces, err := readPieces(path, names, "PolyData", parsePolyData)
	if err != nil {
		return nil, err
	}
	p, err := joinPolyData(pieces)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// joinPolyData joins pieces. Cell data are in the order of cell types, within a type in the order of pieces.
func joinPolyData(pieces []*PolyData) (*PolyData, error) {
	if len(pieces) == 1 {
		return pieces[0], nil
	}
	joined := &PolyData{}
	var err error
	for i, p := range pieces {
		if len(joined.FieldData) == 0 {
			joined.FieldData = p.FieldData
		}
		if joined.PointData, err = joined.PointData.join("point data", p.PointData, joined.points(), p.points()); err != nil {
			return nil, fmt.Errorf("piece %d: %w", i, err)
		}
		joined.Points = append(joined.Points, p.Points...)
	}
	cells := 0
	for kind, k := range joined.kinds() {
		before := 0 // points of earlier pieces
		for i, p := range pieces {
			kinds, first := p.kinds(), 0
			for _, earlier := range kinds[:kind] {
				first += earlier.cells.Len()
			}
			pieceCells := kinds[kind].cells
			data, err := p.CellData.part(first, first+pieceCells.Len())
			if err == nil {
				joined.CellData, err = joined.CellData.join("cell data", data, cells, pieceCells.Len())
			}
			if err != nil {
				return nil, fmt.Errorf("piece %d: %w", i, err)
			}
			k.cells.join(pieceCells, int64(before))
			cells += pieceCells.Len()
			before += p.points()
		}
	}
	return joined, nil
}

// part returns the tuples [lo, hi) of each array.
func (list Arrays) part(lo, hi int) (Arrays, error) {
	var cut Arrays
	for _, a := range list {
		v, err := xmldata.Wrap(a.Data)
		if err != nil {
			return nil, err
		}
		a.Data = v.Part(lo*a.width(), hi*a.width()).Data()
		cut = append(cut, a)
	}
	return cut, nil
}

// join appends the cells of a piece, and adds first to the ids of their points.
func (c *Cells) join(piece *Cells, first int64) {
	entries := int64(len(c.Connectivity))
	c.Connectivity = slices.Grow(c.Connectivity, len(piece.Connectivity))
	for _, p := range piece.Connectivity {
		c.Connectivity = append(c.Connectivity, p+first)
	}
	c.Offsets = slices.Grow(c.Offsets, len(piece.Offsets))
	for _, o := range piece.Offsets {
		c.Offsets = append(c.Offsets, o+entries)
	}
}
