package problem

import (
	"fmt"

	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// rankShare is the share of a smoothing run that rank 0 sends to a rank. Exactly one of Part, Solid, Local
// and LocalSolid is set.
type rankShare struct {
	Part            *layout.Part      // of triangles
	Solid           *layout.SolidPart // of tetrahedra
	Bounds          sizing.Bounds     // of a mesh of triangles
	Box             sizing.Box        // of a mesh of tetrahedra
	Vertices, Cells int64             // of the mesh
	Crowded         int               // see layout.Layout.Crowded

	// from which this rank makes Part or Solid, with the options Layout
	Local      *layout.LocalMesh
	LocalSolid *layout.LocalSolid
	Layout     layout.Options
}

// Check refuses a share that does not have exactly one of Part, Solid, Local and LocalSolid. Their contents,
// made by rank 0, are trusted.
func (s *rankShare) Check(int, int) error {
	kinds := 0
	for _, present := range []bool{s.Part != nil, s.Solid != nil, s.Local != nil, s.LocalSolid != nil} {
		if present {
			kinds++
		}
	}
	if kinds != 1 {
		return fmt.Errorf("the share has %d of a plane part, a solid part and local meshes, want 1", kinds)
	}
	return nil
}
