// Package uplift has the bed that rises in a part of a mesh.
package uplift

import (
	"fmt"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/levels"
	"github.com/atoll-hpc/atoll/solvers/shallow/stencil"
)

// New makes the uplift of a mesh from the rise in m of all cells, rounded to a multiple of levelSpacing, between two
// times in s, and sets the bed to its initial position.
func New[F num.Float](from, to float64, p *mesh.Part, heights []float64, levelSpacing float64,
	m *kernels.Mesh[F]) (up kernels.Uplift[F], err error) {
	up.From, up.To = from, to
	if heights == nil {
		return up, nil
	}
	if !(up.From <= up.To) {
		return up, fmt.Errorf("the uplift from %g s to %g s must not end before it begins", up.From, up.To)
	}
	if len(heights) != len(m.Beds) {
		return up, fmt.Errorf("the uplift has %d values for %d cells", len(heights), len(m.Beds))
	}
	up.Rises = make([]kernels.Rise[F], len(heights))
	sinks := make([]float64, len(heights))
	for i := range up.Rises {
		up.Rises[i] = kernels.Rise[F]{Depth: m.Beds[i].Depth, Height: F(levels.Round(heights[i], levelSpacing))}
		sinks[i] = -float64(up.Rises[i].Height)
	}
	for i := range m.Stencils {
		r, s := &up.Rises[i], &m.Stencils[i]
		r.Slope = s.Bed
		r.SlopeChange = stencil.Rounded[F](stencil.BedSlope(p, i, &s.Neighbours, sinks))
	}
	SetBed(&up, 0, m.Beds, m.Stencils)
	return up, nil
}

// SetBed sets the bed to its position at a time, like the kernel MoveBed.
func SetBed[F num.Float](up *kernels.Uplift[F], t float64, beds []kernels.Bed[F], stencils []kernels.Stencil[F]) {
	fraction := up.Fraction(t)
	for i := range up.Rises {
		beds[i].Depth = up.Rises[i].DepthAt(fraction)
		if i < len(stencils) {
			stencils[i].Bed = up.Rises[i].SlopeAt(fraction)
		}
	}
}
