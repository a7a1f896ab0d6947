package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// needsVisit reports whether vertex i must be visited: always, unless neither it nor a neighbour has moved since the
// last visit. lastMove and lastVisit hold the set, counted from 1 over all sweeps, in which a vertex last moved by more
// than the tolerance, and in which it was last visited.
func needsVisit[F num.Float](i int, p *Params[F], m *Mesh[F], lastMove, lastVisit []int32) bool {
	if !p.Cull {
		return true
	}
	last := lastVisit[i]
	if lastMove[i] >= last {
		return true
	}
	for k := 0; ; k++ {
		j := m.next(i, k)
		if j < 0 {
			return false
		}
		if lastMove[j] > last {
			return true
		}
	}
}

// step is the displacement of a vertex: (dx, dy) from (x, y), or ds on its rail.
type step[F num.Float] struct {
	x, y, s    F
	dx, dy, ds F
	slides     bool
	rail       Rail[F]
}

// begin initialises a step of vertex i.
func (s *step[F]) begin(i int, set *Set, m *Mesh[F], v []Vertex[F]) {
	p := &v[i]
	s.x, s.y, s.s = p.X, p.Y, p.S
	if i >= int(set.FirstSliding) {
		s.slides = true
		s.rail = m.Rails[i-int(set.FirstSliding)+int(set.FirstRail)]
	}
}

// at returns the position after a share of the step. On a rail it is computed from the rail's origin, so that a vertex
// never leaves its line, however often it moves.
func (s *step[F]) at(share F) (F, F) {
	if s.slides {
		along := s.s + share*s.ds
		square := along * along
		return s.rail.X + along*s.rail.Tx + square*s.rail.Bx, s.rail.Y + along*s.rail.Ty + square*s.rail.By
	}
	return s.x + share*s.dx, s.y + share*s.dy
}

// tangent returns the direction of the rail at the beginning of the step.
func (s *step[F]) tangent() (F, F) {
	return s.rail.Tx + 2*s.s*s.rail.Bx, s.rail.Ty + 2*s.s*s.rail.By
}

// limitToRail limits a step to the part of its rail that the vertex may occupy.
func (s *step[F]) limitToRail() {
	if s.ds > s.rail.High-s.s {
		s.ds = s.rail.High - s.s
	}
	if s.ds < s.rail.Low-s.s {
		s.ds = s.rail.Low - s.s
	}
}

// commitMove moves vertex i by a share of the step, updates its metric, and returns the square of the move in the
// metric: NaN where the new position is not finite.
func commitMove[F num.Float](i int, set *Set, p *Params[F], field *Field[F], c *Control[F], s *step[F], share F,
	v []Vertex[F], lastMove, lastVisit []int32) F {
	if p.Cull {
		lastVisit[i] = c.Sweep*set.Sets + set.Index + 1
	}
	if share == 0 {
		return 0
	}
	x, y := s.at(share)
	dx, dy := x-s.x, y-s.y
	if dx == 0 && dy == 0 {
		return 0
	}
	old := &v[i]
	moveSquare := dx*(old.M11*dx+2*old.M12*dy) + dy*old.M22*dy
	metric := field.At(x, y)
	v[i].X, v[i].Y, v[i].S = x, y, s.s+share*s.ds
	v[i].M11, v[i].M12, v[i].M22 = metric.M11, metric.M12, metric.M22
	if p.Cull && moveSquare > p.Tolerance {
		lastMove[i] = c.Sweep*set.Sets + set.Index + 1
	}
	return moveSquare
}

// guarded applies as much of a step as the guard allows.
func guarded[F num.Float](i int, set *Set, p *Params[F], m *Mesh[F], field *Field[F], c *Control[F], s *step[F],
	v []Vertex[F], lastMove, lastVisit []int32, n *Counters) F {
	share := F(1)
	if p.Guard != NoGuard {
		if p.Guard == Clip {
			share = largestShare(i, !s.slides, s, m, v)
		}
		for tries := 0; share != 0; tries++ {
			x, y := s.at(share)
			if upright(i, !s.slides, x, y, p.Flat, m, v) {
				break
			}
			share /= 2
			if tries == 10 {
				share = 0
			}
		}
		if share < 1 && i < int(set.Owned) {
			atomic.AddInt64(&n.Limited, 1)
		}
	}
	return commitMove(i, set, p, field, c, s, share, v, lastMove, lastVisit)
}

// upright reports whether all triangles around vertex i have a positive area at a trial position (x, y), beyond
// round-off.
func upright[F num.Float](i int, closed bool, x, y, flat F, m *Mesh[F], v []Vertex[F]) bool {
	first := m.next(i, 0)
	a := first
	for k := 1; ; k++ {
		b := m.corner(i, k, first, closed)
		if b < 0 {
			return true
		}
		product := (v[a].X - x) * (v[b].Y - y)
		otherProduct := (v[b].X - x) * (v[a].Y - y)
		if !(product-otherProduct > flat*(num.Abs(product)+num.Abs(otherProduct))) {
			return false
		}
		if b == first {
			return true
		}
		a = b
	}
}

// largestShare returns the share of a step, at most 1, that keeps all triangles upright: 0.9 of where the first becomes
// flat. Areas are linear in the share.
func largestShare[F num.Float](i int, closed bool, s *step[F], m *Mesh[F], v []Vertex[F]) F {
	dx, dy := s.dx, s.dy
	if s.slides {
		dx, dy = s.ds*s.rail.Tx, s.ds*s.rail.Ty
	}
	first := m.next(i, 0)
	a := first
	share := F(1)
	for k := 1; ; k++ {
		b := m.corner(i, k, first, closed)
		if b < 0 {
			break
		}
		area := (v[a].X-s.x)*(v[b].Y-s.y) - (v[b].X-s.x)*(v[a].Y-s.y)
		loss := dx*(v[b].Y-v[a].Y) - dy*(v[b].X-v[a].X)
		if share*loss > 0.9*area {
			share = 0.9 * area / loss
		}
		if b == first {
			break
		}
		a = b
	}
	return share
}
