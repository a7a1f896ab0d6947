package shallow

import (
	"fmt"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/levels"
	"github.com/atoll-hpc/atoll/solvers/shallow/stencil"
)

// newUplift makes the uplift of a mesh from the rise in m of all cells, rounded to a multiple of levelSpacing, and sets
// the bed to its initial position.
func newUplift[F num.Float](cfg Config, p *mesh.Part, heights []float64, levelSpacing float64,
	m *kernels.Mesh[F]) (up kernels.Uplift[F], err error) {
	up.From, up.To = cfg.Forcing.UpliftFrom, cfg.Forcing.UpliftTo
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
	setBed(&up, 0, m.Beds, m.Stencils)
	return up, nil
}

// setBed sets the bed to its position at a time, like the kernel MoveBed.
func setBed[F num.Float](up *kernels.Uplift[F], t float64, beds []kernels.Bed[F], stencils []kernels.Stencil[F]) {
	fraction := up.Fraction(t)
	for i := range up.Rises {
		beds[i].Depth = up.Rises[i].DepthAt(fraction)
		if i < len(stencils) {
			stencils[i].Bed = up.Rises[i].SlopeAt(fraction)
		}
	}
}

// moveBed moves the bed in a step: before it at first order, between its stages at second order.
func (s *stepper[F]) moveBed(p *engine.Program, k cycleStep) {
	limit, _, _ := s.limitsOf(k)
	p.Run(engine.Whole(kernels.NewMoveBedLoop(&s.uplift, &s.clocks.Data[k], limit, s.mesh.Beds, s.mesh.Stencils),
		len(s.uplift.Rises)))
}
