package shape

import (
	"math"
	"slices"
)

// end is where a line parallel to an axis enters or leaves a body, and through which surface: a number that is the same
// for all places of one smooth piece of it.
type end struct {
	at float64
	of int32
}

// node is an analytic body, or several that are combined. What lies inside along a line is known exactly. Nodes keep
// what they return, so a tree is for one goroutine, and what a node returns for one line is gone with the next.
type node struct {
	phi  func(x, y, z float64) float64 // that changes by at most 1 per unit of length; of analytic bodies
	line func(n *node, axis int, at *[3]float64)
	of   int32 // the first of its surfaces

	op       operation
	children []*node

	ends, spare []end   // an even number: the body lies between the first and the second, and so on
	gap         float64 // the least between ends of different bodies, those that do not bound the whole one too
}

// operation is how the children of a node are combined.
type operation int

const (
	single operation = iota
	union
	intersection
	complement
	everything
	nothing
)

var all, none = &node{op: everything}, &node{op: nothing}

// surfaces is how many numbers an analytic body has for its surfaces.
const surfaces = 8

// numbered gives each analytic body of a tree numbers of its own. Bodies that stand in a tree twice are copied.
func (n *node) numbered(next *int32) *node {
	c := *n
	c.ends, c.spare = nil, nil
	c.of = *next
	*next += surfaces
	c.children = nil
	for _, child := range n.children {
		c.children = append(c.children, child.numbered(next))
	}
	return &c
}

// add says that the body lies from one place to another, through its surfaces a and b.
func (n *node) add(from, to float64, a, b int32) {
	if from < to {
		n.ends = append(n.ends, end{from, n.of + a}, end{to, n.of + b})
	}
}

// along returns the ends of the body on a line through a place, in ascending order.
func (n *node) along(axis int, at *[3]float64) []end {
	n.ends, n.gap = n.ends[:0], math.Inf(1)
	switch n.op {
	case single:
		n.line(n, axis, at)
	case everything:
		n.add(math.Inf(-1), math.Inf(1), 0, 1)
	case complement:
		n.ends = inverted(n.ends, n.children[0].along(axis, at), n.of)
		n.gap = n.children[0].gap
	case union, intersection:
		n.ends = append(n.ends, n.children[0].along(axis, at)...)
		n.gap = n.children[0].gap
		for _, c := range n.children[1:] {
			gap, with := 0.0, c.along(axis, at)
			n.spare, gap = merged(n.spare[:0], n.ends, with, n.op == union)
			n.ends, n.spare = n.spare, n.ends
			n.gap = min(n.gap, c.gap, gap)
		}
	}
	return n.ends
}

// inverted appends what is not between the ends.
func inverted(to, ends []end, of int32) []end {
	if len(ends) == 0 || !math.IsInf(ends[0].at, -1) {
		to = append(to, end{math.Inf(-1), of})
	} else {
		ends = ends[1:]
	}
	to = append(to, ends...)
	if n := len(to); math.IsInf(to[n-1].at, 1) && n > 1 {
		return to[:n-1]
	}
	return append(to, end{math.Inf(1), of + 1})
}

// merged appends what is between the ends of one of a and b or, if either is false, of both. gap is the least between an
// end of a and one of b.
func merged(to, a, b []end, either bool) (ends []end, gap float64) {
	gap = math.Inf(1)
	need := 2
	if either {
		need = 1
	}
	inA, inB, before := 0, 0, false
	for i, j := 0, 0; i < len(a) || j < len(b); {
		var e end
		if i < len(a) && j < len(b) {
			gap = min(gap, math.Abs(a[i].at-b[j].at))
		}
		if j == len(b) || i < len(a) && a[i].at <= b[j].at {
			e = a[i]
			i++
			inA = i % 2
		} else {
			e = b[j]
			j++
			inB = j % 2
		}
		if now := inA+inB >= need; now != before {
			before = now
			if k := len(to); !now && k%2 == 1 && to[k-1].at == e.at {
				to = to[:k-1] // nothing lies between
				continue
			}
			to = append(to, e)
		}
	}
	return to, gap
}

// within is what is left of the tree in a ball: bodies whose surfaces do not reach it are all of it, or nothing.
func (n *node) within(x, y, z, radius float64) *node {
	switch n.op {
	case everything, nothing:
		return n
	case single:
		v := n.phi(x, y, z)
		if v > radius {
			return none
		}
		if v < -radius {
			return all
		}
		return n
	case complement:
		switch c := n.children[0].within(x, y, z, radius); c {
		case all:
			return none
		case none:
			return all
		case n.children[0]:
			return n
		default:
			return &node{op: complement, children: []*node{c}, of: n.of}
		}
	}
	decides, idle := all, none
	if n.op == intersection {
		decides, idle = none, all
	}
	var left []*node
	for _, child := range n.children {
		c := child.within(x, y, z, radius)
		if c == decides {
			return decides
		}
		if c != idle {
			left = append(left, c)
		}
	}
	switch {
	case len(left) == 0:
		return idle
	case len(left) == 1:
		return left[0]
	case slices.Equal(left, n.children):
		return n
	}
	return &node{op: n.op, children: left, of: n.of}
}

// tree is the node of bodies that are combined, nil if it is not known of one of them.
func tree(op operation, bodies ...Body) *node {
	n := &node{op: op}
	for _, b := range bodies {
		if b.tree == nil {
			return nil
		}
		n.children = append(n.children, b.tree)
	}
	next := int32(0)
	return n.numbered(&next)
}

// others are the two axes that are not the given one.
func others(axis int) (int, int) { return (axis + 1) % 3, (axis + 2) % 3 }

// lineOfQuadric is that of Σ ((x-c)/a)² ≤ 1. An axis with an infinite a does not matter.
func lineOfQuadric(c, a [3]float64) func(n *node, axis int, at *[3]float64) {
	return func(n *node, axis int, at *[3]float64) {
		p, q := others(axis)
		u, v := (at[p]-c[p])/a[p], (at[q]-c[q])/a[q]
		rest := 1 - u*u - v*v
		switch {
		case !(rest > 0):
		case math.IsInf(a[axis], 1):
			n.add(math.Inf(-1), math.Inf(1), 0, 1)
		default:
			half := a[axis] * math.Sqrt(rest)
			n.add(c[axis]-half, c[axis]+half, 2, 3)
		}
	}
}

func lineOfBox(lo, hi [3]float64) func(n *node, axis int, at *[3]float64) {
	return func(n *node, axis int, at *[3]float64) {
		p, q := others(axis)
		if at[p] > lo[p] && at[p] < hi[p] && at[q] > lo[q] && at[q] < hi[q] {
			n.add(lo[axis], hi[axis], 2*int32(axis), 2*int32(axis)+1)
		}
	}
}

// lineOfHalfSpace is that of (x-o)·m ≤ 0.
func lineOfHalfSpace(o, m [3]float64) func(n *node, axis int, at *[3]float64) {
	return func(n *node, axis int, at *[3]float64) {
		p, q := others(axis)
		rest := (at[p]-o[p])*m[p] + (at[q]-o[q])*m[q]
		switch x := o[axis] - rest/m[axis]; {
		case m[axis] > 0:
			n.add(math.Inf(-1), x, 0, 1)
		case m[axis] < 0:
			n.add(x, math.Inf(1), 1, 0)
		case rest < 0:
			n.add(math.Inf(-1), math.Inf(1), 0, 0)
		}
	}
}

// lineOfTorus is that of a torus around an axis along z.
func lineOfTorus(c [3]float64, ring, radius float64) func(n *node, axis int, at *[3]float64) {
	return func(n *node, axis int, at *[3]float64) {
		if axis == 2 {
			d := math.Hypot(at[0]-c[0], at[1]-c[1]) - ring
			if rest := radius*radius - d*d; rest > 0 {
				n.add(c[2]-math.Sqrt(rest), c[2]+math.Sqrt(rest), 0, 1)
			}
			return
		}
		z, other := at[2]-c[2], at[1-axis]-c[1-axis]
		rest := radius*radius - z*z
		if !(rest > 0) {
			return
		}
		outer, inner := ring+math.Sqrt(rest), max(0, ring-math.Sqrt(rest))
		far, near := outer*outer-other*other, inner*inner-other*other
		if !(far > 0) {
			return
		}
		x := c[axis]
		if far = math.Sqrt(far); !(near > 0) {
			n.add(x-far, x+far, 2, 3)
			return
		}
		near = math.Sqrt(near)
		n.add(x-far, x-near, 2, 4)
		n.add(x+near, x+far, 5, 3)
	}
}
