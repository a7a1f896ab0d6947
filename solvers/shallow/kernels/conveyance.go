package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/rough"
)

// Share is an outlet of a group whose discharge is distributed over its edges by conveyance, h^(5/3)/n times the
// edge's length: q = Q K/ΣK per edge. Width is length/n, or the length if there is no friction, and Bed the height of
// the bed at the edge's midpoint, m.
type Share[F num.Float] struct {
	Outlet, Cell int32
	Bed, Width   F
	Shallows     rough.Shallows[F] // Manning's coefficients over those of deep water
}

// Convey computes the conveyance of share k from the state at the start of a step. On ground that is dry or nearly so
// the depth of an inflow is that below the level at which it would be critical, so that it begins where the ground is
// lowest.
//
//atoll:kernel
func Convey[F num.Float](k int, shares []Share[F], b *Boundary[F], w []State[F]) {
	s := shares[k]
	given := b.Conditions[b.ConditionOf[s.Outlet]]
	h := num.Larger(w[s.Cell].H2, 0)
	if given.Kind != Rating {
		z := Interpolate(b.Curves, given.First, given.Count, float64(b.Prescribed[given.Value]))
		h = num.Larger(h, F(z)-s.Bed)
	}
	conveyance := F(0)
	if h > 0 {
		root := rough.CubeRoot(h)
		conveyance = h * root * root * s.Width
		if s.Shallows.Deep > 0 {
			conveyance /= s.Shallows.At(1, h)
		}
	}
	b.Conveyances[b.Outlets[s.Outlet].Position] = conveyance
}

// Distribution is a condition of the boundary whose edges' conveyances are Count elements from First on.
type Distribution struct{ Condition, First, Count int32 }

// SumConveyances sums the conveyances of distribution k, in their order.
//
//atoll:kernel
func SumConveyances[F num.Float](k int, list []Distribution, b *Boundary[F]) {
	d := list[k]
	sum := F(0)
	for n := int32(0); n < d.Count; n++ {
		sum += b.Conveyances[d.First+n]
	}
	b.Sums[d.Condition] = sum
}

// part returns the part of a group's discharge that flows through a metre of outlet k, whose edge has a length; 0 for a
// condition that is not distributed.
func (s *Boundary[F]) part(k int, length F) F {
	sum := s.Sums[s.ConditionOf[k]]
	if sum <= 0 {
		return 0
	}
	return s.Conveyances[s.Outlets[k].Position] / sum / length
}

// Interpolate returns the value at x of count rows from first on, which are linear between their abscissas T: that of
// the first row before it, and on the line through the last two rows after them.
func Interpolate(rows []Row, first, count int32, x float64) float64 {
	lo, hi := first, first+count-1
	if count == 0 {
		return 0
	}
	if x <= rows[lo].T || count == 1 {
		return rows[lo].Value
	}
	for hi-lo > 1 {
		middle := (lo + hi) / 2
		if rows[middle].T <= x {
			lo = middle
		} else {
			hi = middle
		}
	}
	a, b := rows[lo], rows[hi]
	return a.Value + (b.Value-a.Value)*((x-a.T)/(b.T-a.T))
}
