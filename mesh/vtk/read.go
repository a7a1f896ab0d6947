package vtk

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh/vtk/internal/xmldata"
)

// Read reads a .vtu file, or a .pvtu file with the pieces that it lists; the type is that of the content, not of the
// name. Pieces are joined in their order; points at the same position are not merged. All pieces with points (or cells)
// must have the same point (or cell) arrays; field data are those of the first piece that has any. Polyhedra, and
// DataArrays whose type is not numeric, are refused; strings (elements Array) are skipped. Errors name the file and the
// element.
func Read(path string) (*Grid, error) {
	return readFile(path, "UnstructuredGrid", parseGrid, readIndex)
}

// parseGrid decodes the pieces of a .vtu file.
func parseGrid(data []byte, root, appended *xmldata.Element) (*Grid, error) {
	c, err := newDecoder(data, root, appended)
	if err != nil {
		return nil, err
	}
	e, err := root.Needed("UnstructuredGrid")
	if err != nil {
		return nil, err
	}
	g := &Grid{}
	if g.FieldData, err = c.section(e, "FieldData", -1); err != nil {
		return nil, err
	}
	for i, p := range piecesOf(e) {
		piece, err := c.piece(p)
		if err == nil {
			err = g.join(piece)
		}
		if err != nil {
			return nil, fmt.Errorf("piece %d: %w", i, err)
		}
	}
	return g, nil
}

// decoder reads sections of a file that has been parsed.
type decoder struct{ *xmldata.Codec }

func newDecoder(file []byte, root, appended *xmldata.Element) (decoder, error) {
	c, err := xmldata.NewCodec(file, root, appended)
	return decoder{c}, err
}

func (c decoder) piece(e *xmldata.Element) (*Grid, error) {
	points, err := e.Count("NumberOfPoints", c.BytesLeft)
	if err != nil {
		return nil, err
	}
	cells, err := e.Count("NumberOfCells", c.BytesLeft)
	if err != nil {
		return nil, err
	}
	g := &Grid{}
	if g.Points, err = c.points(e, points); err != nil {
		return nil, err
	}
	if err := c.cells(g, e, cells); err != nil {
		return nil, err
	}
	if g.PointData, err = c.section(e, "PointData", points); err != nil {
		return nil, err
	}
	if g.CellData, err = c.section(e, "CellData", cells); err != nil {
		return nil, err
	}
	if err := g.checkCells(); err != nil {
		return nil, e.Errorf("%w", err)
	}
	return g, nil
}

// points decodes the coordinates of a piece.
func (c decoder) points(piece *xmldata.Element, n int64) ([]float64, error) {
	if n == 0 {
		return nil, nil
	}
	e, err := piece.Needed("Points")
	if err != nil {
		return nil, err
	}
	if e, err = e.Needed("DataArray"); err != nil {
		return nil, err
	}
	if width, err := components(e); err != nil || width != 3 {
		return nil, e.Errorf("the attribute NumberOfComponents=%q of points; want 3",
			e.Attribute("NumberOfComponents"))
	}
	v, err := c.Decode(e, 3*n)
	if err != nil {
		return nil, err
	}
	return v.Floats(), nil
}

// cells decodes the cells of a piece.
func (c decoder) cells(g *Grid, piece *xmldata.Element, n int64) error {
	if n == 0 {
		return nil
	}
	e, err := piece.Needed("Cells")
	if err != nil {
		return err
	}
	if g.Connectivity, g.Offsets, err = c.connectivity(e, n); err != nil {
		return err
	}
	a, err := arrayOf(e, "types")
	if err != nil {
		return err
	}
	types, err := c.ids(a, n)
	if err != nil {
		return err
	}
	g.Types = make([]uint8, n)
	for i, t := range types {
		if t <= 0 || t > math.MaxUint8 || t == typePolyhedron {
			return a.Errorf("cell %d is of type %d, which is not supported", i, t)
		}
		g.Types[i] = uint8(t)
	}
	return nil
}

// connectivity decodes the points of n cells. The last offset is the length of the connectivity.
func (c decoder) connectivity(e *xmldata.Element, n int64) (connectivity, offsets []int64, err error) {
	ends, err := arrayOf(e, "offsets")
	if err != nil {
		return nil, nil, err
	}
	points, err := arrayOf(e, "connectivity")
	if err != nil {
		return nil, nil, err
	}
	if offsets, err = c.ids(ends, n); err != nil {
		return nil, nil, err
	}
	entries := offsets[n-1]
	if entries < 0 || entries > math.MaxInt64/8 {
		return nil, nil, ends.Errorf("the last offset is %d; want the number of entries of the connectivity", entries)
	}
	connectivity, err = c.ids(points, entries)
	return connectivity, offsets, err
}

// arrayOf returns the last array with the given name.
func arrayOf(e *xmldata.Element, name string) (found *xmldata.Element, err error) {
	for _, a := range e.Children {
		if a.Attribute("Name") == name {
			found = a
		}
	}
	if found == nil {
		return nil, e.Errorf("the element has no array %q", name)
	}
	return found, nil
}

// ids decodes an array of n integers.
func (c decoder) ids(e *xmldata.Element, n int64) ([]int64, error) {
	v, err := c.Decode(e, n)
	if err != nil {
		return nil, err
	}
	ids, ok := v.Ints()
	if !ok {
		return nil, e.Errorf("the values have type %s; want integers of at most 64 bits", v.TypeName())
	}
	return ids, nil
}

// section decodes the arrays of the child of e with a tag, nil if there is none. Each must have the given number of
// tuples; -1 accepts any number.
func (c decoder) section(e *xmldata.Element, tag string, tuples int64) (Arrays, error) {
	s, err := e.Child(tag)
	if err != nil || s == nil {
		return nil, err
	}
	return c.arrays(s, tuples)
}

// arrays decodes the arrays of a section. Each must have the given number of tuples; -1 accepts any number.
func (c decoder) arrays(section *xmldata.Element, tuples int64) (Arrays, error) {
	var list Arrays
	for _, e := range section.Children {
		if e.Tag != "DataArray" {
			continue
		}
		width, err := components(e)
		if err != nil {
			return nil, err
		}
		n := int64(-1)
		if tuples >= 0 {
			if n = tuples * width; n/width != tuples {
				return nil, e.Errorf("%d tuples of %d values are too many", tuples, width)
			}
		}
		v, err := c.Decode(e, n)
		if err != nil {
			return nil, err
		}
		if int64(v.Len())%width != 0 {
			return nil, e.Errorf("%d values are not a multiple of the %d components", v.Len(), width)
		}
		a := Array{Name: e.Attribute("Name"), Components: int(width), Data: v.Data()}
		if _, twice := list.Find(a.Name); twice {
			return nil, e.Errorf("a second array with that name in %s", section.Tag)
		}
		list = append(list, a)
	}
	return list, nil
}

// components returns the number of values in a tuple, which is 1 if the element does not have the attribute.
func components(e *xmldata.Element) (int64, error) {
	if e.Attribute("NumberOfComponents") == "" {
		return 1, nil
	}
	n, err := e.Count("NumberOfComponents", math.MaxInt32)
	if n == 0 && err == nil {
		n = 1 // some writers write 0 for scalars
	}
	return n, err
}
