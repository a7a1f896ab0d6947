package gmsh

import (
	"fmt"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/gmsh/internal/write"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
)

// Write writes a Gmsh file of version 4.1, in binary (little-endian) or text, with groups and fields. Numbers in text
// have as many digits as are needed to read the same bits. The tags of vertices and cells are their ids plus 1; edges
// follow the cells, and have NaN in cell fields. The vertex field "z" becomes the third coordinate. Cells of a group
// that stands for several are written in all of these (mesh.Origin). Ids must be in range; group tags must be positive,
// and names must not have quotes or line breaks.
func Write(path string, m *mesh.Mesh, binary bool) error {
	if err := m.CheckIDs(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return write.File(path, meshfile.OfMesh(m), binary)
}

// WriteSolid writes a Gmsh file as Write does, with tetrahedra, tagged faces, the lines of Marks, the names of groups,
// and fields. Tags must be positive, or 0 for cells in no group.
func WriteSolid(path string, s *mesh.Solid, binary bool) error {
	if err := s.CheckIDs(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return write.File(path, meshfile.OfSolid(s), binary)
}
