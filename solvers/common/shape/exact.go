package shape

import (
	"math"
	"slices"
)

// exactly is the volume fraction in a cell of a body of known geometry: areas in planes across one axis, which are
// exact, integrated by rules of Gauss and Kronrod between the positions where they change from one surface to another.
func (n *node) exactly(c *Cell) float64 {
	middle, radius := c.Lo, 0.0
	for d := range c.Dim {
		middle[d] += c.H[d] / 2
		radius += c.H[d] * c.H[d] / 4
	}
	n = n.within(middle[0], middle[1], middle[2], math.Sqrt(radius)*(1+1e-12))
	switch n.op {
	case everything:
		return 1
	case nothing:
		return 0
	}
	m := measure{tree: n, cell: c, at: c.Lo}
	if c.Dim == 2 {
		m.plane.axes = [3]int{0, 1, 2}
		v, _ := m.area(c.Lo[2])
		return min(1, max(0, v))
	}
	cuts := m.choose()
	sum, last := 0.0, 0.0
	for _, x := range append(cuts, 1) {
		if x-last > 1e-15 {
			sum += m.volume(last, x, halvings)
		}
		last = x
	}
	return min(1, max(0, sum))
}

const (
	halvings    = 30    // of an interval at most
	sharesOff   = 1e-11 // by which the two rules may differ, in shares of a cell; the better one is nearer by far
	unseen      = 1e-9  // in shares of a cell: what is so thin does not matter
	sliver      = 1e-9  // what is so narrow in a plane is not looked at by the kind of its area
	mostChanges = 40    // in a cell: where surfaces all but lie in one another, which of them counts is as rounding has it
	breaksRoom  = 64
)

// measure is that of a body in a cell.
type measure struct {
	tree  *node
	cell  *Cell
	plane plane
	at    [3]float64
	order [breaksRoom]float64

	changes int // of kind that were looked for
}

// choose finds the axis across which planes have the fewest breaks, and these.
func (m *measure) choose() (best []float64) {
	axis := -1
	for d := range 3 {
		if !m.tree.cuts(d) {
			continue
		}
		if b := m.breaks(d, nil); axis < 0 || len(b) < len(best) {
			axis, best = d, b
		}
	}
	p, q := others(axis)
	m.plane.axes = [3]int{p, q, axis}
	slices.Sort(best)
	return best
}

// cuts tells whether all curves are known in planes across an axis.
func (n *node) cuts(axis int) bool {
	if n.op == single {
		return n.figure.cuts(axis)
	}
	return !slices.ContainsFunc(n.children, func(c *node) bool { return !c.cuts(axis) })
}

// breaks appends where areas across an axis are not smooth, but for positions inside the cell where surfaces meet.
func (m *measure) breaks(axis int, to []float64) []float64 {
	p, q := others(axis)
	c := m.cell
	to = inUnit(m.tree.turns(c, axis, to), 0, c.Lo[axis], c.H[axis])
	for _, side := range [2][2]int{{p, q}, {q, p}} {
		for _, at := range [2]float64{c.Lo[side[0]], c.Lo[side[0]] + c.H[side[0]]} {
			m.plane.cut(m.tree, at, [3]int{side[1], axis, side[0]})
			to = m.plane.breaks(c, to)
		}
	}
	return to
}

func (n *node) turns(c *Cell, axis int, to []float64) []float64 {
	if n.op == single {
		return n.figure.turns(c, axis, to)
	}
	for _, child := range n.children {
		to = child.turns(c, axis, to)
	}
	return to
}

// area is the body's share of the cell in the plane at a position along the last axis, and a number that differs where
// the surfaces do that bound it, or their order.
func (m *measure) area(at float64) (share float64, kind uint64) {
	s, c := &m.plane, m.cell
	p, q := s.axes[0], s.axes[1]
	s.cut(m.tree, at, s.axes)
	m.at[s.axes[2]] = at
	cuts := append(s.breaks(c, m.order[:0]), 1)
	slices.Sort(cuts)
	last, before := 0.0, uint64(0)
	for _, x := range cuts {
		if x-last > 1e-15 {
			strip := uint64(0)
			m.at[q] = c.Lo[q] + (last+x)/2*c.H[q]
			ends := m.tree.along(p, &m.at)
			for k := 0; k+1 < len(ends); k += 2 {
				lo, from := m.mean(ends[k], last, x)
				hi, to := m.mean(ends[k+1], last, x)
				if lo < hi {
					share += (hi - lo) * (x - last)
					strip = mixed(mixed(strip, from), to)
				}
			}
			if strip != before && x-last > sliver {
				kind, before = mixed(kind, strip), strip
			}
		}
		last = x
	}
	return share, kind
}

func mixed(kind, with uint64) uint64 { return (kind ^ with) * 0x9e3779b97f4a7c15 }

// mean is that of the position of an end along the first axis, as a share of the cell's side, between two shares of the
// second, in the middle of which it is known. of is the surface that it is on, or a side of the cell.
func (m *measure) mean(e end, from, to float64) (share float64, of uint64) {
	p, q := m.plane.axes[0], m.plane.axes[1]
	lo, h := m.cell.Lo[p], m.cell.H[p]
	switch share = (e.at - lo) / h; {
	case share <= 0:
		return 0, 1
	case share >= 1:
		return 1, 2
	}
	for i := range m.plane.curves {
		c := &m.plane.curves[i]
		if c.round && c.of == e.of&^1 {
			half := c.a * meanHeight((m.cell.Lo[q]+from*m.cell.H[q]-c.q)/c.b, (m.cell.Lo[q]+to*m.cell.H[q]-c.q)/c.b)
			if e.of&1 == 0 {
				half = -half
			}
			share = (c.p - lo + half) / h
			break
		}
	}
	return share, uint64(e.of) + 3
}

// meanHeight is the mean of √(1-x²) from a to b: that of the chord, and of what is above it.
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
	var above float64 // angle - sin(angle)
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

// across is the area at share x along the last axis.
func (m *measure) across(x float64) (share float64, kind uint64) {
	axis := m.plane.axes[2]
	return m.area(m.cell.Lo[axis] + x*m.cell.H[axis])
}

// volume is the integral of areas from a to b. Where the rules disagree it is divided, at a position where the surfaces
// that bound the areas change, if there is any.
func (m *measure) volume(a, b float64, depth int) float64 {
	var places, values [15]float64
	var kinds [15]uint64
	middle, half := (a+b)/2, (b-a)/2
	kronrod, gauss := 0.0, 0.0
	for k := range values {
		node := min(k, 14-k)
		places[k] = middle - half*kronrodNode[node]
		if k > 7 {
			places[k] = middle + half*kronrodNode[node]
		}
		values[k], kinds[k] = m.across(places[k])
		kronrod += kronrodWeight[node] * values[k]
		gauss += gaussWeight[node] * values[k]
	}
	if depth == 0 {
		return kronrod * half
	}
	// What changes before the first place, or behind the last one, neither rule sees.
	if x := m.change(a, places[0], kinds[0]); x > a {
		return m.volume(a, x, depth-1) + m.volume(x, b, depth-1)
	}
	if x := m.change(b, places[14], kinds[14]); x < b {
		return m.volume(a, x, depth-1) + m.volume(x, b, depth-1)
	}
	if math.Abs(kronrod-gauss)*half <= sharesOff {
		return kronrod * half
	}
	cut := middle
	for k := 1; k < len(kinds); k++ {
		if kinds[k] != kinds[k-1] {
			cut = m.change(places[k], places[k-1], kinds[k-1])
			break
		}
	}
	if cut == middle {
		if v, good := m.flattened(a, b); good {
			return v
		}
	}
	return m.volume(a, cut, depth-1) + m.volume(cut, b, depth-1)
}

// flattened is the same with x = a + (b-a)·t²·(3-2t), which makes areas smooth that begin or end as the square root of
// the distance, or a power of that, where surfaces turn. good tells whether both rules agree.
func (m *measure) flattened(a, b float64) (v float64, good bool) {
	kronrod, gauss := 0.0, 0.0
	for k := range 15 {
		node := min(k, 14-k)
		t := (1 - kronrodNode[node]) / 2
		if k > 7 {
			t = 1 - t
		}
		area, _ := m.across(a + (b-a)*t*t*(3-2*t))
		area *= 6 * t * (1 - t)
		kronrod += kronrodWeight[node] * area
		gauss += gaussWeight[node] * area
	}
	half := (b - a) / 2
	return kronrod * half, math.Abs(kronrod-gauss)*half <= sharesOff
}

// change is where areas cease to be of a kind, between from and a position to where they are of it; from if they are
// there too.
func (m *measure) change(from, to float64, kind uint64) float64 {
	a, b := from+math.Copysign(min(unseen, math.Abs(to-from)/2), to-from), to
	if _, of := m.across(a); of == kind || m.changes == mostChanges {
		return from
	}
	m.changes++
	for math.Abs(b-a) > 1e-14 {
		x := (a + b) / 2
		if x == a || x == b {
			break
		}
		if _, of := m.across(x); of == kind {
			b = x
		} else {
			a = x
		}
	}
	return (a + b) / 2
}
