package kernels

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
)

// SplitLength returns the length of an edge, or 0 if it is surely not to be split. If the edge is longer than the
// resolution of the metric, probe is true: the metric in its middle counts too (ProbedLength), since it may be finer
// between the vertices.
func (m *Mesh) SplitLength(a, b int32, r *Rules) (l float64, probe bool) {
	u := measure.Sub(&m.X[b], &m.X[a])
	probe = measure.Dot(&u, &u) > r.Probe*r.Probe
	if _, most := m.squares(a, b); most < surelyBelow*(Longest*Longest) && !probe {
		return 0, false
	}
	l = m.EdgeLength(a, b)
	return l, probe && !(l > Longest)
}

// ProbedLength is the larger of the length of an edge and that with the metric in its middle, by Simpson's rule for the
// length element.
func (m *Mesh) ProbedLength(a, b int32, l float64, middle *measure.Tensor) float64 {
	u := measure.Sub(&m.X[b], &m.X[a])
	return max(l, l/3+2*math.Sqrt(measure.Square(2, middle, &u))/3)
}

// Middle is the midpoint of an edge, with the same bits for both directions.
func (m *Mesh) Middle(a, b int32) (p measure.Vector) {
	for i := range 3 {
		p[i] = 0.5 * (m.X[a][i] + m.X[b][i])
	}
	return p
}

// Place returns the new vertex of the split of an edge, without its metric: in the middle of the edge, or of its piece
// of a line. ok is false if the edge stays as it is.
func (m *Mesh) Place(a, b int32, r *Rules) (born Birth, ok bool) {
	at := m.lineTo(a, b)
	if at < 0 {
		born.Freedom, born.X = 2, m.Middle(a, b)
		return born, true
	}
	e := m.Ends[at]
	if r.KeepBoundary || m.Held[e.Tag] {
		return born, false
	}
	born.Freedom, born.Curve, born.Tag = 1, e.Curve, e.Tag
	born.S = 0.5 * (e.S + m.parameter(a, &e))
	born.X = m.Curves.At(e.Curve, born.S)
	return born, true
}

// Split judges the split of an edge of length l.
func (m *Mesh) Split(a, b int32, l float64, s *Shell, born *Birth, r *Rules) (bid Bid, ok bool) {
	worst := s.worst(m)
	floor := min(SplitFloor, 0.5*worst)
	if s.atHeldFacet(m, r) {
		floor = min(SplitFloor, worst)
	} else if l > 4 {
		floor = 0
	}
	for i := range s.N {
		one := m.Half(s.K[i], a, b, born)
		other := m.Half(s.K[i], b, a, born)
		if !(one.Quality > floor) || !(other.Quality > floor) || l < 2 && !m.longEnough(s.K[i], a, b, born, r) {
			return bid, false
		}
	}
	return r.edge(m, LengthClass(l), a, b), true
}

// atHeldFacet reports whether a triangle has an edge that stays as it is, or a vertex of a boundary that does. The
// edges from the ends of that edge to another vertex are as long as the edge, however near the vertex is: without a
// floor they would be split until the triangle is flat.
func (s *Shell) atHeldFacet(m *Mesh, r *Rules) bool {
	for k := range s.N {
		c := &m.Cells[s.K[k]]
		for i := range 3 {
			if r.KeepBoundary && m.Freedom[c.V[i]] < 2 || m.Held[c.Tag[i]] {
				return true
			}
		}
	}
	return false
}

// Half is the half of a triangle, of the split of its edge from a to b, that has the new vertex instead of a.
func (m *Mesh) Half(k, a, b int32, born *Birth) Cell {
	n := m.Cells[k]
	i, j := n.Find(2, a), n.Find(2, b)
	n.V[i], n.Tag[j] = Unborn, 0 // the new edge between both halves is opposite to b
	p, q := n.V[(i+1)%3], n.V[(i+2)%3]
	if m.ID[p] < m.ID[q] { // the new vertex has the highest id
		turn(&n, (i+1)%3)
		n.Quality = quality(&m.X[p], &m.M[p], &m.X[q], &m.M[q], &born.X, &born.M)
	} else {
		turn(&n, (i+2)%3)
		n.Quality = quality(&m.X[q], &m.M[q], &born.X, &born.M, &m.X[p], &m.M[p])
	}
	return n
}

// longEnough reports whether the new edge of a split inside a triangle is as long as allowed: otherwise it would be
// collapsed, and the edge would be split again.
func (m *Mesh) longEnough(k, a, b int32, born *Birth, r *Rules) bool {
	c := &m.Cells[k]
	v := c.V[c.apex(a, b)]
	return !(measure.EdgeLength(2, &m.X[v], &m.M[v], &born.X, &born.M) < r.LeastNew)
}
