package meshes

import (
	"fmt"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
)

// convertSolid applies the chosen repairs to a mesh of tetrahedra, and writes it.
func convertSolid(in, out string, s *mesh.Solid, merge, drop, orient bool) error {
	if merge {
		vertices, err := s.MergeDuplicates()
		if err != nil {
			return wrong(err)
		}
		cells, err := s.DropCopies()
		if err != nil {
			return wrong(err)
		}
		fmt.Printf("merged %s, dropped %s\n", words.Count(vertices, "vertex"), words.Count(cells, "cell"))
	}
	if drop {
		vertices, faces, err := s.DropDangling()
		if err != nil {
			return wrong(err)
		}
		fmt.Printf("dropped %s and %s that belong to no cell\n", words.Count(vertices, "vertex"),
			words.Count(faces, "tagged face"))
	}
	if orient {
		turned, err := s.Orient()
		if err != nil {
			return wrong(err)
		}
		fmt.Printf("reoriented %s\n", words.Count(turned, "cell"))
	}
	s.Mend()
	printNotes(s.Notes)
	if err := s.Check(); err != nil {
		return wrong(orUntangle(err, in))
	}
	return saveSolid(out, s)
}

func saveSolid(path string, s *mesh.Solid) error {
	notKept := meshio.NotKept(path, &s.Origin, s.Groups, s.Marks, s.VertexData, s.CellData)
	return reportSaved(path, meshio.WriteSolid(path, s), len(s.Cells), notKept)
}
