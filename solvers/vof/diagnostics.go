package vof

import (
	"context"

	"github.com/atoll-hpc/atoll/solvers/engine"
)

// Diagnostics are measurements of the whole state, the same on every rank and for any number of ranks: sums are
// exact.
type Diagnostics struct {
	Volume      float64 // of the fluid; in the plane its area
	VolumeDrift float64 // relative change since the start
	BoundExcess float64 // largest amount by which f is outside [0, 1]; f is never clipped
	MixedCells  int64   // cells with f between 0 and 1, by more than round-off
	// total length or area of the faces between cells that are full and empty to 1e-3, and of the lines or planes of
	// other mixed cells
	InterfaceSize float64
	// Σ|f - reference| dV. The reference is the exact field at the end if the case has one, otherwise the field at the
	// start. 0 in rows of tables, which do not measure it.
	L1Error       float64
	RelError      float64 // L1Error over the volume of the reference; likewise
	DivergenceMax float64 // the largest |∇·u| of the velocity in a cell, 1/s, for a time factor of 1
	CFLSum        float64 // the largest CFL number of any step so far, summed over a cell's axes
	CFLAxis       float64 // the same along one axis
}

// Diagnose measures the state of a solver that New has set up. All ranks call it.
func Diagnose(ctx context.Context, e *engine.Engine) (Diagnostics, error) {
	if _, err := e.Measure(ctx); err != nil {
		return Diagnostics{}, err
	}
	return e.Model().(interface{ lastMeasured() Diagnostics }).lastMeasured(), nil
}

func (s *solver[F]) lastMeasured() Diagnostics { return s.measured }

// sizeOf returns the total size of faces of cells, of which there are faces[axis] normal to each axis.
func (s *solver[F]) sizeOf(faces [3]int64) (size float64) {
	g := s.block.Grid
	for axis, n := range faces[:g.Dim] {
		face := 1.0
		for d := range g.Dim {
			if d != axis {
				face *= g.Spacing(d)
			}
		}
		size += float64(n) * face
	}
	return size
}
