package shape

import (
	"math"
	"slices"
)

// end is where a line parallel to an axis enters or leaves a body, and through which surface: a number that is the same
// for all positions of one smooth piece of it.
type end struct {
	at float64
	of int32
}

// node is an analytic body, or several that are combined. What lies inside along a line is known exactly. Nodes keep
// what they return, so a tree is for one goroutine, and what a node returns for one line is gone with the next.
type node struct {
	phi    func(x, y, z float64) float64 // that changes by at most 1 per unit of length; of analytic bodies
	figure figure
	of     [sides]int32 // its surfaces, by the numbers that the figure has for them

	op       operation
	children []*node

	ends, spare []end // an even number: the body lies between the first and the second, and so on
}

// figure is the geometry of an analytic body.
type figure interface {
	// line adds what lies inside along a line through a position parallel to an axis.
	line(n *node, axis int, at *[3]float64)
	// section adds the curves in which a plane cuts the surfaces.
	section(n *node, p *plane)
	// turns appends where along an axis planes across it begin or cease to cut a surface, and other positions that section
	// does not tell of.
	turns(c *Cell, axis int, to []float64) []float64
	// surface tells its surfaces apart from those of other bodies, by values that are equal where surfaces are.
	surface(k int) any
	// cuts tells whether the curves of section are all there are in planes across an axis.
	cuts(axis int) bool
}

// sides is how many surfaces an analytic body has at most.
const sides = 6

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

// numbered gives the surfaces of a tree numbers: equal ones to equal surfaces, so that it does not matter which of them
// counts where they lie in one another. Bodies that stand in a tree twice are copied.
func (n *node) numbered(known map[any]int32) *node {
	c := *n
	c.ends, c.spare, c.children = nil, nil, nil
	if c.op == single {
		for k := range c.of {
			key := c.figure.surface(k)
			if _, found := known[key]; !found {
				known[key] = int32(2 * len(known)) // the next one is that of an upper half
			}
			c.of[k] = known[key]
		}
	}
	for _, child := range n.children {
		c.children = append(c.children, child.numbered(known))
	}
	return &c
}

// copied is the same tree for another goroutine.
func (n *node) copied() *node {
	c := *n
	c.ends, c.spare, c.children = nil, nil, nil
	for _, child := range n.children {
		c.children = append(c.children, child.copied())
	}
	return &c
}

// add says that the body lies from one position to another, through surfaces a and b.
func (n *node) add(from, to float64, a, b int32) {
	if from < to {
		n.ends = append(n.ends, end{from, a}, end{to, b})
	}
}

// along returns the ends of the body on a line through a position, in ascending order.
func (n *node) along(axis int, at *[3]float64) []end {
	n.ends = n.ends[:0]
	switch n.op {
	case single:
		n.figure.line(n, axis, at)
	case complement:
		n.ends = inverted(n.ends, n.children[0].along(axis, at))
	case union, intersection:
		n.ends = append(n.ends, n.children[0].along(axis, at)...)
		for _, c := range n.children[1:] {
			n.spare = merged(n.spare[:0], n.ends, c.along(axis, at), n.op == union)
			n.ends, n.spare = n.spare, n.ends
		}
	}
	return n.ends
}

// inverted appends what is not between the ends.
func inverted(to, ends []end) []end {
	if len(ends) == 0 || !math.IsInf(ends[0].at, -1) {
		to = append(to, end{at: math.Inf(-1)})
	} else {
		ends = ends[1:]
	}
	to = append(to, ends...)
	if n := len(to); math.IsInf(to[n-1].at, 1) && n > 1 {
		return to[:n-1]
	}
	return append(to, end{at: math.Inf(1)})
}

// merged appends what is between the ends of one of a and b or, if either is false, of both.
func merged(to, a, b []end, either bool) []end {
	need := 2
	if either {
		need = 1
	}
	inA, inB, before := 0, 0, false
	for i, j := 0, 0; i < len(a) || j < len(b); {
		var e end
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
	return to
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
			return &node{op: complement, children: []*node{c}}
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
	return &node{op: n.op, children: left}
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
	return n.numbered(map[any]int32{})
}
