package problem

import (
	"fmt"

	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// rankShare is what a rank of a smoothing run starts from.
type rankShare struct {
	Part            *layout.Part      // of triangles, or
	Solid           *layout.SolidPart // of tetrahedra
	Bounds          sizing.Bounds     // of the mesh, or
	Box             sizing.Box        // in space
	Vertices, Cells int64             // of the mesh
	Crowded         int               // vertices that stay, since they have too many neighbours
	Nodal           *nodalMetric      // nil for metrics that a rank makes from the case alone

	Local  *layout.LocalMesh // of triangles, which this rank arranges as Part, with Layout
	Layout layout.Options
}

// Check refuses a share that has not exactly one of Part, Solid and Local. Their contents, made by rank 0, are trusted.
func (s *rankShare) Check(int, int) error {
	kinds := 0
	for _, there := range []bool{s.Part != nil, s.Solid != nil, s.Local != nil} {
		if there {
			kinds++
		}
	}
	if kinds != 1 {
		return fmt.Errorf("it has %d of a plane part, a solid part and a local mesh; want 1", kinds)
	}
	return nil
}
