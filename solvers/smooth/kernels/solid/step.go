package solid

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
	for k := m.Spans[i].FirstNeighbour; k < m.Spans[i+1].FirstNeighbour; k++ {
		if lastMove[m.Neighbours[k]] > last {
			return true
		}
	}
	return false
}

// step is the displacement d of a vertex from p, in the directions of its frame.
type step[F num.Float] struct {
	p, d  Vector[F]
	a, b  F
	bound bool // the vertex is on the boundary, and moves in the frame
	frame Frame[F]
}

// begin initialises a step of vertex i.
func (s *step[F]) begin(i int, set *Set, m *Mesh[F], v []Vertex[F]) {
	q := &v[i]
	s.p.X, s.p.Y, s.p.Z, s.a, s.b = q.X, q.Y, q.Z, q.A, q.B
	if i >= int(set.FirstSliding) {
		s.bound = true
		s.frame = m.Frames[i-int(set.FirstSliding)+int(set.FirstFrame)]
	}
}

// at returns the position after a share of the step. On the boundary it is computed from the frame's origin, so that a
// vertex never leaves its plane, line, paraboloid or parabola, however often it moves.
func (s *step[F]) at(share F) Vector[F] {
	var p Vector[F]
	if s.bound {
		a, b := s.a+share*s.d.X, s.b+share*s.d.Y
		f := &s.frame
		aa, ab, bb := a*a, a*b, b*b
		p.X = f.X + (a*f.Tx + b*f.Ux) + (aa*f.Px + ab*f.Qx + bb*f.Rx)
		p.Y = f.Y + (a*f.Ty + b*f.Uy) + (aa*f.Py + ab*f.Qy + bb*f.Ry)
		p.Z = f.Z + (a*f.Tz + b*f.Uz) + (aa*f.Pz + ab*f.Qz + bb*f.Rz)
		return p
	}
	p.X, p.Y, p.Z = s.p.X+share*s.d.X, s.p.Y+share*s.d.Y, s.p.Z+share*s.d.Z
	return p
}

// within returns T'AT and T'g, where T holds the directions of the frame. The rows of missing directions are those
// of the identity matrix.
func (s *step[F]) within(a *Tensor[F], g Vector[F]) (Tensor[F], Vector[F]) {
	if !s.bound {
		return *a, g
	}
	t, u := s.directions()
	var b Tensor[F]
	b.M11, b.M22, b.M33 = a.product(t, t), 1, 1
	if s.frame.Axes == 2 {
		b.M12, b.M22 = a.product(t, u), a.product(u, u)
	}
	return b, s.along(g)
}

// along returns T'g.
func (s *step[F]) along(g Vector[F]) Vector[F] {
	if !s.bound {
		return g
	}
	t, u := s.directions()
	var h Vector[F]
	h.X = dot(t, g)
	if s.frame.Axes == 2 {
		h.Y = dot(u, g)
	}
	return h
}

// directions returns the directions of the frame at the beginning of the step.
func (s *step[F]) directions() (Vector[F], Vector[F]) {
	var t, u Vector[F]
	f, a, b := &s.frame, s.a, s.b
	t.X, t.Y, t.Z = f.Tx+(2*a*f.Px+b*f.Qx), f.Ty+(2*a*f.Py+b*f.Qy), f.Tz+(2*a*f.Pz+b*f.Qz)
	u.X, u.Y, u.Z = f.Ux+(a*f.Qx+2*b*f.Rx), f.Uy+(a*f.Qy+2*b*f.Ry), f.Uz+(a*f.Qz+2*b*f.Rz)
	return t, u
}

// limitToFrame limits a step to the part of a curved boundary that the vertex may occupy.
func (s *step[F]) limitToFrame() {
	s.d.X, s.d.Y = limitStep(s.d.X, s.a, s.frame.Reach), limitStep(s.d.Y, s.b, s.frame.Reach)
}

// limitStep returns a step from a, limited so that it does not exceed a reach.
func limitStep[F num.Float](step, a, reach F) F {
	if step > reach-a {
		return reach - a
	}
	if step < -reach-a {
		return -reach - a
	}
	return step
}

// solve returns A⁻¹g. A is factored as LDL', so that no product of two elements of A is formed, which could overflow.
func solve[F num.Float](a *Tensor[F], g Vector[F]) Vector[F] {
	inverse := 1 / a.M11
	l2, l3 := a.M12*inverse, a.M13*inverse
	d2, c := a.M22-l2*a.M12, a.M23-l2*a.M13
	l := c / d2
	d3 := a.M33 - l3*a.M13 - l*c
	y2 := g.Y - l2*g.X
	y3 := g.Z - l3*g.X - l*y2
	var x Vector[F]
	x.Z = y3 / d3
	x.Y = y2/d2 - l*x.Z
	x.X = g.X*inverse - l2*x.Y - l3*x.Z
	return x
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
	q := s.at(share)
	u := minus(q, s.p)
	if u.X == 0 && u.Y == 0 && u.Z == 0 {
		return 0
	}
	old := v[i].metric()
	moveSquare := old.product(u, u)
	metric := field.At(q)
	v[i].X, v[i].Y, v[i].Z, v[i].A, v[i].B = q.X, q.Y, q.Z, s.a+share*s.d.X, s.b+share*s.d.Y
	v[i].M11, v[i].M12, v[i].M13 = metric.M11, metric.M12, metric.M13
	v[i].M22, v[i].M23, v[i].M33 = metric.M22, metric.M23, metric.M33
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
			share = largestShare(i, s, m, v)
		}
		for tries := 0; share != 0; tries++ {
			if upright(i, s.at(share), p.Flat, m, v) {
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

// upright reports whether all tetrahedra around vertex i have a positive volume at a trial position p, beyond
// round-off.
func upright[F num.Float](i int, p Vector[F], flat F, m *Mesh[F], v []Vertex[F]) bool {
	for k := m.Spans[i].FirstFace; k < m.Spans[i+1].FirstFace; k++ {
		s := &m.CavityFaces[k]
		if !uprightAt(p, &v[s.A], &v[s.B], &v[s.C], flat) {
			return false
		}
	}
	return true
}

// uprightAt reports whether the tetrahedron of p, a, b and c has a volume larger than a share, flat, of the
// products of which it is the sum.
func uprightAt[F num.Float](p Vector[F], av, bv, cv *Vertex[F], flat F) bool {
	a, b, c := av.from(p), bv.from(p), cv.from(p)
	most := num.Abs(a.X)*(num.Abs(b.Y*c.Z)+num.Abs(b.Z*c.Y)) + num.Abs(a.Y)*(num.Abs(b.Z*c.X)+num.Abs(b.X*c.Z)) +
		num.Abs(a.Z)*(num.Abs(b.X*c.Y)+num.Abs(b.Y*c.X))
	return dot(a, cross(b, c)) > flat*most
}

// Volume returns the volume of a tetrahedron, negative if inverted.
func Volume[F num.Float](a, b, c, d *Vertex[F]) F {
	p := Vector[F]{a.X, a.Y, a.Z}
	return dot(b.from(p), cross(c.from(p), d.from(p))) / 6
}

// Upright reports whether a tetrahedron has a positive volume, beyond round-off: larger than a share, flat, of the
// products of which it is the sum.
func Upright[F num.Float](a, b, c, d *Vertex[F], flat F) bool {
	return uprightAt(Vector[F]{a.X, a.Y, a.Z}, b, c, d, flat)
}

// largestShare returns the share of a step, at most 1, that keeps all tetrahedra upright: 0.9 of where the first
// becomes flat. Volumes are linear in the share.
func largestShare[F num.Float](i int, s *step[F], m *Mesh[F], v []Vertex[F]) F {
	u := minus(s.at(1), s.p)
	share := F(1)
	for k := m.Spans[i].FirstFace; k < m.Spans[i+1].FirstFace; k++ {
		f := &m.CavityFaces[k]
		a, b, c := v[f.A].from(s.p), v[f.B].from(s.p), v[f.C].from(s.p)
		six := dot(a, cross(b, c))
		loss := dot(u, cross(minus(b, a), minus(c, a)))
		if share*loss > 0.9*six {
			share = 0.9 * six / loss
		}
	}
	return share
}
