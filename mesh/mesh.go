// Package mesh has unstructured meshes of triangles in the plane (Mesh) and of tetrahedra (Solid): their topology,
// checks, repairs and generators. File formats are packages below it (gmsh, medit, vtk, …); package mesh/meshio
// chooses one by the extension of a file.
package mesh

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

	Marks *Marks // nil for none
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
