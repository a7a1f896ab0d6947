package vof

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// Diagnostics are measurements of the whole state, the same on every rank and for any number of ranks: sums are
// exact.
type Diagnostics struct {
	Volume      float64 // of the fluid; in the plane its area
	VolumeDrift float64 // relative change since the start
	BoundExcess float64 // largest amount by which f is outside [0, 1]; f is never clipped
	MixedCells  int64   // cells with f between 0 and 1, by more than round-off
	// total length or area of all lines or planes, and of the faces between full and empty cells
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

// mixed reports whether a cell with the volume fraction f is mixed, so that it has a plane.
func (s *solver[F]) mixed(f float64) bool {
	tolerance := float64(roundOff[F]())
	return f > tolerance && f < 1-tolerance
}

// plane returns the plane of the mixed cell at index c: the fluid is where n·x ≤ alpha, with the unit normal n and x
// relative to the lowest corner of the cell; and the size of the interface in the cell. If the interface has no
// direction, all are 0.
func (s *solver[F]) plane(field []F, c int) (n [3]float64, alpha, size float64) {
	var m geom.Plane[F]
	h := s.cellSides()
	if s.block.Grid.Dim == 2 {
		p := kernels.PlaneOf2(field, c, lattice(s.block), s.cfg.normalMethod(), differenceStep[F]())
		m = geom.Plane[F]{X: p.X, Y: p.Y, Alpha: p.Alpha}
		size = float64(geom.Length(&p, h[0], h[1]))
	} else {
		m = kernels.PlaneOf3(field, c, lattice(s.block), s.cfg.normalMethod(), differenceStep[F]())
		size = float64(geom.Section(&m, h[0], h[1], h[2]))
	}
	n = [3]float64{float64(m.X / h[0]), float64(m.Y / h[1]), float64(m.Z / h[2])}
	l := math.Sqrt(dot(n, n))
	if l == 0 {
		return n, 0, 0
	}
	for d := range n {
		n[d] /= l
	}
	return n, float64(m.Alpha) / l, size
}

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

// cellSides returns the side lengths of the cells, 1 along z in the plane.
func (s *solver[F]) cellSides() [3]F {
	h := [3]F{1, 1, 1}
	for d := range s.block.Grid.Dim {
		h[d] = F(s.block.Grid.Spacing(d))
	}
	return h
}
