package mesh

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
)

// InSpace tells whether a reader of triangles has refused a file because it has tetrahedra.
func InSpace(err error) bool {
	var s inSpace
	return errors.As(err, &s)
}

type inSpace struct{ error }

func (e inSpace) Unwrap() error { return e.error }

// NotPlane marks an error of a reader of triangles that has come to tetrahedra, for InSpace.
func NotPlane(err error) error { return inSpace{err} }

// ReadSolidGmsh reads a mesh of tetrahedra from a Gmsh file, as ReadGmsh reads one of triangles: physical groups of
// volumes become tags of cells, triangles in physical groups of surfaces become tagged faces, and lines and points in
// those of curves and points Marks. Others are passed over.
func ReadSolidGmsh(path string) (*Solid, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s, err := parseSolidGmsh(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

func parseSolidGmsh(data []byte) (*Solid, error) {
	r := newGmshReader(data)
	r.solid = &Solid{}
	if err := r.sections(); err != nil {
		return nil, err
	}
	s, m := r.solid, r.mesh
	if len(s.Cells) == 0 {
		return nil, r.at(len(r.data), "the file has no tetrahedra; mesh the volumes (gmsh -3), and if there are physical "+
			"groups, put the volumes in one too")
	}
	s.X, s.Y, s.Z, s.CellData, s.VertexData = m.X, m.Y, r.z, m.CellData, m.VertexData
	s.Marks = r.marks()
	for _, g := range m.Groups {
		if g.Name != strconv.Itoa(g.Tag) {
			s.Groups = append(s.Groups, g)
		}
	}
	if !r.group.cells {
		s.CellTag = nil
	}
	return s, nil
}

// groupOf finds a group by its number; those of points have no index.
func (r *gmshReader) groupOf(dim int, tag int64) (int32, error) {
	if dim == 0 {
		return -1, nil
	}
	if r.solid != nil && tag > math.MaxInt32 {
		return 0, fmt.Errorf("the physical group %d has more than 32 bits", tag)
	}
	return r.group.of(dim, int(tag))
}

// addSolid adds a tetrahedron, or a face or line once for each group.
func (r *gmshReader) addSolid(element int64, nodes []int64, v [4]int32, groups []int32) {
	s, tag := r.solid, int32(0)
	for _, g := range groups {
		tag = int32(r.mesh.Groups[g].Tag)
		switch len(nodes) {
		case 2:
			r.lines = append(r.lines, MarkedEdge{v[0], v[1], tag})
		case 3:
			s.Faces = append(s.Faces, TaggedFace{[3]int32(v[:3]), tag})
		}
	}
	if len(nodes) == 4 {
		s.Cells, s.CellTag = append(s.Cells, v), append(s.CellTag, tag)
		r.cellTags = append(r.cellTags, element)
		r.group.cells = r.group.cells || tag != 0
	}
}
