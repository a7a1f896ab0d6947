// Package medit reads and writes files of the Medit format in text and binary: meshes of triangles (Read, Write) and of
// tetrahedra (ReadSolid, WriteSolid) in .mesh and .meshb files, and fields on their vertices (Solution) in .sol and
// .solb files.
package medit

import (
	"bytes"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
)

// Read reads a Medit file, in text (.mesh) or in binary of either byte order (.meshb), of dimension 2, or 3
// with the third coordinate as vertex field "z" if it is not zero everywhere (P. Frey, "Medit: an interactive mesh
// visualization software", INRIA RT-0253, 2001). References of triangles and edges other than 0 become groups named
// by the number; edges with reference 0 are skipped. Corners, ridges, required entities and references of vertices
// become Marks; normals, tangents and unknown sections are skipped; repeated sections are joined; quadrilaterals,
// volume elements and elements of higher order are refused. Errors give the line or the byte offset.
//
// The mesh is that of the file, unchecked: Check reports whether solvers can use it.
func Read(path string) (*mesh.Mesh, error) {
	return meshfile.Read(path, parse)
}

// skippedSection describes an entry of a section that is skipped: it consists of the given number of numbers and,
// if dim is true, one more for each dimension of space.
type skippedSection struct {
	numbers int
	dim     bool
}

// skippedSections are the sections that are skipped.
var skippedSections = map[string]skippedSection{
	"Normals": {dim: true}, "NormalAtVertices": {numbers: 2},
	"Tangents": {dim: true}, "TangentAtVertices": {numbers: 2}, "TangentAtEdges": {numbers: 3},
	"NormalAtTriangleVertices": {numbers: 3}, "SubDomainFromMesh": {numbers: 4}, "SubDomainFromGeom": {numbers: 4},
	"VertexOnGeometricVertex": {numbers: 2}, "VertexOnGeometricEdge": {numbers: 3},
	"EdgeOnGeometricEdge": {numbers: 2}, "CrackedEdges": {numbers: 2}, "EquivalentEdges": {numbers: 2},
}

// refusedSections are the sections that must be empty, with the names of their elements.
var refusedSections = map[string]string{
	"Quadrilaterals": "quadrilaterals", "Quadrangles": "quadrilaterals", "Tetrahedra": "tetrahedra",
	"Hexahedra": "hexahedra", "Hexaedra": "hexahedra", "Prisms": "prisms", "Pentahedra": "prisms", "Pyramids": "pyramids",
	"TrianglesP2": "triangles of second order", "EdgesP2": "edges of second order",
	"TetrahedraP2": "tetrahedra of second order",
}

type reader struct {
	meshfile.Scanner
	mesh         *mesh.Mesh
	group        meshfile.GroupIndex
	z            []float64
	dim          int
	sectionsRead map[string]bool // sections read, by name
	solid        *mesh.Solid     // nil when reading triangles
	solidTags    []int32         // references of its cells
	allEdges     []mesh.MarkedEdge
	marks        map[string][]int64
	refs         []int32 // references of vertices, nil if all are 0

	skipped []string // names of skipped sections

	version int32 // of a binary file
}

func parse(data []byte) (*mesh.Mesh, error) {
	r := newReader(data)
	if err := r.sections(); err != nil {
		return nil, err
	}
	return r.finish()
}

func newReader(data []byte) *reader {
	r := &reader{Scanner: meshfile.Scanner{Data: data}, mesh: &mesh.Mesh{}, sectionsRead: make(map[string]bool),
		marks: make(map[string][]int64)}
	r.group.Mesh = r.mesh
	return r
}

// sections reads the whole file.
func (r *reader) sections() error {
	if r.detectBinary() {
		return r.binarySections()
	}
	r.Data = blankComments(r.Data)
	if w := r.Token(); string(w) != "MeshVersionFormatted" {
		return r.At(r.Pos-len(w), "%s is not MeshVersionFormatted: not a Medit file in text", meshfile.Quote(w))
	}
	if _, err := r.int(); err != nil {
		return err
	}
	for {
		w := r.Token()
		if len(w) == 0 || string(w) == "End" {
			return nil
		}
		if err := r.section(string(w), r.Pos-len(w)); err != nil {
			return err
		}
	}
}

// blankComments replaces comments by blanks, so that the positions of numbers do not change.
func blankComments(data []byte) []byte {
	if bytes.IndexByte(data, '#') < 0 {
		return data
	}
	data = bytes.Clone(data)
	for i := 0; i < len(data); i++ {
		if data[i] == '#' {
			for ; i < len(data) && data[i] != '\n'; i++ {
				data[i] = ' '
			}
		}
	}
	return data
}

func (r *reader) section(name string, start int) error {
	if name == "Dimension" {
		return r.dimension(start)
	}
	if r.dim == 0 && known(name) {
		return r.At(start, "%s before Dimension", meshfile.Quote([]byte(name)))
	}
	skipped, isSkipped := skippedSections[name]
	refused, isRefused := refusedSections[name]
	isMarks := slices.ContainsFunc(markSections, func(s markSection) bool { return s.name == name })
	isRefused = isRefused && (r.solid == nil || name != "Tetrahedra")
	elements := name == "Triangles" || name == "Edges" || name == "Tetrahedra"
	if !isSkipped && !isRefused && !isMarks && name != "Vertices" && !elements {
		return r.skipUnknown(name, start)
	}
	r.sectionsRead[name] = true
	count, err := r.int()
	switch {
	case err != nil:
		return err
	case name == "Vertices":
		return r.vertices(count)
	case elements && !isRefused:
		return r.elements(name, start, count)
	case isMarks:
		return r.readMarks(name, count)
	case isRefused && count != 0:
		err := r.At(start, "%d %s; a mesh must be of %s of first order", count, refused, r.cellElements())
		if name == "Tetrahedra" {
			return mesh.TetrahedraError(err)
		}
		return err
	case isRefused:
		return nil
	}
	return r.skipEntries(name, skipped, count)
}

// known reports whether a word is the name of a section.
func known(word string) bool {
	_, skipped := skippedSections[word]
	_, refused := refusedSections[word]
	switch word {
	case "Dimension", "Vertices", "Triangles", "Edges", "End":
		return true
	}
	return skipped || refused || slices.ContainsFunc(markSections, func(s markSection) bool { return s.name == word })
}

// skipUnknown skips an unknown section of a text file up to the next one that is known, as libMeshb does. Words in
// quotes name none.
func (r *reader) skipUnknown(name string, start int) error {
	if name[0] < 'A' || name[0] > 'Z' {
		return r.At(start, "%s is not the name of a section", meshfile.Quote([]byte(name)))
	}
	r.skipped = append(r.skipped, name)
	for {
		w := r.Token()
		if len(w) == 0 {
			return nil
		}
		if w[0] == '"' {
			if err := r.skipQuoted(w); err != nil {
				return err
			}
			continue
		}
		if known(string(w)) {
			r.Pos -= len(w)
			return nil
		}
	}
}

// skipQuoted skips a string in quotes, whose first word has been read.
func (r *reader) skipQuoted(first []byte) error {
	start := r.Pos - len(first)
	end := bytes.IndexByte(r.Data[start+1:], '"')
	if end < 0 {
		return r.At(start, "a string without its second quote")
	}
	r.Pos = start + 1 + end + 1
	return nil
}

// dimension reads the number of coordinates of a vertex.
func (r *reader) dimension(start int) error {
	n, err := r.int()
	if err != nil {
		return err
	}
	if r.dim != 0 || n != 2 && n != 3 {
		return r.At(start, "dimension %d; give 2 or 3, once", n)
	}
	r.dim = int(n)
	return nil
}

// elements reads a section of triangles, edges or tetrahedra.
func (r *reader) elements(name string, start int, count int64) error {
	if !r.sectionsRead["Vertices"] {
		return r.At(start, "%s before Vertices", name)
	}
	switch name {
	case "Edges":
		return r.edges(count)
	case "Tetrahedra":
		return r.tetrahedra(count)
	}
	return r.triangles(count)
}

// skipEntries skips the entries of a section.
func (r *reader) skipEntries(name string, section skippedSection, count int64) error {
	numbers := section.numbers
	if section.dim {
		numbers += r.dim
	}
	if err := r.CheckRemaining(count, 2*numbers, "entries"); err != nil {
		return err
	}
	for range count * int64(numbers) {
		if _, err := r.float(); err != nil {
			return err
		}
	}
	if count > 0 {
		r.skipped = append(r.skipped, name)
	}
	return nil
}

func (r *reader) vertices(count int64) error {
	if err := r.CheckRemaining(count, 2*(r.dim+1), "vertices"); err != nil {
		return err
	}
	m := r.mesh
	first := int64(len(m.X))
	m.X, m.Y = more(m.X, count), more(m.Y, count)
	if r.dim == 3 {
		r.z = more(r.z, count)
	}
	if r.refs != nil {
		r.refs = more(r.refs, count)
	}
	for i := first; i < first+count; i++ {
		var err error
		if m.X[i], err = r.float(); err != nil {
			return err
		}
		if m.Y[i], err = r.float(); err != nil {
			return err
		}
		if r.dim == 3 {
			if r.z[i], err = r.float(); err != nil {
				return err
			}
		}
		start := r.Here()
		ref, err := r.int()
		if err != nil {
			return err
		}
		if ref != int64(int32(ref)) {
			return r.At(start, "the reference %d of vertex %d has more than 32 bits", ref, i+1)
		}
		if ref != 0 && r.refs == nil {
			r.refs = make([]int32, first+count)
		}
		if ref != 0 {
			r.refs[i] = int32(ref)
		}
	}
	return nil
}

// more returns a slice with room for count further items, of a repeated section.
func more[T any](s []T, count int64) []T {
	if s == nil {
		return make([]T, count)
	}
	return append(s, make([]T, count)...)
}

func (r *reader) triangles(count int64) error {
	if err := r.CheckRemaining(count, 8, "triangles"); err != nil {
		return err
	}
	m := r.mesh
	first := int64(len(m.Cells))
	m.Cells, m.CellGroup = more(m.Cells, count), more(m.CellGroup, count)
	for c := first; c < first+count; c++ {
		g, err := r.entry("triangle", c, m.Cells[c][:])
		if err != nil {
			return err
		}
		m.CellGroup[c] = g
		r.group.HasCells = r.group.HasCells || g >= 0
	}
	return nil
}

func (r *reader) edges(count int64) error {
	if err := r.CheckRemaining(count, 6, "edges"); err != nil {
		return err
	}
	for i := range count {
		var ends [2]int32
		g, err := r.entry("edge", i, ends[:])
		if err != nil {
			return err
		}
		e := mesh.MarkedEdge{A: ends[0], B: ends[1], Tag: 0}
		if g >= 0 {
			e.Tag = int32(r.mesh.Groups[g].Tag)
		}
		r.allEdges = append(r.allEdges, e)
		if g >= 0 {
			r.mesh.Tagged = append(r.mesh.Tagged, mesh.TaggedEdge{A: ends[0], B: ends[1], Group: g})
		}
	}
	return nil
}

// entry reads the vertices and the reference of an element, and returns the index of its group, -1 for none.
func (r *reader) entry(what string, i int64, v []int32) (group int32, err error) {
	start := r.Here()
	for k := range v {
		n, err := r.int()
		if err != nil {
			return 0, err
		}
		if n < 1 || n > int64(len(r.mesh.X)) {
			return 0, r.At(start, "%s %d refers to vertex %d; the file has vertices 1 to %d", what, i+1, n, len(r.mesh.X))
		}
		v[k] = int32(n - 1)
	}
	ref, err := r.int()
	if err != nil || ref == 0 {
		return -1, err
	}
	if group, err = r.group.Of(len(v)-1, int(ref)); err != nil {
		return 0, r.At(start, "%v", err)
	}
	return group, nil
}

func (r *reader) finish() (*mesh.Mesh, error) {
	m := r.mesh
	if !r.sectionsRead["Vertices"] || len(m.Cells) == 0 {
		return nil, r.At(len(r.Data), "the file has no vertices or no triangles")
	}
	for _, z := range r.z {
		if z != 0 {
			if err := mesh.CheckHeights(m, r.z); err != nil {
				return nil, err
			}
			mesh.SetField(&m.VertexData, "z", r.z)
			break
		}
	}
	triangles := make([]mesh.TaggedFace, len(m.Cells))
	for c, v := range m.Cells {
		triangles[c].V = v
	}
	var err error
	if m.Marks, err = r.marksOf(triangles); err != nil {
		return nil, err
	}
	if !r.group.HasCells {
		m.CellGroup = nil
	}
	return m, nil
}
