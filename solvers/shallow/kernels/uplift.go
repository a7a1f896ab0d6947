package kernels

import (
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Uplift moves the bed, and with it the water that stands on it: evenly between two times, in s, or at once where they
// are the same.
type Uplift[F num.Float] struct {
	From, To float64
	Rises    []Rise[F] // of all cells; none where the bed stays
}

// Rise is a cell's bed before it moves, its depth in m and its slope, and the total change of both. Slopes are those of
// second order.
type Rise[F num.Float] struct {
	Depth, Height      F
	Slope, SlopeChange Vec2[F]
}

// Fraction is how much of the uplift has come about at time t, in [0, 1].
func (u *Uplift[F]) Fraction(t float64) F {
	switch {
	case t >= u.To:
		return 1
	case t <= u.From:
		return 0
	}
	return F((t - u.From) / (u.To - u.From))
}

// DepthAt is the depth of the bed when a fraction of the uplift has come about.
func (r *Rise[F]) DepthAt(share F) F { return r.Depth - share*r.Height }

// SlopeAt is its slope.
func (r *Rise[F]) SlopeAt(share F) Vec2[F] {
	return Vec2[F]{r.Slope.X + share*r.SlopeChange.X, r.Slope.Y + share*r.SlopeChange.Y}
}

// MoveBed moves the bed of cell i to where it is at the end of the step, whose length it finds as TileStep does. At
// second order the second stage is the first to see it there.
//
//atoll:kernel
func MoveBed[F num.Float](i int, up *Uplift[F], clock *Clock[F], waves *atomics.Least[F], beds []Bed[F],
	stencils []Stencil[F]) {
	now := clock.atStepStart(waves)
	if now.Stop {
		return
	}
	share := up.Fraction(now.end())
	beds[i].Depth = up.Rises[i].DepthAt(share)
	if i < len(stencils) {
		stencils[i].Bed = up.Rises[i].SlopeAt(share)
	}
}
