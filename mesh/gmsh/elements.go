package gmsh

import (
	"slices"
	"strconv"

	"github.com/atoll-hpc/atoll/mesh"
)

// elementNames has the names of the element types that are not read, by their numbers in the format.
var elementNames = map[int64]string{
	3: "a quadrangle", 4: "a tetrahedron", 5: "a hexahedron", 6: "a prism", 7: "a pyramid", 8: "a line of second order",
	9: "a triangle of second order", 10: "a quadrangle of second order", 11: "a tetrahedron of second order",
	16: "a quadrangle of second order", 21: "a triangle of third order", 26: "a line of third order",
}

// Numbers of element types in the format.
const (
	lineKind        = 1
	triangleKind    = 2
	tetrahedronKind = 4
	pyramidKind     = 7 // the last type of first order
	pointKind       = 15
)

// nodesOf returns the number of nodes of an element type, 0 for types that are refused.
func (r *reader) nodesOf(kind int64) int {
	switch {
	case kind == pointKind:
		return 1
	case kind == lineKind:
		return 2
	case kind == triangleKind:
		return 3
	case kind == tetrahedronKind && r.solid != nil:
		return 4
	}
	return 0
}

// refuse returns an error for an element of a type that is not read.
func (r *reader) refuse(pos int, element, kind int64) error {
	what, ok := elementNames[kind]
	if !ok {
		what = "of type " + strconv.FormatInt(kind, 10)
	}
	if r.solid != nil {
		return r.At(pos, "element %d is %s; a mesh in space must have tetrahedra of first order: switch off Recombine and "+
			"transfinite or extruded layers, and set Mesh.ElementOrder = 1", element, what)
	}
	want, advice := "of triangles or tetrahedra", "and set Mesh.ElementOrder = 1"
	if kind >= tetrahedronKind && kind <= pyramidKind { // other types occur both in the plane and in space
		want, advice = "of triangles", "set Mesh.ElementOrder = 1, and mesh in two dimensions (gmsh -2)"
	}
	err := r.At(pos, "element %d is %s; a mesh must be %s of first order: switch off Recombine, %s", element, what, want,
		advice)
	if kind == tetrahedronKind {
		return mesh.TetrahedraError(err)
	}
	return err
}

// vertices looks up the nodes of an element.
func (r *reader) vertices(pos int, element int64, tags []int64, v []int32) error {
	for i, tag := range tags {
		if v[i] = r.nodes.Of(tag); v[i] < 0 {
			return r.At(pos, "element %d refers to node %d, which is not in $Nodes", element, tag)
		}
	}
	return nil
}

// grow reserves memory for n cells of a type.
func (r *reader) grow(kind int64, n int) {
	switch {
	case kind == tetrahedronKind && r.solid != nil: // a mesh of triangles may have an empty block of tetrahedra
		r.solid.Cells = slices.Grow(r.solid.Cells, n)
	case kind == triangleKind && r.solid == nil:
		r.mesh.Cells = slices.Grow(r.mesh.Cells, n)
	default:
		return
	}
	r.cellTags, r.ofCells = slices.Grow(r.cellTags, n), slices.Grow(r.ofCells, n)
}

// element adds an element of an elementary entity, 0 if it is not known: a cell with its groups, or a face, edge or
// point, once for each group. Faces, edges and points without a group are kept until it is known whether the file has
// physical groups.
func (r *reader) element(pos int, element int64, nodes []int64, groups []int32, entity int64) error {
	isCell := len(nodes) > r.dim()
	if !isCell && len(groups) == 0 && (entity == 0 || r.physical) {
		return nil
	}
	var v [4]int32
	if err := r.vertices(pos, element, nodes, v[:]); err != nil {
		return err
	}
	switch {
	case isCell:
		r.addCell(element, v, groups, entity)
	case len(groups) == 0:
		r.loose = append(r.loose, looseElement{[3]int32(v[:3]), int8(len(nodes) - 1), int32(entity)})
	default:
		for _, g := range groups {
			r.addSide(len(nodes)-1, v, g)
		}
	}
	return nil
}

// addCell adds a cell. Version 2.2 repeats an element for each of its groups.
func (r *reader) addCell(element int64, v [4]int32, groups []int32, entity int64) {
	last := len(r.cellTags) - 1
	again := last >= 0 && len(groups) == 1 && !r.v41
	if r.solid != nil {
		again = again && r.solid.Cells[last] == v
	} else {
		again = again && r.mesh.Cells[last] == [3]int32(v[:3])
	}
	if again && r.join(last, groups[0]) {
		return
	}
	if r.solid != nil {
		r.solid.Cells = append(r.solid.Cells, v)
	} else {
		r.mesh.Cells = append(r.mesh.Cells, [3]int32(v[:3]))
	}
	r.cellTags = append(r.cellTags, element)
	r.ofCells = append(r.ofCells, r.set(groups))
	r.groups.HasCells = r.groups.HasCells || len(groups) > 0
	r.entityOfCell = append(r.entityOfCell, int32(entity))
}

// addSide adds a face, edge or point of a group: its index, or for points its tag.
func (r *reader) addSide(dim int, v [4]int32, group int32) {
	if dim == 0 {
		r.points = append(r.points, mesh.MarkedPoint{V: v[0], Tag: group})
		return
	}
	tag := int32(r.mesh.Groups[group].Tag)
	switch {
	case dim == 2:
		r.solid.Faces = append(r.solid.Faces, mesh.TaggedFace{V: [3]int32(v[:3]), Tag: tag})
	case r.solid != nil:
		r.lines = append(r.lines, mesh.MarkedEdge{A: v[0], B: v[1], Tag: tag})
	default:
		r.mesh.Tagged = append(r.mesh.Tagged, mesh.TaggedEdge{A: v[0], B: v[1], Group: group})
	}
}
