package problem

import (
	"fmt"

	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// rankShare is a rank's share of a smoothing run.
type rankShare struct {
	Part            *layout.Part      // of triangles, or
	Solid           *layout.SolidPart // of tetrahedra
	Bounds          sizing.Bounds     // of the mesh, or
	Box             sizing.Box        // in space
	Vertices, Cells int64             // of the mesh
	Crowded         int               // vertices that are fixed because they have too many neighbours
	Nodal           *nodalMetric      // nil for metrics that a rank makes from the case only

	Local  *layout.LocalMesh // of triangles; this rank arranges it to Part with Layout
	Layout layout.Options
}

// Check refuses a share that does not have exactly one of Part, Solid and Local. Their contents, made by rank 0, are
// trusted.
func (s *rankShare) Check(int, int) error {
	kinds := 0
	for _, present := range []bool{s.Part != nil, s.Solid != nil, s.Local != nil} {
		if present {
			kinds++
		}
	}
	if kinds != 1 {
		return fmt.Errorf("the share has %d of a plane part, a solid part and a local mesh, want 1", kinds)
	}
	return nil
}
