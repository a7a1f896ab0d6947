package gmsh

import (
	"fmt"
	"math"
	"strconv"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
)

// ReadSolid reads a mesh of tetrahedra from a Gmsh file, as Read does for triangles. Physical groups of volumes become
// tags of cells, triangles in physical groups of surfaces become tagged faces, lines and points in physical groups
// become Marks. Other triangles, lines and points are skipped.
func ReadSolid(path string) (*mesh.Solid, error) {
	return meshfile.Read(path, parseSolid)
}

func parseSolid(data []byte) (*mesh.Solid, error) {
	r := newReader(data)
	r.solid = &mesh.Solid{}
	if err := r.sections(); err != nil {
		return nil, err
	}
	s, m := r.solid, r.mesh
	if len(s.Cells) == 0 {
		return nil, r.At(len(r.Data), "the file has no tetrahedra; mesh the volumes (gmsh -3), and if there are physical "+
			"groups, put the volumes in one too")
	}
	s.X, s.Y, s.Z, s.CellData, s.VertexData = m.X, m.Y, r.z, m.CellData, m.VertexData
	s.Marks = r.marks()
	for _, g := range m.Groups {
		if g.Name != strconv.Itoa(g.Tag) {
			s.Groups = append(s.Groups, g)
		}
	}
	if !r.groups.HasCells {
		s.CellTag = nil
	}
	return s, nil
}

// groupOf returns the index of a physical group; those of points have index -1.
func (r *reader) groupOf(dim int, tag int64) (int32, error) {
	if dim == 0 {
		return -1, nil
	}
	if r.solid != nil && tag > math.MaxInt32 {
		return 0, fmt.Errorf("the physical group %d has more than 32 bits", tag)
	}
	return r.groups.Of(dim, int(tag))
}

// addSolid adds a tetrahedron with its last group, or a face or line once for each group.
func (r *reader) addSolid(element int64, nodes []int64, v [4]int32, groups []int32) {
	s, tag := r.solid, int32(0)
	for _, g := range groups {
		tag = int32(r.mesh.Groups[g].Tag)
		switch len(nodes) {
		case 2:
			r.lines = append(r.lines, mesh.MarkedEdge{A: v[0], B: v[1], Tag: tag})
		case 3:
			s.Faces = append(s.Faces, mesh.TaggedFace{V: [3]int32(v[:3]), Tag: tag})
		}
	}
	if len(nodes) == 4 {
		s.Cells, s.CellTag = append(s.Cells, v), append(s.CellTag, tag)
		r.cellTags = append(r.cellTags, element)
		r.groups.HasCells = r.groups.HasCells || tag != 0
	}
}
