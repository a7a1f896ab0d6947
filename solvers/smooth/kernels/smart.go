package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Smart moves vertex i by Newton's step with the metric held fixed, if that raises the worst quality around it. If
// a triangle would be inverted, it tries half of the step. It returns the square of the move in the metric.
//
//atoll:kernel max grain=256
func Smart[F num.Float](i int, set *Set, p *Params[F], m *Mesh[F], field *Field[F], c *Control[F], v []Vertex[F],
	lastMove, lastVisit []int32, n *Counters) F {
	if !needsVisit(i, p, m, lastMove, lastVisit) {
		return 0
	}
	var s step[F]
	s.begin(i, set, m, v)
	share := smart(i, &s, p, m, field, v)
	if share == 0 && i < int(set.Owned) {
		atomic.AddInt64(&n.Refused, 1)
	}
	return commitMove(i, set, p, field, c, &s, share, v, lastMove, lastVisit)
}

// smart computes the step and returns the share of it that raises the worst quality, 0 for none.
func smart[F num.Float](i int, s *step[F], p *Params[F], m *Mesh[F], field *Field[F], v []Vertex[F]) F {
	a, gx, gy := gather(i, m, v)
	s.newton(&a, gx, gy, p.Relax)
	share := F(1)
	x, y := s.at(share)
	if !upright(i, !s.slides, x, y, p.Flat, m, v) {
		share = 0.5
		x, y = s.at(share)
		if !upright(i, !s.slides, x, y, p.Flat, m, v) {
			return 0
		}
	}
	initial := worst(i, !s.slides, s.x, s.y, m, field, v)
	if worst(i, !s.slides, x, y, m, field, v) > initial+p.Gain {
		return share
	}
	return 0
}

// Optimise moves vertex i to where the worst quality around it is best.
//
//atoll:kernel max grain=64
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
//atoll:kernel max grain=64
func Hybrid[F num.Float](i int, set *Set, p *Params[F], m *Mesh[F], field *Field[F], c *Control[F], v []Vertex[F],
	lastMove, lastVisit []int32, n *Counters) F {
	if !needsVisit(i, p, m, lastMove, lastVisit) {
		return 0
	}
	var s step[F]
	s.begin(i, set, m, v)
	share := smart(i, &s, p, m, field, v)
	x, y := s.at(share)
	if worst(i, !s.slides, x, y, m, field, v) < c.Floor {
		// The optimiser starts where Smart has ended.
		first := s
		s.x, s.y, s.s = x, y, s.s+share*s.ds
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
