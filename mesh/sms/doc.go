// Package sms reads meshes in text of SMS (.2dm), of ADCIRC and SCHISM (fort.14, .grd, .gr3), and of MIKE (.mesh).
// Quadrangles are divided into triangles.
package sms

import (
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
)

// Read2DM reads a mesh of SMS: nodes (ND), triangles (E3T), quadrangles (E4Q) and node strings (NS). Heights become the
// vertex field "z", materials groups of cells named by their number, and node strings groups of edges named ns1, ns2
// and so on. Other elements are refused, other lines skipped. Errors give the line.
//
// The mesh is that of the file, unchecked: Check reports whether solvers can use it.
func Read2DM(path string) (*mesh.Mesh, error) { return meshfile.Read(path, parse2DM) }

// ReadADCIRC reads a grid of ADCIRC or SCHISM. The depths of vertices, positive downward, become the vertex
// field "depth", open boundaries groups of edges named open1, open2 and so on, and other boundaries land1, land2 and so
// on. Elements of more than four nodes are refused. Errors give the line.
//
// The mesh is that of the file, unchecked: Check reports whether solvers can use it.
func ReadADCIRC(path string) (*mesh.Mesh, error) { return meshfile.Read(path, parseADCIRC) }

// ReadMIKE reads a mesh of MIKE 21 or MIKE 3. Heights of vertices become the vertex field "z". Edges of the boundary
// are in a group by the code of their vertices, the lower one if these differ: land of code 1, code2 and so on of
// others.
//
// The mesh is that of the file, unchecked: Check reports whether solvers can use it.
func ReadMIKE(path string) (*mesh.Mesh, error) { return meshfile.Read(path, parseMIKE) }

// reader is the state of reading one file.
type reader struct {
	meshfile.Scanner
	mesh   *mesh.Mesh
	groups meshfile.GroupIndex

	tags    []int64   // of nodes
	heights []float64 // or depths
	cells   []element
	strings []nodeString
}

// element is a triangle or a quadrangle.
type element struct {
	nodes [4]int64 // tags
	count int
	start int // position in the file
	group int32
}

// nodeString is a sequence of nodes whose edges are in a group.
type nodeString struct {
	name  string
	tag   int
	start int // position in the file
	nodes []int64
}

func newReader(data []byte) *reader {
	r := &reader{Scanner: meshfile.Scanner{Data: data}, mesh: &mesh.Mesh{}}
	r.groups.Mesh = r.mesh
	return r
}

// node reads the number of a node, its position and its height.
func (r *reader) node() error {
	tag, err := r.IntOnLine()
	if err != nil {
		return err
	}
	var p [3]float64
	for k := range p {
		if p[k], err = r.FloatOnLine(); err != nil {
			return err
		}
	}
	r.tags, r.heights = append(r.tags, tag), append(r.heights, p[2])
	r.mesh.X, r.mesh.Y = append(r.mesh.X, p[0]), append(r.mesh.Y, p[1])
	return nil
}

// element reads the nodes of a triangle or of a quadrangle.
func (r *reader) element(count int) (err error) {
	e := element{count: count, start: r.Pos, group: -1}
	for k := range count {
		if e.nodes[k], err = r.IntOnLine(); err != nil {
			return err
		}
	}
	r.cells = append(r.cells, e)
	return nil
}

// finish replaces the numbers of nodes by indices. field is the name of the heights.
func (r *reader) finish(field string) (*mesh.Mesh, error) {
	m := r.mesh
	if len(r.tags) == 0 || len(r.cells) == 0 {
		return nil, r.At(len(r.Data), "the file has no vertices or no cells")
	}
	index, twice, ok := meshfile.NewTagIndex(r.tags)
	if !ok {
		return nil, r.At(len(r.Data), "node %d is given twice", twice)
	}
	for _, e := range r.cells {
		if err := r.addElement(e, index); err != nil {
			return nil, err
		}
	}
	for _, s := range r.strings {
		if err := r.addString(s, index); err != nil {
			return nil, err
		}
	}
	level := true
	for _, z := range r.heights {
		level = level && z == 0
	}
	if !level {
		if err := mesh.CheckHeights(m, r.heights); err != nil {
			return nil, err
		}
		mesh.SetField(&m.VertexData, field, r.heights)
	}
	if !r.groups.HasCells {
		m.CellGroup = nil
	}
	return m, nil
}

// addElement adds the triangles of an element.
func (r *reader) addElement(e element, index meshfile.TagIndex) error {
	m := r.mesh
	var v [4]int32
	for k, tag := range e.nodes[:e.count] {
		if v[k] = index.Of(tag); v[k] < 0 {
			return r.At(e.start, "there is no node %d", tag)
		}
	}
	cells := [][3]int32{{v[0], v[1], v[2]}}
	if e.count == 4 {
		halves := meshfile.Split(m.X, m.Y, v)
		cells = halves[:]
	}
	for _, c := range cells {
		m.Cells, m.CellGroup = append(m.Cells, c), append(m.CellGroup, e.group)
	}
	return nil
}

// addString adds the edges of a node string to its group.
func (r *reader) addString(s nodeString, index meshfile.TagIndex) error {
	if len(s.nodes) < 2 {
		return nil
	}
	if err := r.groups.AddNamed(1, s.tag, s.name); err != nil {
		return r.At(s.start, "%v", err)
	}
	group, err := r.groups.Of(1, s.tag)
	if err != nil {
		return r.At(s.start, "%v", err)
	}
	last := int32(-1)
	for _, tag := range s.nodes {
		v := index.Of(tag)
		if v < 0 {
			return r.At(s.start, "there is no node %d", tag)
		}
		if last >= 0 && last != v {
			r.mesh.Tagged = append(r.mesh.Tagged, mesh.TaggedEdge{A: last, B: v, Group: group})
		}
		last = v
	}
	return nil
}
