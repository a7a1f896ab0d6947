package kernels

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
)

// Kinds of operations.
const (
	Split int32 = iota
	Collapse
	Swap
	Repair // collapses that remove bad cells, whatever the length of the edge
	Thin   // collapses where there are more vertices than the metric asks for, although no edge is short
	Smooth // moves
	Kinds  // their number
)

// Collapse finds the best vertex into which vertex a can be collapsed: along an edge shorter than 1/√2, or with kind
// == Repair along any edge to remove a bad cell, or with kind == Thin where cells are too small. It is -1 for none.
func (m *Mesh) Collapse(a, kind int32, r *Rules) (bid Bid, into int32) {
	if m.Freedom[a] == 0 || r.KeepBoundary && m.Freedom[a] < 2 {
		return bid, -1
	}
	old := m.worstAround(a)
	if kind == Repair && old >= RepairBelow || kind == Collapse && !m.hasEdge(a, a, 0, Shortest) ||
		kind == Thin && !m.crowded(a) {
		return bid, -1
	}
	floor, longestNew := min(CollapseFloor, old), Longest
	switch kind {
	case Repair:
		floor, longestNew = old*SwapGain+1e-3, 1.6
	case Thin:
		floor, longestNew = min(thinFloor, old), thinLongest
	}
	length := 0.0
	into = -1
	for b := m.neighbourAfter(a, -1); b >= 0; b = m.neighbourAfter(a, m.ID[b]) { // of equal targets the first is taken
		l := m.EdgeLength(a, b)
		if kind == Collapse && l >= Shortest || !m.mayCollapse(a, b, r) || m.hasEdge(a, b, longestNew, math.Inf(1)) {
			continue
		}
		if least, ok := m.leastAfter(a, b, floor); ok {
			into, floor, length = b, least, l // the next must be better
		}
	}
	if into < 0 {
		return bid, into
	}
	class := 255 - LengthClass(length)
	if kind == Repair {
		class = 255 - int(255*max(0, old))
	}
	bid.LowID, bid.HighID = m.ID[a], m.ID[into]
	bid.Key = r.Key(class, bid.LowID, bid.HighID)
	return bid, into
}

// neighbourAfter returns the vertex around a with the lowest id above the given one, -1 for none.
func (m *Mesh) neighbourAfter(a int32, after int64) int32 {
	next, id, ball := int32(-1), int64(math.MaxInt64), m.Balls[a]
	for i := range ball.N {
		c := &m.Cells[m.Around[ball.Start+i]]
		for j := range 3 {
			if o := m.ID[c.V[j]]; o > after && o < id && c.V[j] != a {
				next, id = c.V[j], o
			}
		}
	}
	return next
}

// hasEdge reports whether an edge from b to another of the vertices around a is longer than low and shorter than high.
func (m *Mesh) hasEdge(a, b int32, low, high float64) bool {
	ball := m.Balls[a]
	for i := range ball.N {
		c := &m.Cells[m.Around[ball.Start+i]]
		j := c.Find(2, a)
		v, u := c.V[(j+1)%3], c.V[(j+2)%3]
		if v != b {
			if m.isBetween(b, v, low, high) {
				return true
			}
		}
		if c.Tag[(j+1)%3] != 0 && u != b { // maybe no other triangle has the edge to u
			if m.isBetween(b, u, low, high) {
				return true
			}
		}
	}
	return false
}

// mayCollapse reports whether a may be collapsed into b as far as lines are concerned: along their line, with a
// deviation within the bound.
func (m *Mesh) mayCollapse(a, b int32, r *Rules) bool {
	if m.Freedom[a] == 2 {
		return true
	}
	at := m.Lines[a].Start
	to, from := m.Ends[at], m.Ends[at+1]
	if from.To == b {
		to, from = m.Ends[at+1], m.Ends[at]
	}
	if to.To != b || m.lineTo(b, from.To) >= 0 {
		return false
	}
	return m.Curves.Near(to.Curve, m.parameter(a, &to), m.parameter(a, &from), &m.X[b], &m.X[from.To], r.Hausdorff)
}

// leastAfter returns the worst quality of the triangles around a after a collapse into b. ok is false if one has a
// quality of at most floor, none is left, or a tagged edge would come to lie on another.
func (m *Mesh) leastAfter(a, b int32, floor float64) (least float64, ok bool) {
	least = 1
	ball := m.Balls[a]
	for i := range ball.N {
		c := &m.Cells[m.Around[ball.Start+i]]
		if at := c.Find(2, b); at >= 0 {
			if c.Tag[at] != 0 {
				return least, false
			}
			continue
		}
		j := c.Find(2, a)
		quality := m.qualityFrom(b, c.V[(j+1)%3], c.V[(j+2)%3])
		if !(quality > floor) {
			return least, false
		}
		least, ok = min(least, quality), true
	}
	return least, ok
}

// Pulled is a triangle around a, which b is no vertex of, after the collapse of a into b. An edge of a triangle that
// vanishes gives it its kind.
func (m *Mesh) Pulled(k, a, b int32) Cell {
	n := m.Cells[k]
	j := n.Find(2, a)
	ball := m.Balls[a]
	for i := range ball.N {
		c := &m.Cells[m.Around[ball.Start+i]]
		at := c.Find(2, a) // -1 if the triangle has been replaced
		if at < 0 || !c.Has(2, b) {
			continue
		}
		if tag := c.Tag[at]; tag != 0 {
			third := c.V[c.apex(a, b)]
			if third == n.V[(j+1)%3] {
				n.Tag[(j+2)%3] = tag
			}
			if third == n.V[(j+2)%3] {
				n.Tag[(j+1)%3] = tag
			}
		}
	}
	n.V[j] = b
	m.arrange(&n)
	m.Measure(&n)
	return n
}

// unit is the resolution of sizes that are added up, in integers, so that the sum does not depend on the order.
const unit = 1 << 30

// crowded reports whether the triangles around a vertex are so small in the metric that their sizes are nearer to 1
// without the vertex.
func (m *Mesh) crowded(a int32) bool {
	ball := m.Balls[a]
	n := float64(ball.N)
	left := n - 2
	if m.Freedom[a] == 1 {
		left = n - 1
	}
	if left < fewLeft*n {
		return false
	}
	sum := int64(0)
	for i := range ball.N {
		sum += int64(min(n, m.Size(m.Around[ball.Start+i])) * unit)
	}
	return float64(sum) < thinBelow*unit*n
}

// Size is that of a triangle in the mean metric of its vertices, relative to the regular one with edges of length 1.
func (m *Mesh) Size(k int32) float64 {
	c := &m.Cells[k]
	a, b, d := &m.X[c.V[0]], &m.X[c.V[1]], &m.X[c.V[2]]
	p, q, r := &m.M[c.V[0]], &m.M[c.V[1]], &m.M[c.V[2]]
	m11, m12, m22 := (p[0]+q[0]+r[0])/3, (p[1]+q[1]+r[1])/3, (p[2]+q[2]+r[2])/3
	area := 0.5 * ((b[0]-a[0])*(d[1]-a[1]) - (b[1]-a[1])*(d[0]-a[0]))
	return area * math.Sqrt(m11*m22-m12*m12) / measure.RegularArea
}
