package gmsh

import (
	"strconv"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
)

// ReadSolid reads a mesh of tetrahedra from a Gmsh file, as Read does for triangles. Groups of volumes become tags of
// cells, triangles in groups of surfaces become tagged faces, lines and points in groups become Marks. Other triangles,
// lines and points are skipped.
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
	if err := r.resolveGroups(); err != nil {
		return nil, r.At(len(r.Data), "%v", err)
	}
	s.X, s.Y, s.Z, s.CellData, s.VertexData = m.X, m.Y, r.z, m.CellData, m.VertexData
	s.Marks, s.Origin = r.marks(), m.Origin
	for _, g := range m.Groups {
		if g.Name != strconv.Itoa(g.Tag) {
			s.Groups = append(s.Groups, g)
		}
	}
	if r.groups.HasCells {
		s.CellTag = make([]int32, len(s.Cells))
		for c, g := range r.ofCells {
			if g >= 0 {
				s.CellTag[c] = int32(m.Groups[g].Tag)
			}
		}
	}
	return s, nil
}
