// Package mesh has unstructured meshes of triangles in the plane (Mesh) and of tetrahedra (Solid): their topology,
// checks, repairs and generators. File formats are packages below it (gmsh, medit, vtk, …); package mesh/meshio
// chooses one by the extension of a file.
package mesh

import "fmt"

// Mesh is a conforming triangle mesh in the plane. Vertex and cell ids are indices into its slices. The cell ids of the
// mesh as read are the global ids of a run, whatever ordering or partition the run uses.
type Mesh struct {
	X, Y      []float64    // vertex coordinates
	Cells     [][3]int32   // vertex ids of each triangle, counter-clockwise
	Groups    []Group      // physical groups; CellGroup and Tagged refer to them by index
	CellGroup []int32      // group of each cell, -1 for none; nil if no cell has one
	Tagged    []TaggedEdge // edges that belong to a physical group

	// CellData and VertexData hold the scalar fields of the file, by name. Third coordinates, if not all zero, are the
	// vertex field "z".
	CellData, VertexData map[string][]float64

	// Geographic means that X and Y are longitudes and latitudes in degrees, on the earth: see package sphere. Lengths
	// and areas of a Part are then those on the earth, those of a Mesh in degrees.
	Geographic bool

	Marks *Marks // nil for none
	Origin
}

// Origin is what a mesh keeps of its file besides cells, groups, fields and marks.
type Origin struct {
	// Combined has the tags of groups of cells that stand for several: a cell of such a group is in all groups of the
	// tags Combined[tag]. Formats in which a cell has one group write it as a group of its own.
	Combined map[int][]int
	// Elementary means that groups are the elementary entities of a Gmsh file without physical groups.
	Elementary bool
	// GroupArray is the name of the cell array of a VTK file from which groups of cells were read; "" for another
	// format.
	GroupArray string
	Notes      []string // what a reader or a repair has changed, each a line for users
}

// note adds a note.
func (o *Origin) note(format string, args ...any) {
	o.Notes = append(o.Notes, fmt.Sprintf(format, args...))
}

// Group is a physical group: in the plane, a named set of cells (Dim 2) or edges (Dim 1); in space, of cells (Dim 3) or
// faces (Dim 2).
type Group struct {
	Dim  int
	Tag  int    // the number that the file gives it
	Name string // unique within its dimension; the tag in decimal if the file has no name
}

// TaggedEdge is an edge of a physical group of dimension 1.
type TaggedEdge struct {
	A, B  int32 // vertex ids
	Group int32 // index into Mesh.Groups
}
