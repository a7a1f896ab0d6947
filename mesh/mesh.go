// Package mesh holds unstructured meshes, of triangles in the plane and of tetrahedra: the mesh itself, its topology,
// its checks and generators. Formats are packages below it (gmsh, medit, vtk), of which meshio takes one by the
// extension of a file.
package mesh

// Mesh is a conforming triangle mesh in the plane. Vertex and cell ids are positions in its slices; the cell ids
// of a mesh as it was read are the global ids of a run, whatever order or partition the run uses later.
type Mesh struct {
	X, Y      []float64    // vertex coordinates
	Cells     [][3]int32   // vertex ids of each triangle, counter-clockwise
	Groups    []Group      // physical groups; CellGroup and Tagged refer to them by index
	CellGroup []int32      // group of each cell, -1 for none; nil if no cell has one
	Tagged    []TaggedEdge // edges that belong to a physical group

	// CellData and VertexData hold scalar fields that came with the mesh, by name. A third coordinate that is
	// not zero everywhere is the vertex field "z".
	CellData, VertexData map[string][]float64

	Marks *Marks // of a Medit file, nil for none
}

// Group is a physical group: a named set of cells (Dim 2) or of edges (Dim 1); in space, of cells (3) or of faces (2).
type Group struct {
	Dim  int
	Tag  int    // the number that the file gives it
	Name string // unique within its dimension; the decimal tag where the file has no name
}

// TaggedEdge is an edge of a physical group of dimension 1.
type TaggedEdge struct {
	A, B  int32 // vertex ids
	Group int32 // index into Mesh.Groups
}
