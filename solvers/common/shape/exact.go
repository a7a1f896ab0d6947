package shape

import (
	"math"
	"slices"
)

// exactFraction returns the volume fraction of an analytic body in a cell: cross-section areas normal to one axis,
// which are exact, integrated by Gauss–Kronrod rules between the positions where the bounding surfaces change.
func (n *node) exactFraction(c *Cell) float64 {
	middle, radius := c.Lo, 0.0
	for d := range c.Dim {
		middle[d] += c.H[d] / 2
		radius += c.H[d] * c.H[d] / 4
	}
	n = n.simplifiedNear(middle[0], middle[1], middle[2], math.Sqrt(radius)*(1+1e-12))
	switch n.op {
	case everything:
		return 1
	case nothing:
		return 0
	}
	m := measure{tree: n, cell: c, position: c.Lo}
	if c.Dim == 2 {
		m.plane.axes = [3]int{0, 1, 2}
		v, _ := m.area(c.Lo[2])
		return min(1, max(0, v))
	}
	cuts := m.chooseAxis()
	sum, last := 0.0, 0.0
	for _, x := range append(cuts, 1) {
		if x-last > 1e-15 {
			sum += m.volume(last, x, maxHalvings)
		}
		last = x
	}
	return min(1, max(0, sum))
}

const (
	maxHalvings = 30 // how often an interval is halved at most
	// tolerance is the largest difference of the two rules as a part of the cell; the error of the Kronrod rule is much
	// smaller.
	tolerance    = 1e-11
	minThickness = 1e-9 // parts of a cell that are thinner than this fraction are ignored
	minStrip     = 1e-9 // strips narrower than this fraction of a cell's side do not affect the kind of a section
	// maxChanges limits the searches for changes of kind in a cell: where surfaces nearly coincide, round-off changes the
	// kind arbitrarily.
	maxChanges     = 40
	breaksCapacity = 64 // initial capacity of the buffer for breaks
)

// measure computes the fraction of a body in a cell.
type measure struct {
	tree        *node
	cell        *Cell
	plane       plane
	position    [3]float64
	breakBuffer [breaksCapacity]float64

	changes int // number of searches for changes of kind so far
}

// chooseAxis chooses the axis whose cross-sections have the fewest breaks (see breaks), sets the plane normal to it,
// and returns the breaks in ascending order.
func (m *measure) chooseAxis() (best []float64) {
	axis := -1
	for d := range 3 {
		if !m.tree.complete(d) {
			continue
		}
		if b := m.breaks(d, nil); axis < 0 || len(b) < len(best) {
			axis, best = d, b
		}
	}
	p, q := otherAxes(axis)
	m.plane.axes = [3]int{p, q, axis}
	slices.Sort(best)
	return best
}

// complete reports whether section returns all curves in planes normal to an axis.
func (n *node) complete(axis int) bool {
	if n.op == single {
		return n.figure.complete(axis)
	}
	return !slices.ContainsFunc(n.children, func(c *node) bool { return !c.complete(axis) })
}

// breaks appends the positions along an axis where the cross-section area is not smooth, except those where surfaces
// meet inside the cell.
func (m *measure) breaks(axis int, dst []float64) []float64 {
	p, q := otherAxes(axis)
	c := m.cell
	dst = inUnit(m.tree.extrema(c, axis, dst), 0, c.Lo[axis], c.H[axis])
	for _, pair := range [2][2]int{{p, q}, {q, p}} {
		for _, side := range [2]float64{c.Lo[pair[0]], c.Lo[pair[0]] + c.H[pair[0]]} {
			m.plane.cut(m.tree, side, [3]int{pair[1], axis, pair[0]})
			dst = m.plane.breaks(c, dst)
		}
	}
	return dst
}

func (n *node) extrema(c *Cell, axis int, dst []float64) []float64 {
	if n.op == single {
		return n.figure.extrema(c, axis, dst)
	}
	for _, child := range n.children {
		dst = child.extrema(c, axis, dst)
	}
	return dst
}

// area returns the fraction of the cell's cross-section at a position along the last axis that is inside the body,
// and a kind: a hash of the bounding surfaces and their order, which changes where these change.
func (m *measure) area(position float64) (share float64, kind uint64) {
	s, c := &m.plane, m.cell
	p, q := s.axes[0], s.axes[1]
	s.cut(m.tree, position, s.axes)
	m.position[s.axes[2]] = position
	cuts := append(s.breaks(c, m.breakBuffer[:0]), 1)
	slices.Sort(cuts)
	last, previous := 0.0, uint64(0)
	for _, x := range cuts {
		if x-last > 1e-15 {
			strip := uint64(0)
			m.position[q] = c.Lo[q] + (last+x)/2*c.H[q]
			ends := m.tree.intervals(p, &m.position)
			for k := 0; k+1 < len(ends); k += 2 {
				lo, surface0 := m.mean(ends[k], last, x)
				hi, surface1 := m.mean(ends[k+1], last, x)
				if lo < hi {
					share += (hi - lo) * (x - last)
					strip = combineHash(combineHash(strip, surface0), surface1)
				}
			}
			if strip != previous && x-last > minStrip {
				kind, previous = combineHash(kind, strip), strip
			}
		}
		last = x
	}
	return share, kind
}

// combineHash adds a number to a hash. The factor, 2^64 divided by the golden ratio, spreads its bits.
func combineHash(kind, with uint64) uint64 { return (kind ^ with) * 0x9e3779b97f4a7c15 }

// mean returns the position of an end of the body along the first axis, as a fraction of the cell's side, averaged over
// the interval from lo2 to hi2 of the second axis; e is the end in the middle of this interval. surface identifies the
// surface of the end, or the side of the cell if the body extends beyond it.
func (m *measure) mean(e end, lo2, hi2 float64) (share float64, surface uint64) {
	p, q := m.plane.axes[0], m.plane.axes[1]
	lo, h := m.cell.Lo[p], m.cell.H[p]
	switch share = (e.position - lo) / h; {
	case share <= 0:
		return 0, 1
	case share >= 1:
		return 1, 2
	}
	for i := range m.plane.curves {
		c := &m.plane.curves[i]
		if c.isEllipse && c.surface == e.surface&^1 {
			half := c.a * meanHeight((m.cell.Lo[q]+lo2*m.cell.H[q]-c.q)/c.b, (m.cell.Lo[q]+hi2*m.cell.H[q]-c.q)/c.b)
			if e.surface&1 == 0 {
				half = -half
			}
			share = (c.p - lo + half) / h
			break
		}
	}
	return share, uint64(e.surface) + 3
}

// meanHeight returns the mean of √(1-x²) from a to b: the mean height of the chord between the points at a and b of the
// unit circle, plus that of the circular segment above the chord.
func meanHeight(a, b float64) float64 {
	a, b = max(a, -1), min(b, 1)
	if !(a < b) {
		return 0
	}
	u, v := math.Sqrt((1-a)*(1+a)), math.Sqrt((1-b)*(1+b))
	rise := 0.0
	if u+v > 0 {
		rise = (b - a) * (b + a) / (u + v)
	}
	chord := math.Sqrt((b-a)*(b-a) + rise*rise)
	var above float64 // twice the area of the segment: angle - sin(angle), for small angles as a series
	if chord < 0.5 {
		angle := 2 * math.Asin(chord/2)
		t := angle * angle
		above = angle * t / 6 * (1 - t/20*(1-t/42*(1-t/72*(1-t/110*(1-t/156)))))
	} else {
		sin := b*u - a*v
		above = math.Atan2(sin, a*b+u*v) - sin
	}
	return (u+v)/2 + above/(2*(b-a))
}

// areaAtFraction is area at the fraction x of the cell's side along the last axis.
func (m *measure) areaAtFraction(x float64) (share float64, kind uint64) {
	axis := m.plane.axes[2]
	return m.area(m.cell.Lo[axis] + x*m.cell.H[axis])
}

// volume integrates areas from a to b. If the rules disagree, the interval is divided, if possible where the kind
// changes.
func (m *measure) volume(a, b float64, depth int) float64 {
	var positions, values [15]float64
	var kinds [15]uint64
	middle, half := (a+b)/2, (b-a)/2
	kronrod, gauss := 0.0, 0.0
	for k := range values {
		node := min(k, 14-k)
		positions[k] = middle - half*kronrodNode[node]
		if k > 7 {
			positions[k] = middle + half*kronrodNode[node]
		}
		values[k], kinds[k] = m.areaAtFraction(positions[k])
		kronrod += kronrodWeight[node] * values[k]
		gauss += gaussWeight[node] * values[k]
	}
	if depth == 0 {
		return kronrod * half
	}
	// The rules do not notice a change before the first or after the last position.
	if x := m.findChange(a, positions[0], kinds[0]); x > a {
		return m.volume(a, x, depth-1) + m.volume(x, b, depth-1)
	}
	if x := m.findChange(b, positions[14], kinds[14]); x < b {
		return m.volume(a, x, depth-1) + m.volume(x, b, depth-1)
	}
	if math.Abs(kronrod-gauss)*half <= tolerance {
		return kronrod * half
	}
	cut := middle
	for k := 1; k < len(kinds); k++ {
		if kinds[k] != kinds[k-1] {
			cut = m.findChange(positions[k], positions[k-1], kinds[k-1])
			break
		}
	}
	if cut == middle {
		if v, agree := m.integrateSubstituted(a, b); agree {
			return v
		}
	}
	return m.volume(a, cut, depth-1) + m.volume(cut, b, depth-1)
}

// integrateSubstituted integrates areas from a to b with the substitution x = a + (b-a)·t²·(3-2t). It makes the
// integrand smooth if the areas grow like a power of the square root of the distance from a or b, as they do at extrema
// of surfaces. agree reports whether both rules agree.
func (m *measure) integrateSubstituted(a, b float64) (v float64, agree bool) {
	kronrod, gauss := 0.0, 0.0
	for k := range 15 {
		node := min(k, 14-k)
		t := (1 - kronrodNode[node]) / 2
		if k > 7 {
			t = 1 - t
		}
		area, _ := m.areaAtFraction(a + (b-a)*t*t*(3-2*t))
		area *= 6 * t * (1 - t)
		kronrod += kronrodWeight[node] * area
		gauss += gaussWeight[node] * area
	}
	half := (b - a) / 2
	return kronrod * half, math.Abs(kronrod-gauss)*half <= tolerance
}

// findChange returns the position between start and end at which the kind of the cross-section changes, by bisection.
// kind is that at end. If start has the same kind, or too many changes were searched in this cell, it returns start.
func (m *measure) findChange(start, end float64, kind uint64) float64 {
	a, b := start+math.Copysign(min(minThickness, math.Abs(end-start)/2), end-start), end
	if _, kindAt := m.areaAtFraction(a); kindAt == kind || m.changes == maxChanges {
		return start
	}
	m.changes++
	for math.Abs(b-a) > 1e-14 {
		x := (a + b) / 2
		if x == a || x == b {
			break
		}
		if _, kindAt := m.areaAtFraction(x); kindAt == kind {
			b = x
		} else {
			a = x
		}
	}
	return (a + b) / 2
}
