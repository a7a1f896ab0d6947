package mesh

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
)

// ReadGmsh reads a Gmsh file of version 2.2 or 4.1, in text or binary ("MSH file format", chapter 9 of the Gmsh
// reference manual). Cells are the triangles and tagged edges the lines, in the order of the file. Physical groups
// of surfaces and curves become Groups; vertices in those of points become Marks. Scalar $NodeData and $ElementData
// become fields, by the name of the view; other data and other sections are passed over. Elements other than points,
// lines and triangles of first order are refused. Errors name the line, or in a binary file the offset in bytes.
//
// The mesh is as it stands in the file: Check tells whether solvers can use it.
func ReadGmsh(path string) (*Mesh, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := parseGmsh(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// gmshReader is the state of reading one file.
type gmshReader struct {
	scanner
	v41   bool // version 4.1, otherwise 2.2
	mesh  *Mesh
	solid *Solid // that is read, if it is not a mesh of triangles
	group groupIndex

	z         []float64
	nodeTags  []int64
	nodes     tagIndex
	haveNodes bool

	cellTags     []int64
	cells        tagIndex
	cellsIndexed bool
	haveElements bool

	entity  map[[2]int64][]int32 // groups of the entities of version 4.1, by dimension and tag
	lines   []MarkedEdge         // in groups, of a mesh of tetrahedra
	points  []int32              // in groups
	several error                // of cells in several groups; where tetrahedra follow, triangles were none
}

func parseGmsh(data []byte) (*Mesh, error) {
	r := newGmshReader(data)
	if err := r.sections(); err != nil {
		return nil, err
	}
	return r.finish()
}

func newGmshReader(data []byte) *gmshReader {
	r := &gmshReader{scanner: scanner{data: data}, mesh: &Mesh{}}
	r.group.mesh = r.mesh
	return r
}

// sections reads the whole file.
func (r *gmshReader) sections() error {
	if err := r.format(); err != nil {
		return err
	}
	for {
		r.skipSpace()
		if r.left() == 0 {
			break
		}
		if err := r.section(); err != nil {
			return err
		}
	}
	if !r.haveNodes || !r.haveElements {
		return r.at(len(r.data), "the file ends without $Nodes and $Elements")
	}
	return r.several
}

// dim is the dimension of cells.
func (r *gmshReader) dim() int {
	if r.solid != nil {
		return 3
	}
	return 2
}

func (r *gmshReader) otherVersion(pos int, version string) error {
	return r.at(pos, "version %s: only 2.2 and 4.1 can be read; convert with "+
		"gmsh -save -format msh41 IN.msh -o OUT.msh", quote([]byte(version)))
}

// format reads the section $MeshFormat, which comes first.
func (r *gmshReader) format() error {
	switch w := r.token(); string(w) {
	case "$MeshFormat":
	case "$NOD":
		return r.otherVersion(0, "1")
	default:
		return r.at(0, "%s is not $MeshFormat: not a Gmsh file", quote(w))
	}
	start := r.pos
	version := string(r.token())
	kind, err := r.int()
	if err != nil {
		return err
	}
	size, err := r.int()
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
		return r.at(start+1, "file type %d is neither 0 (text) nor 1 (binary)", kind)
	}
	if size != 8 {
		return r.at(start+1, "numbers of %d bytes: only 8 can be read", size)
	}
	if kind == 1 {
		r.binary = true
		r.line()
		r.order = binary.LittleEndian
		one, err := r.bytes4()
		if err != nil {
			return err
		}
		if one == 1<<24 {
			r.order = binary.BigEndian
		} else if one != 1 {
			return r.at(r.pos-4, "%#x should be the number 1 in either byte order", uint32(one))
		}
	}
	return r.end("MeshFormat")
}

func (r *gmshReader) section() error {
	start := r.pos
	word := r.token()
	if word[0] != '$' || len(word) == 1 || bytes.HasPrefix(word, []byte("$End")) {
		return r.at(start, "%s is not the start of a section", quote(word))
	}
	r.line()
	name := string(word[1:])
	var err error
	switch name {
	case "PhysicalNames":
		err = r.physicalNames()
	case "Entities":
		if !r.v41 {
			return r.skip(name, start)
		}
		err = r.entities()
	case "PartitionedEntities":
		return r.at(start, "partitioned meshes cannot be read; save the mesh without partitions, "+
			"a run makes its own")
	case "Nodes":
		if r.haveNodes {
			return r.at(start, "a second section $Nodes")
		}
		r.haveNodes = true
		if r.v41 {
			err = r.nodes41()
		} else {
			err = r.nodes22()
		}
		if err == nil {
			err = r.indexNodes(start)
		}
	case "Elements":
		if r.haveElements {
			return r.at(start, "a second section $Elements")
		}
		if !r.haveNodes {
			return r.at(start, "$Elements before $Nodes")
		}
		r.haveElements = true
		if r.v41 {
			err = r.elements41()
		} else {
			err = r.elements22()
		}
	case "NodeData":
		err = r.fieldData(start, false)
	case "ElementData":
		err = r.fieldData(start, true)
	default:
		return r.skip(name, start)
	}
	if err != nil {
		return err
	}
	return r.end(name)
}

func (r *gmshReader) end(name string) error {
	r.skipSpace()
	start := r.pos
	if w := r.token(); string(w) != "$End"+name {
		return r.at(start, "%s where $End%s should be", quote(w), name)
	}
	return nil
}

// skip passes over a section that means nothing here, in text or binary.
func (r *gmshReader) skip(name string, start int) error {
	end := []byte("$End" + name)
	n := bytes.Index(r.data[r.pos:], end)
	if n < 0 {
		return r.at(start, "section $%s has no end", quote([]byte(name)))
	}
	r.pos += n + len(end)
	return nil
}

// physicalNames reads lines of dimension, tag and name in quotes, which are text in binary files too. An empty name is
// none.
func (r *gmshReader) physicalNames() error {
	count, err := r.int()
	if err != nil {
		return err
	}
	if err := r.holds(count, 6, "physical names"); err != nil {
		return err
	}
	for range count {
		dim, err := r.int()
		if err != nil {
			return err
		}
		tag, err := r.intHere()
		if err != nil {
			return err
		}
		start := r.pos
		name, err := r.quoted()
		if err != nil {
			return err
		}
		if d := r.dim(); dim < 1 || dim > int64(d) || name == "" {
			continue
		}
		if err := r.group.name(int(dim), int(tag), name); err != nil {
			return r.at(start, "%v", err)
		}
	}
	return nil
}

// quoted reads a string in double quotes that is the rest of a line.
func (r *gmshReader) quoted() (string, error) {
	start := r.pos
	text := bytes.TrimSpace(r.line())
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return "", r.at(start, "%s is not a name in double quotes", quote(text))
	}
	return string(text[1 : len(text)-1]), nil
}

func (r *gmshReader) indexNodes(start int) error {
	index, twice, ok := newTagIndex(r.nodeTags)
	if !ok {
		return r.at(start, "node %d is given twice in this section", twice)
	}
	r.nodes = index
	return nil
}

// marks are what belongs to groups of fewer dimensions than sides have, nil where nothing does.
func (r *gmshReader) marks() *Marks {
	if len(r.lines)+len(r.points) == 0 {
		return nil
	}
	slices.Sort(r.points)
	return &Marks{Lines: r.lines, Points: slices.Compact(r.points)}
}

func (r *gmshReader) finish() (*Mesh, error) {
	m := r.mesh
	if len(m.Cells) == 0 {
		return nil, r.at(len(r.data), "the file has no triangles; mesh the surfaces (gmsh -2), and if there are "+
			"physical groups, put the surfaces in one too")
	}
	for _, z := range r.z {
		if z != 0 {
			if _, taken := m.VertexData["z"]; taken {
				return nil, r.at(len(r.data), "the third coordinate is not zero, and there is a field \"z\" as well")
			}
			if err := CheckHeights(m, r.z); err != nil {
				return nil, err
			}
			setField(&m.VertexData, "z", r.z)
			break
		}
	}
	if !r.group.cells {
		m.CellGroup = nil
	}
	m.Marks = r.marks()
	return m, nil
}
