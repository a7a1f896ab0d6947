// Package sms reads triangle meshes of SMS (.2dm) and of ADCIRC and SCHISM (fort.14, .grd, .gr3).
package sms

import (
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
)

// Read2DM reads a mesh of SMS in text: nodes (ND), triangles (E3T) and node strings (NS). Heights become the vertex
// field "z", materials groups of cells named by their number, and node strings groups of edges named ns1, ns2 and so
// on. Other elements are refused, other lines skipped. Errors give the line.
//
// The mesh is that of the file, unchecked: Check reports whether solvers can use it.
func Read2DM(path string) (*mesh.Mesh, error) { return meshfile.Read(path, parse2DM) }

// ReadADCIRC reads a grid of ADCIRC or SCHISM in text. The depths of vertices, positive downward, become the vertex
// field "depth", open boundaries groups of edges named open1, open2 and so on, and other boundaries land1, land2 and so
// on. Elements other than triangles are refused. Errors give the line.
//
// The mesh is that of the file, unchecked: Check reports whether solvers can use it.
func ReadADCIRC(path string) (*mesh.Mesh, error) { return meshfile.Read(path, parseADCIRC) }

// reader is the state of reading one file.
type reader struct {
	meshfile.Scanner
	mesh   *mesh.Mesh
	groups meshfile.GroupIndex

	tags    []int64    // of nodes
	heights []float64  // or depths
	cells   [][3]int64 // tags of the nodes of triangles
	lines   []int      // positions of triangles in the file
	strings []nodeString
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

// triangle reads the nodes of a triangle.
func (r *reader) triangle() (err error) {
	start := r.Pos
	var v [3]int64
	for k := range v {
		if v[k], err = r.IntOnLine(); err != nil {
			return err
		}
	}
	r.cells, r.lines = append(r.cells, v), append(r.lines, start)
	return nil
}

// finish replaces the numbers of nodes by indices. field is the name of the heights.
func (r *reader) finish(field string) (*mesh.Mesh, error) {
	m := r.mesh
	if len(r.tags) == 0 || len(r.cells) == 0 {
		return nil, r.At(len(r.Data), "the file has no vertices or no triangles")
	}
	index, twice, ok := meshfile.NewTagIndex(r.tags)
	if !ok {
		return nil, r.At(len(r.Data), "node %d is given twice", twice)
	}
	m.Cells = make([][3]int32, len(r.cells))
	for c, v := range r.cells {
		for k, tag := range v {
			if m.Cells[c][k] = index.Of(tag); m.Cells[c][k] < 0 {
				return nil, r.At(r.lines[c], "there is no node %d", tag)
			}
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
