package shape

import (
	"math"
	"slices"
)

// end is a position where a line parallel to an axis enters or leaves a body, and the surface there: a number for
// each smooth surface.
type end struct {
	position float64
	surface  int32
}

// node is an analytic body or a combination of bodies. It computes the intervals of a line inside the body exactly.
// Nodes reuse their results: a tree is for one goroutine, and results are valid until the next call.
type node struct {
	phi      func(x, y, z float64) float64 // level set with slope at most 1, of an analytic body
	figure   figure
	surfaces [sides]int32 // numbers of the surfaces of the figure

	op       operation
	children []*node

	ends  []end // result of intervals: the body is between elements 0 and 1, 2 and 3, and so on
	spare []end // buffer for the next result
}

// figure is the geometry of an analytic body.
type figure interface {
	// line adds the intervals inside the body on a line parallel to an axis through a position.
	line(n *node, axis int, at *[3]float64)
	// section adds the curves in which a plane intersects the surfaces.
	section(n *node, p *plane)
	// extrema appends the positions along an axis where normal planes begin or cease to intersect a surface, and other
	// positions where the section is not smooth.
	extrema(c *Cell, axis int, to []float64) []float64
	// surface returns a comparable value that identifies a surface: equal surfaces of different bodies have equal
	// values.
	surface(k int) any
	// complete reports whether section adds all curves in planes normal to an axis.
	complete(axis int) bool
}

// sides is the largest number of surfaces of an analytic body.
const sides = 6

// operation combines the children of a node.
type operation int

const (
	single operation = iota
	union
	intersection
	complement
	everything
	nothing
)

var everythingNode, nothingNode = &node{op: everything}, &node{op: nothing}

// withNumbers copies a tree and numbers its surfaces. Equal surfaces get the same number, so that it does not matter
// which one is found where they coincide.
func (n *node) withNumbers(known map[any]int32) *node {
	c := *n
	c.ends, c.spare, c.children = nil, nil, nil
	if c.op == single {
		for k := range c.surfaces {
			key := c.figure.surface(k)
			if _, found := known[key]; !found {
				known[key] = int32(2 * len(known)) // the next number is for the upper half of an ellipse
			}
			c.surfaces[k] = known[key]
		}
	}
	for _, child := range n.children {
		c.children = append(c.children, child.withNumbers(known))
	}
	return &c
}

// clone copies the tree for another goroutine.
func (n *node) clone() *node {
	c := *n
	c.ends, c.spare, c.children = nil, nil, nil
	for _, child := range n.children {
		c.children = append(c.children, child.clone())
	}
	return &c
}

// add adds an interval inside the body, with the surfaces at its ends.
func (n *node) add(lo, hi float64, a, b int32) {
	if lo < hi {
		n.ends = append(n.ends, end{lo, a}, end{hi, b})
	}
}

// intervals returns the ends of the body's intervals on the line through a position along an axis, in ascending order.
func (n *node) intervals(axis int, at *[3]float64) []end {
	n.ends = n.ends[:0]
	switch n.op {
	case single:
		n.figure.line(n, axis, at)
	case complement:
		n.ends = complementEnds(n.ends, n.children[0].intervals(axis, at))
	case union, intersection:
		n.ends = append(n.ends, n.children[0].intervals(axis, at)...)
		for _, c := range n.children[1:] {
			n.spare = combineEnds(n.spare[:0], n.ends, c.intervals(axis, at), n.op == union)
			n.ends, n.spare = n.spare, n.ends
		}
	}
	return n.ends
}

// complementEnds appends the ends of the complement of the intervals.
func complementEnds(dst, ends []end) []end {
	if len(ends) == 0 || !math.IsInf(ends[0].position, -1) {
		dst = append(dst, end{position: math.Inf(-1)})
	} else {
		ends = ends[1:]
	}
	dst = append(dst, ends...)
	if n := len(dst); math.IsInf(dst[n-1].position, 1) && n > 1 {
		return dst[:n-1]
	}
	return append(dst, end{position: math.Inf(1)})
}

// combineEnds appends the ends of the union or the intersection of the intervals a and b.
func combineEnds(dst, a, b []end, isUnion bool) []end {
	minInside := 2 // the number of operands in which a point of the result lies
	if isUnion {
		minInside = 1
	}
	inA, inB, wasInside := 0, 0, false
	for i, j := 0, 0; i < len(a) || j < len(b); {
		var e end
		if j == len(b) || i < len(a) && a[i].position <= b[j].position {
			e = a[i]
			i++
			inA = i % 2
		} else {
			e = b[j]
			j++
			inB = j % 2
		}
		if now := inA+inB >= minInside; now != wasInside {
			wasInside = now
			if k := len(dst); !now && k%2 == 1 && dst[k-1].position == e.position {
				dst = dst[:k-1] // the interval is empty
				continue
			}
			dst = append(dst, e)
		}
	}
	return dst
}

// simplifiedNear simplifies the tree for points in a ball: bodies whose surfaces do not reach the ball are replaced by
// everything or nothing.
func (n *node) simplifiedNear(x, y, z, radius float64) *node {
	switch n.op {
	case everything, nothing:
		return n
	case single:
		v := n.phi(x, y, z)
		if v > radius {
			return nothingNode
		}
		if v < -radius {
			return everythingNode
		}
		return n
	case complement:
		switch c := n.children[0].simplifiedNear(x, y, z, radius); c {
		case everythingNode:
			return nothingNode
		case nothingNode:
			return everythingNode
		case n.children[0]:
			return n
		default:
			return &node{op: complement, children: []*node{c}}
		}
	}
	absorbing, neutral := everythingNode, nothingNode
	if n.op == intersection {
		absorbing, neutral = nothingNode, everythingNode
	}
	var remaining []*node
	for _, child := range n.children {
		c := child.simplifiedNear(x, y, z, radius)
		if c == absorbing {
			return absorbing
		}
		if c != neutral {
			remaining = append(remaining, c)
		}
	}
	switch {
	case len(remaining) == 0:
		return neutral
	case len(remaining) == 1:
		return remaining[0]
	case slices.Equal(remaining, n.children):
		return n
	}
	return &node{op: n.op, children: remaining}
}

// combinedTree combines bodies in a node; nil if one of them is not analytic.
func combinedTree(op operation, bodies ...Body) *node {
	n := &node{op: op}
	for _, b := range bodies {
		if b.tree == nil {
			return nil
		}
		n.children = append(n.children, b.tree)
	}
	return n.withNumbers(map[any]int32{})
}
