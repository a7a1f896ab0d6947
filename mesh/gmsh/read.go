// Package gmsh reads and writes Gmsh files (.msh) with meshes of triangles (Read, Write) and of tetrahedra (ReadSolid,
// WriteSolid). It reads the versions 2.2 and 4.1 of the format and writes 4.1, in text and binary.
package gmsh

import (
	"bytes"
	"encoding/binary"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
)

// Read reads a Gmsh file of version 2.2 or 4.1, in text or binary ("MSH file format", chapter 9 of the Gmsh
// reference manual). Cells are the triangles and tagged edges the lines, in the order of the file. Physical groups
// of surfaces and curves become Groups, those of points Marks; in a file without physical groups, which is Gmsh's
// default, the elementary entities are the groups. Cells in several groups get a group that stands for all of them
// (mesh.Origin). Periodic sides become Marks. Partitions are skipped. Scalar $NodeData and $ElementData become fields
// with the name of the view, NaN where a view has no value; other data and other sections are skipped. Elements other
// than points, lines and triangles of first order are refused. Errors give the line, or in a binary file the byte
// offset.
//
// The mesh is that of the file, unchecked: Check reports whether solvers can use it.
func Read(path string) (*mesh.Mesh, error) {
	return meshfile.Read(path, parse)
}

// reader is the state of reading one file.
type reader struct {
	meshfile.Scanner
	v41    bool // version 4.1, otherwise 2.2
	mesh   *mesh.Mesh
	solid  *mesh.Solid // nil when reading triangles
	groups meshfile.GroupIndex

	z         []float64
	nodeTags  []int64
	nodes     meshfile.TagIndex
	haveNodes bool

	cellTags     []int64
	cells        meshfile.TagIndex
	cellsIndexed bool
	haveElements bool

	entityGroups map[[2]int64][]int32 // groups of the entities of version 4.1, by dimension and tag
	parents      map[[2]int64]int64   // elementary entities of the partitions of version 4.1; nil without partitions
	parts        map[[2]int64]int64   // physical groups of which groups are parts, by dimension and tag
	membership
	lines    []mesh.MarkedEdge  // lines in groups, when reading tetrahedra
	points   []mesh.MarkedPoint // points in groups
	periodic []mesh.PeriodicSide
	skipped  []string // what is not read, for users

	partialValues int64 // number of NaN in fields with few values
}

func parse(data []byte) (*mesh.Mesh, error) {
	r := newReader(data)
	if err := r.sections(); err != nil {
		return nil, err
	}
	return r.finish()
}

func newReader(data []byte) *reader {
	r := &reader{Scanner: meshfile.Scanner{Data: data}, mesh: &mesh.Mesh{}}
	r.groups.Mesh = r.mesh
	return r
}

// sections reads the whole file.
func (r *reader) sections() error {
	if err := r.format(); err != nil {
		return err
	}
	for {
		r.SkipSpace()
		if r.Left() == 0 {
			break
		}
		if err := r.section(); err != nil {
			return err
		}
	}
	if !r.haveNodes || !r.haveElements {
		return r.At(len(r.Data), "the file ends without $Nodes and $Elements")
	}
	return nil
}

// dim is the dimension of cells.
func (r *reader) dim() int {
	if r.solid != nil {
		return 3
	}
	return 2
}

func (r *reader) otherVersion(pos int, version string) error {
	return r.At(pos, "version %s: only 2.2 and 4.1 can be read; convert with "+
		"gmsh -save -format msh41 IN.msh -o OUT.msh", meshfile.Quote([]byte(version)))
}

// format reads the section $MeshFormat, which must be the first.
func (r *reader) format() error {
	switch w := r.Token(); string(w) {
	case "$MeshFormat":
	case "$NOD":
		return r.otherVersion(0, "1")
	default:
		return r.At(0, "%s is not $MeshFormat: not a Gmsh file", meshfile.Quote(w))
	}
	start := r.Pos
	version := string(r.Token())
	kind, err := r.Int()
	if err != nil {
		return err
	}
	size, err := r.Int()
	if err != nil {
		return err
	}
	switch version {
	case "4.1":
		r.v41 = true
	case "2.2":
	default:
		return r.otherVersion(start+1, version)
	}
	if kind != 0 && kind != 1 {
		return r.At(start+1, "file type %d; want 0 (text) or 1 (binary)", kind)
	}
	if size != 8 {
		return r.At(start+1, "numbers of %d bytes: only 8 can be read", size)
	}
	if kind == 1 {
		r.Binary = true
		r.Line()
		r.Order = binary.LittleEndian
		one, err := r.Bytes4()
		if err != nil {
			return err
		}
		if one == 1<<24 {
			r.Order = binary.BigEndian
		} else if one != 1 {
			return r.At(r.Pos-4, "got %#x, want the number 1 in either byte order", uint32(one))
		}
	}
	return r.end("MeshFormat")
}

func (r *reader) section() error {
	start := r.Pos
	word := r.Token()
	if word[0] != '$' || len(word) == 1 || bytes.HasPrefix(word, []byte("$End")) {
		return r.At(start, "%s is not the start of a section", meshfile.Quote(word))
	}
	r.Line()
	name := string(word[1:])
	read := r.sectionReader(name, start)
	if read == nil {
		return r.skip(name, start)
	}
	if err := read(); err != nil {
		return err
	}
	return r.end(name)
}

// sectionReader returns what reads a section, nil for one that is skipped.
func (r *reader) sectionReader(name string, start int) func() error {
	switch name {
	case "PhysicalNames":
		return r.physicalNames
	case "Entities":
		if r.v41 {
			return r.entities
		}
		return nil
	case "PartitionedEntities":
		if r.v41 {
			return r.partitionedEntities
		}
		return nil
	case "Nodes", "ParametricNodes":
		return func() error { return r.nodeSection(start, name == "ParametricNodes") }
	case "Elements":
		return func() error { return r.elementSection(start) }
	case "Periodic":
		return func() error { return r.periodicSides(start) }
	case "NodeData":
		return func() error { return r.fieldData(start, false) }
	case "ElementData":
		return func() error { return r.fieldData(start, true) }
	case "Comments":
		return nil
	}
	r.skipped = append(r.skipped, "section $"+name)
	return nil
}

func (r *reader) nodeSection(start int, parametric bool) error {
	if r.haveNodes {
		return r.At(start, "a second section $Nodes")
	}
	r.haveNodes = true
	read := r.nodes41
	if !r.v41 {
		read = func() error { return r.nodes22(parametric) }
	}
	if err := read(); err != nil {
		return err
	}
	return r.indexNodes(start)
}

func (r *reader) elementSection(start int) error {
	if r.haveElements {
		return r.At(start, "a second section $Elements")
	}
	if !r.haveNodes {
		return r.At(start, "$Elements before $Nodes")
	}
	r.haveElements = true
	if r.v41 {
		return r.elements41()
	}
	return r.elements22()
}

// end reads the end of a section.
func (r *reader) end(name string) error {
	r.SkipSpace()
	start := r.Pos
	if w := r.Token(); string(w) != "$End"+name {
		return r.At(start, "got %s, want $End%s", meshfile.Quote(w), name)
	}
	return nil
}

// skip skips a section that is not read.
func (r *reader) skip(name string, start int) error {
	end := []byte("$End" + name)
	n := bytes.Index(r.Data[r.Pos:], end)
	if n < 0 {
		return r.At(start, "section $%s has no end", meshfile.Quote([]byte(name)))
	}
	r.Pos += n + len(end)
	return nil
}

// physicalNames reads lines of dimension, tag and quoted name, which are text also in binary files. Empty names are
// ignored.
func (r *reader) physicalNames() error {
	count, err := r.Int()
	if err != nil {
		return err
	}
	if err := r.CheckRemaining(count, 6, "physical names"); err != nil {
		return err
	}
	for range count {
		dim, err := r.Int()
		if err != nil {
			return err
		}
		tag, err := r.IntOnLine()
		if err != nil {
			return err
		}
		start := r.Pos
		name, err := r.quoted()
		if err != nil {
			return err
		}
		if of, ok := groupOfPart(name); ok {
			if r.parts == nil {
				r.parts = make(map[[2]int64]int64)
				r.skipped = append(r.skipped, "the partition")
			}
			r.parts[[2]int64{dim, tag}] = of
			continue
		}
		if dim == 0 && name != "" && tag == int64(int32(tag)) {
			r.pointGroups = append(r.pointGroups, mesh.Group{Tag: int(tag), Name: name})
		}
		if d := r.dim(); dim < 1 || dim > int64(d) || name == "" {
			continue
		}
		if err := r.groups.AddNamed(int(dim), int(tag), name); err != nil {
			return r.At(start, "%v", err)
		}
	}
	return nil
}

// quoted reads the rest of a line, a string in double quotes.
func (r *reader) quoted() (string, error) {
	start := r.Pos
	text := bytes.TrimSpace(r.Line())
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return "", r.At(start, "%s is not a name in double quotes", meshfile.Quote(text))
	}
	return string(text[1 : len(text)-1]), nil
}

func (r *reader) indexNodes(start int) error {
	index, duplicate, ok := meshfile.NewTagIndex(r.nodeTags)
	if !ok {
		return r.At(start, "node %d is given twice in this section", duplicate)
	}
	r.nodes = index
	return nil
}

// marks returns the lines and points in groups, periodic sides and skipped sections, nil if there are none.
func (r *reader) marks() *mesh.Marks {
	if len(r.lines)+len(r.points)+len(r.periodic)+len(r.skipped) == 0 {
		return nil
	}
	return &mesh.Marks{Lines: r.lines, Points: r.points, Periodic: r.periodic, Skipped: r.skipped}
}

func (r *reader) finish() (*mesh.Mesh, error) {
	m := r.mesh
	if len(m.Cells) == 0 {
		return nil, r.At(len(r.Data), "the file has no triangles; mesh the surfaces (gmsh -2), and if there are "+
			"physical groups, put the surfaces in one too")
	}
	for _, z := range r.z {
		if z != 0 {
			if _, taken := m.VertexData["z"]; taken {
				return nil, r.At(len(r.Data), "the third coordinate is not zero, and there is a field \"z\" as well")
			}
			if err := mesh.CheckHeights(m, r.z); err != nil {
				return nil, err
			}
			mesh.SetField(&m.VertexData, "z", r.z)
			break
		}
	}
	if err := r.resolveGroups(); err != nil {
		return nil, r.At(len(r.Data), "%v", err)
	}
	if r.groups.HasCells {
		m.CellGroup = r.ofCells
	}
	m.Marks = r.marks()
	return m, nil
}
