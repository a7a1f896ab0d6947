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

	Patch  *layout.Patch // of triangles, to be arranged as a Part
	Layout layout.Options
}

// Check refuses a share that is not of one kind. What rank 0 has arranged is not looked at again.
func (s *rankShare) Check(int, int) error {
	kinds := 0
	for _, there := range []bool{s.Part != nil, s.Solid != nil, s.Patch != nil} {
		if there {
			kinds++
		}
	}
	if kinds != 1 {
		return fmt.Errorf("it has %d kinds of part instead of 1", kinds)
	}
	return nil
}
