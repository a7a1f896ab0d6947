package shape

import (
	"math"
	"slices"
)

// exactly is the volume fraction in a cell of a body of which all lines are known: lengths along one axis, integrated
// over the others by rules of Gauss and Kronrod between the places where they change from one surface to another. It
// divides a cell levels times at most.
func (n *node) exactly(c *Cell, levels int) float64 {
	middle, radius := c.Lo, 0.0
	for d := range c.Dim {
		middle[d] += c.H[d] / 2
		radius += c.H[d] * c.H[d] / 4
	}
	n = n.within(middle[0], middle[1], middle[2], math.Sqrt(radius)*(1+1e-12))
	switch n {
	case all:
		return 1
	case none:
		return 0
	}
	first, alike := false, true
	for k := range 1 << c.Dim {
		at := c.corner(k)
		in := n.holds(&at)
		if k == 0 {
			first = in
		}
		alike = alike && in == first
	}
	if !alike || levels == 0 {
		q := lined{tree: n, cell: c, at: c.Lo}
		q.choose(middle)
		v, _ := q.part(c.Dim - 1)
		return min(1, max(0, v))
	}
	sum, part := 0.0, *c
	for d := range c.Dim {
		part.H[d] /= 2
	}
	for k := range 1 << c.Dim {
		for d := range c.Dim {
			part.Lo[d] = c.Lo[d] + float64(k>>d&1)*part.H[d]
		}
		sum += n.exactly(&part, levels-1)
	}
	return sum / float64(int(1)<<c.Dim)
}

// holds tells whether a place is inside.
func (n *node) holds(at *[3]float64) bool {
	switch n.op {
	case everything, nothing:
		return n.op == everything
	case complement:
		return !n.children[0].holds(at)
	case union:
		return slices.ContainsFunc(n.children, func(c *node) bool { return c.holds(at) })
	case intersection:
		return !slices.ContainsFunc(n.children, func(c *node) bool { return !c.holds(at) })
	}
	return n.phi(at[0], at[1], at[2]) < 0
}

// lined is an integral over a cell.
type lined struct {
	tree *node
	cell *Cell
	axes [3]int // lengths lie along the first
	at   [3]float64
	cuts [3][]float64 // of each part
	gaps [3]float64   // the least between surfaces, or to faces of the cell, in the last one of each part
}

// choose finds the axis along which lines through the middles of the cell's faces meet most surfaces: across them
// lengths change least.
func (q *lined) choose(middle [3]float64) {
	steepest := -1.0
	for d := range q.cell.Dim {
		below, above := middle, middle
		below[d], above[d] = q.cell.Lo[d], q.cell.Lo[d]+q.cell.H[d]
		if v := math.Abs(q.tree.value(&above) - q.tree.value(&below)); v > steepest {
			steepest, q.axes[0] = v, d
		}
	}
	n := 1
	for d := range q.cell.Dim {
		if d != q.axes[0] {
			q.axes[n] = d
			n++
		}
	}
}

// value is the level set of a tree.
func (n *node) value(at *[3]float64) float64 {
	switch n.op {
	case everything, nothing:
		return 0
	case single:
		return n.phi(at[0], at[1], at[2])
	case complement:
		return -n.children[0].value(at)
	}
	v := n.children[0].value(at)
	for _, c := range n.children[1:] {
		if n.op == union {
			v = min(v, c.value(at))
		} else {
			v = max(v, c.value(at))
		}
	}
	return v
}

// tolerances of lengths, areas and volumes, as shares of a cell.
var tolerances = [3]float64{0, 1e-12, 1e-11}

const halvings = 24 // of an interval at most

// part is the body's share of the line, rectangle or box that the first n+1 axes span at q.at, and a number that
// differs where the surfaces do that bound it, or their order.
func (q *lined) part(n int) (share float64, kind uint64) {
	axis := q.axes[n]
	if n == 0 {
		return q.length(axis)
	}
	lo, h := q.cell.Lo[axis], q.cell.H[axis]
	cuts := append(q.cuts[n][:0], 0, 1)
	for edge := range 1 << n { // the edges along this axis
		for d := range n {
			a := q.axes[d]
			q.at[a] = q.cell.Lo[a] + float64(edge>>d&1)*q.cell.H[a]
		}
		for _, e := range q.tree.along(axis, &q.at) {
			if x := (e.at - lo) / h; x > 0 && x < 1 {
				cuts = append(cuts, x)
			}
		}
	}
	slices.Sort(cuts)
	q.cuts[n] = cuts
	least := math.Inf(1)
	for k := 1; k < len(cuts); k++ {
		if cuts[k]-cuts[k-1] > 1e-15 {
			v, of := q.integral(n, cuts[k-1], cuts[k], halvings)
			share, kind = share+v, mixed(kind, of)
			least = min(least, q.gaps[n])
		}
	}
	q.gaps[n] = least
	return share, kind
}

func mixed(kind, with uint64) uint64 { return (kind ^ with) * 0x9e3779b97f4a7c15 }

// length is the body's share of the line along an axis.
func (q *lined) length(axis int) (share float64, kind uint64) {
	lo, h := q.cell.Lo[axis], q.cell.H[axis]
	ends := q.tree.along(axis, &q.at)
	gap := q.tree.gap / h
	for k := range ends {
		x := (ends[k].at - lo) / h
		gap = min(gap, math.Abs(x), math.Abs(x-1))
	}
	q.gaps[0] = gap
	for k := 0; k+1 < len(ends); k += 2 {
		a, b := (ends[k].at-lo)/h, (ends[k+1].at-lo)/h
		from, to := ends[k].of, ends[k+1].of
		if a < 0 {
			a, from = 0, -1
		}
		if b > 1 {
			b, to = 1, -2
		}
		if a < b {
			share += b - a
			kind = mixed(mixed(kind, uint64(from+3)), uint64(to+3))
		}
	}
	return share, kind
}

// sampled is part n-1 at share x along the axis of part n.
func (q *lined) sampled(n int, x float64) (float64, uint64) {
	axis := q.axes[n]
	q.at[axis] = q.cell.Lo[axis] + x*q.cell.H[axis]
	return q.part(n - 1)
}

// integral is that of part n-1 from a to b. Where it changes from one kind to another it is divided, and so it is where
// the two rules disagree, or where surfaces come so near to each other that they may meet between two places.
func (q *lined) integral(n int, a, b float64, depth int) (sum float64, kind uint64) {
	middle, half := (a+b)/2, (b-a)/2
	var values, gaps [15]float64
	var last float64
	kronrod, gauss, least := 0.0, 0.0, math.Inf(1)
	for k := range values {
		at, node := middle, 7
		if k < 7 {
			at, node = middle-half*kronrodNode[k], k
		} else if k > 7 {
			at, node = middle+half*kronrodNode[14-k], 14-k
		}
		v, of := q.sampled(n, at)
		if k == 0 {
			kind = of
		} else if of != kind && depth > 0 {
			return q.divided(n, a, q.change(n, last, at, values[k-1], v, kind), b, depth)
		}
		values[k], last, gaps[k] = v, at, q.gaps[n-1]
		least = min(least, gaps[k])
		kronrod += kronrodWeight[node] * v
		gauss += gaussWeight[node] * v
	}
	if depth > 0 && half > narrowest {
		for k := 1; k < 14; k++ {
			if g := gaps[k]; g <= gaps[k-1] && g <= gaps[k+1] && g < (gaps[k-1]+gaps[k+1])/2-g {
				return q.divided(n, a, middle, b, depth)
			}
		}
	}
	if depth > 0 && math.Abs(kronrod-gauss)*half > tolerances[n] {
		return q.divided(n, a, middle, b, depth)
	}
	q.gaps[n] = least
	return kronrod * half, kind
}

// narrowest is half an interval in which surfaces are no longer asked whether they meet.
const narrowest = 1e-3

// divided is the integral from a to b in two parts.
func (q *lined) divided(n int, a, cut, b float64, depth int) (sum float64, kind uint64) {
	left, kind := q.integral(n, a, cut, depth-1)
	least := q.gaps[n]
	right, after := q.integral(n, cut, b, depth-1)
	q.gaps[n] = min(q.gaps[n], least)
	if kind != after {
		kind = mixed(kind, after)
	}
	return left + right, kind
}

// change is where part n-1 ceases to be of a kind, between a, where it is of it, and b. It is found as exactly as the
// values on both sides matter.
func (q *lined) change(n int, a, b, va, vb float64, kind uint64) float64 {
	for b-a > 1e-14 && (b-a)*max(math.Abs(vb-va), b-a) > 1e-14 {
		x := (a + b) / 2
		v, of := q.sampled(n, x)
		if of == kind {
			a, va = x, v
		} else {
			b, vb = x, v
		}
	}
	return (a + b) / 2
}
