package vtk

import (
	"fmt"
	"math"
)

// Read reads a .vtu file, or a .pvtu file with the pieces that it lists; what the file says it is counts, not its
// name. Pieces become one grid, in their order: points that two of them share stay apart. Each that has points (or
// cells) must have the same point (or cell) arrays; field data are those of the first that has any. Polyhedra, and
// arrays that are not of numbers, are refused; strings (elements Array) are passed over.
// Errors name the file and the element.
func Read(path string) (*Grid, error) {
	return readFile(path, "UnstructuredGrid", parseGrid, readIndex)
}

// parseGrid decodes the pieces of a .vtu file.
func parseGrid(data []byte, root, appended *element) (*Grid, error) {
	c, err := newCodec(data, root, appended)
	if err != nil {
		return nil, err
	}
	e, err := root.needed("UnstructuredGrid")
	if err != nil {
		return nil, err
	}
	g := &Grid{}
	if g.FieldData, err = c.section(e, "FieldData", -1); err != nil {
		return nil, err
	}
	for i, p := range e.pieces() {
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

func (c *codec) piece(e *element) (*Grid, error) {
	points, err := e.count("NumberOfPoints", c.budget)
	if err != nil {
		return nil, err
	}
	cells, err := e.count("NumberOfCells", c.budget)
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
		return nil, e.errorf("%w", err)
	}
	return g, nil
}

// points decodes the coordinates of a piece.
func (c *codec) points(piece *element, n int64) ([]float64, error) {
	if n == 0 {
		return nil, nil
	}
	e, err := piece.needed("Points")
	if err != nil {
		return nil, err
	}
	if e, err = e.needed("DataArray"); err != nil {
		return nil, err
	}
	if width, err := components(e); err != nil || width != 3 {
		return nil, e.errorf("points have 3 coordinates; the attribute NumberOfComponents=%q says otherwise",
			e.attribute("NumberOfComponents"))
	}
	v, err := c.decode(e, 3*n)
	if err != nil {
		return nil, err
	}
	return v.floats(), nil
}

// cells decodes the cells of a piece.
func (c *codec) cells(g *Grid, piece *element, n int64) error {
	if n == 0 {
		return nil
	}
	e, err := piece.needed("Cells")
	if err != nil {
		return err
	}
	if g.Connectivity, g.Offsets, err = c.connectivity(e, n); err != nil {
		return err
	}
	a, err := e.array("types")
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
			return a.errorf("cell %d is of type %d, which is not supported", i, t)
		}
		g.Types[i] = uint8(t)
	}
	return nil
}

// connectivity decodes which points n cells have. The offsets say how long the connectivity must be.
func (c *codec) connectivity(e *element, n int64) (connectivity, offsets []int64, err error) {
	ends, err := e.array("offsets")
	if err != nil {
		return nil, nil, err
	}
	points, err := e.array("connectivity")
	if err != nil {
		return nil, nil, err
	}
	if offsets, err = c.ids(ends, n); err != nil {
		return nil, nil, err
	}
	entries := offsets[n-1]
	if entries < 0 || entries > math.MaxInt64/8 {
		return nil, nil, ends.errorf("the last offset is %d", entries)
	}
	connectivity, err = c.ids(points, entries)
	return connectivity, offsets, err
}

// array returns the last array of that name.
func (e *element) array(name string) (found *element, err error) {
	for _, a := range e.children {
		if a.attribute("Name") == name {
			found = a
		}
	}
	if found == nil {
		return nil, e.errorf("there is no array %q in it", name)
	}
	return found, nil
}

func (c *codec) ids(e *element, n int64) ([]int64, error) {
	v, err := c.decode(e, n)
	if err != nil {
		return nil, err
	}
	ids, ok := v.ints()
	if !ok {
		return nil, e.errorf("values of type %s are needed as integers of 64 bits", v.typeName())
	}
	return ids, nil
}

// section decodes the arrays of a child of e, if there is one of that tag. tuples is how many tuples each must have,
// -1 for any.
func (c *codec) section(e *element, tag string, tuples int64) (Arrays, error) {
	s, err := e.child(tag)
	if err != nil || s == nil {
		return nil, err
	}
	return c.arrays(s, tuples)
}

// arrays decodes the arrays of a section. tuples is how many tuples each must have, -1 for any.
func (c *codec) arrays(section *element, tuples int64) (Arrays, error) {
	var list Arrays
	for _, e := range section.children {
		if e.tag != "DataArray" {
			continue
		}
		width, err := components(e)
		if err != nil {
			return nil, err
		}
		n := int64(-1)
		if tuples >= 0 {
			if n = tuples * width; n/width != tuples {
				return nil, e.errorf("%d tuples of %d values are too many", tuples, width)
			}
		}
		v, err := c.decode(e, n)
		if err != nil {
			return nil, err
		}
		if int64(v.len())%width != 0 {
			return nil, e.errorf("%d values are not a whole number of tuples of %d", v.len(), width)
		}
		a := Array{Name: e.attribute("Name"), Components: int(width), Data: v.data()}
		if _, twice := list.Find(a.Name); twice {
			return nil, e.errorf("a second array of that name in %s", section.tag)
		}
		list = append(list, a)
	}
	return list, nil
}

// components returns the number of values in a tuple, which is 1 where the element does not say.
func components(e *element) (int64, error) {
	if e.attribute("NumberOfComponents") == "" {
		return 1, nil
	}
	n, err := e.count("NumberOfComponents", math.MaxInt32)
	if n == 0 && err == nil {
		n = 1 // as some writers have it for scalars
	}
	return n, err
}
