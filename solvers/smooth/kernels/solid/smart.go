package solid

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Smart moves vertex i by Newton's step with the metric held fixed, if that raises the worst quality around it. If
// a tetrahedron would be inverted, it tries half of the step. It returns the square of the move in the metric.
//
//atoll:kernel max grain=128
func Smart[F num.Float](i int, set *Set, p *Params[F], m *Mesh[F], field *Field[F], c *Control[F], v []Vertex[F],
	lastMove, lastVisit []int32, n *Counters) F {
	if !needsVisit(i, p, m, lastMove, lastVisit) {
		return 0
	}
	var s step[F]
	s.begin(i, set, m, v)
	share, _ := smart(i, &s, p, m, field, v)
	if share == 0 && i < int(set.Owned) {
		atomic.AddInt64(&n.Refused, 1)
	}
	return commitMove(i, set, p, field, c, &s, share, v, lastMove, lastVisit)
}

// smart computes the step and returns the share of it that raises the worst quality, 0 for none, and the resulting
// worst quality.
func smart[F num.Float](i int, s *step[F], p *Params[F], m *Mesh[F], field *Field[F], v []Vertex[F]) (F, F) {
	a, g := gather(i, s.p, m, v)
	s.newton(&a, g, p.Relax)
	initial := worst(i, s.p, lowest, m, field, v)
	share := F(1)
	if !upright(i, s.at(share), p.Flat, m, v) {
		share = 0.5
		if !upright(i, s.at(share), p.Flat, m, v) {
			return 0, initial
		}
	}
	if final := worst(i, s.at(share), initial+p.Gain, m, field, v); final > initial+p.Gain {
		return share, final
	}
	return 0, initial
}

// Optimise moves vertex i to where the worst quality around it is best.
//
//atoll:kernel max grain=16
func Optimise[F num.Float](i int, set *Set, p *Params[F], m *Mesh[F], field *Field[F], c *Control[F], v []Vertex[F],
	lastMove, lastVisit []int32, n *Counters) F {
	if !needsVisit(i, p, m, lastMove, lastVisit) {
		return 0
	}
	var s step[F]
	s.begin(i, set, m, v)
	share := climb(i, &s, p, m, field, v)
	if share == 0 && i < int(set.Owned) {
		atomic.AddInt64(&n.Refused, 1)
	}
	return commitMove(i, set, p, field, c, &s, share, v, lastMove, lastVisit)
}

// Hybrid moves vertex i as Smart does, and as Optimise does where the worst quality is still below the floor.
//
//atoll:kernel max grain=16
func Hybrid[F num.Float](i int, set *Set, p *Params[F], m *Mesh[F], field *Field[F], c *Control[F], v []Vertex[F],
	lastMove, lastVisit []int32, n *Counters) F {
	if !needsVisit(i, p, m, lastMove, lastVisit) {
		return 0
	}
	var s step[F]
	s.begin(i, set, m, v)
	share, least := smart(i, &s, p, m, field, v)
	if least < c.Floor {
		// The optimiser starts where Smart has ended.
		first := s
		s.p, s.a, s.b = first.at(share), s.a+share*s.d.X, s.b+share*s.d.Y
		if climbShare := climb(i, &s, p, m, field, v); climbShare != 0 {
			s = combineSteps(&first, &s, share, climbShare)
			share = 1
		} else {
			s = first
		}
	}
	if share == 0 && i < int(set.Owned) {
		atomic.AddInt64(&n.Refused, 1)
	}
	return commitMove(i, set, p, field, c, &s, share, v, lastMove, lastVisit)
}

// combineSteps returns a share of a step followed by another.
func combineSteps[F num.Float](one, other *step[F], share, otherShare F) step[F] {
	s := *one
	s.d.X, s.d.Y = share*one.d.X+otherShare*other.d.X, share*one.d.Y+otherShare*other.d.Y
	s.d.Z = share*one.d.Z + otherShare*other.d.Z
	return s
}
