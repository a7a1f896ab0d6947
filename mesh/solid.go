package mesh

import "github.com/atoll-hpc/atoll/mesh/vector"

// Solid is a conforming mesh of tetrahedra. Ids are indices into its slices, as in Mesh.
type Solid struct {
	X, Y, Z []float64  // vertex coordinates
	Cells   [][4]int32 // vertex ids a, b, c, d of each tetrahedron: (b-a) · (c-a)×(d-a) is positive
	CellTag []int32    // group tag of each cell, 0 for none; nil if no cell has one
	Faces   []TaggedFace
	Groups  []Group // named groups, of cells (Dim 3) and of faces (Dim 2)

	// CellData and VertexData hold the scalar fields of the file, by name.
	CellData, VertexData map[string][]float64

	Marks *Marks // nil for none
	Origin
}

// TaggedFace is a face that belongs to a group. A face of several groups is listed several times.
type TaggedFace struct {
	V   [3]int32 // vertex ids, in any order
	Tag int32    // group tag, not 0
}

// facets has, for each vertex of a cell, the vertices of the opposite face, counter-clockwise as seen from outside.
var facets = [4][3]int{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}

// FaceOpposite returns the face a, b, c opposite to vertex k of a cell, counter-clockwise as seen from outside: if p is
// vertex k, (a-p) · (b-p)×(c-p) is six times the volume of the cell.
func (s *Solid) FaceOpposite(cell int32, k int) [3]int32 {
	v, f := &s.Cells[cell], &facets[k]
	return [3]int32{v[f[0]], v[f[1]], v[f[2]]}
}

// At returns the position of a vertex.
func (s *Solid) At(v int32) [3]float64 { return [3]float64{s.X[v], s.Y[v], s.Z[v]} }

// Volume is the volume of a cell, negative if it is inverted.
func (s *Solid) Volume(cell int) float64 {
	v := s.Cells[cell]
	a, b, c, d := s.At(v[0]), s.At(v[1]), s.At(v[2]), s.At(v[3])
	return vector.Dot(vector.Minus(b, a), vector.Cross(vector.Minus(c, a), vector.Minus(d, a))) / 6
}

// Centroid is the mean of a cell's vertices.
func (s *Solid) Centroid(cell int) (at [3]float64) {
	for _, v := range s.Cells[cell] {
		for k, x := range s.At(v) {
			at[k] += x / 4
		}
	}
	return at
}
