package kernels

import (
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Uplift moves the bed and the water on it: uniformly between two times, in s, or instantly if they are equal.
type Uplift[F num.Float] struct {
	From, To float64
	Rises    []Rise[F] // of all cells; none where the bed stays
}

// Rise holds a cell's bed before the motion, its depth in m and its slope, and the total change of both. Slopes are
// for second order.
type Rise[F num.Float] struct {
	Depth, Height      F
	Slope, SlopeChange Vec2[F]
}

// Fraction returns the fraction of the uplift at time t, in [0, 1].
func (u *Uplift[F]) Fraction(t float64) F {
	switch {
	case t >= u.To:
		return 1
	case t <= u.From:
		return 0
	}
	return F((t - u.From) / (u.To - u.From))
}

// DepthAt returns the depth of the bed at a fraction of the uplift.
func (r *Rise[F]) DepthAt(share F) F { return r.Depth - share*r.Height }

// SlopeAt returns its slope.
func (r *Rise[F]) SlopeAt(share F) Vec2[F] {
	return Vec2[F]{r.Slope.X + share*r.SlopeChange.X, r.Slope.Y + share*r.SlopeChange.Y}
}

// MoveBed moves the bed of cell i to its position at the end of the step, whose length it computes as TileStep does.
// With second order the second stage is the first to use it.
//
//atoll:kernel
func MoveBed[F num.Float](i int, up *Uplift[F], clock *Clock[F], limit *atomics.Least[F], beds []Bed[F],
	stencils []Stencil[F]) {
	now := clock.AtStepStart(limit)
	if now.Stop {
		return
	}
	share := up.Fraction(now.end())
	beds[i].Depth = up.Rises[i].DepthAt(share)
	if i < len(stencils) {
		stencils[i].Bed = up.Rises[i].SlopeAt(share)
	}
}
