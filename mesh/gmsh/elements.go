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
	case kind == tetrahedronKind:
		r.solid.Cells = slices.Grow(r.solid.Cells, n)
		r.solid.CellTag = slices.Grow(r.solid.CellTag, n)
		r.cellTags = slices.Grow(r.cellTags, n)
	case kind == triangleKind && r.solid == nil:
		r.mesh.Cells = slices.Grow(r.mesh.Cells, n)
		r.mesh.CellGroup = slices.Grow(r.mesh.CellGroup, n)
		r.cellTags = slices.Grow(r.cellTags, n)
	}
}

// element adds an element: a cell with its first group, or a face, edge or point, once for each group. Faces, edges and
// points without a group are skipped.
func (r *reader) element(pos int, element int64, nodes []int64, groups []int32) error {
	d := r.dim()
	if len(nodes) <= d && len(groups) == 0 {
		return nil
	}
	var v [4]int32
	if err := r.vertices(pos, element, nodes, v[:]); err != nil {
		return err
	}
	if len(nodes) == 1 {
		r.points = append(r.points, v[0])
		return nil
	}
	if r.solid != nil {
		r.addSolid(element, nodes, v, groups)
		return nil
	}
	if len(nodes) == 2 {
		for _, g := range groups {
			r.mesh.Tagged = append(r.mesh.Tagged, mesh.TaggedEdge{A: v[0], B: v[1], Group: g})
		}
		return nil
	}
	group := int32(-1)
	if len(groups) > 0 {
		group = groups[0]
	}
	r.mesh.Cells = append(r.mesh.Cells, [3]int32(v[:3]))
	r.cellTags = append(r.cellTags, element)
	r.mesh.CellGroup = append(r.mesh.CellGroup, group)
	r.groups.HasCells = r.groups.HasCells || group >= 0
	return nil
}
