package shape

import (
	"math"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/config/expr"
)

// levels is a body as the intersection (max) or the union of others, or the part of space where one level set is
// negative. Level sets are smooth where possible, and bounded in boxes, so that no part of a body is overlooked.
type levels struct {
	leaf  *levelSet
	max   bool
	parts []*levels
}

// levelSet is the negative of a program if minus is set.
type levelSet struct {
	program  *expr.Program
	minus    bool
	eval     func(p *expr.Program, x, y, z float64) float64
	failures *expr.Failures // of eval; nil if it cannot fail
}

func (s *levelSet) phi(at *[3]float64) float64 {
	v := s.eval(s.program, at[0], at[1], at[2])
	if s.minus {
		return -v
	}
	return v
}

// levelsOf makes the tree of an expression, of which the level sets are like one that has no program yet.
func levelsOf(t *expr.Tree, like levelSet) *levels {
	if t.Leaf != nil {
		like.program = t.Leaf
		return &levels{leaf: &like}
	}
	out := &levels{max: t.Max}
	for _, p := range t.Parts {
		out.parts = append(out.parts, levelsOf(p, like))
	}
	return out
}

// joinedLevels joins the trees of bodies; nil if one of them has none.
func joinedLevels(isIntersection bool, bodies ...Body) *levels {
	out := &levels{max: isIntersection}
	for _, b := range bodies {
		if b.levels == nil {
			return nil
		}
		out.parts = append(out.parts, b.levels)
	}
	return out
}

// complement returns the tree of the complement.
func (t *levels) complement() *levels {
	if t == nil {
		return nil
	}
	if t.leaf != nil {
		other := *t.leaf
		other.minus = !other.minus
		return &levels{leaf: &other}
	}
	out := &levels{max: !t.max}
	for _, p := range t.parts {
		out.parts = append(out.parts, p.complement())
	}
	return out
}

// surfaceIn is a level set whose sign may change in a box, with its derivatives there.
type surfaceIn struct {
	set   *levelSet
	slope [3]expr.Interval
}

// local is a tree in a box, without the level sets that have one sign there: everything, nothing, or the index of a
// surface, or a combination.
type local struct {
	op       operation // single, union, intersection, everything or nothing
	index    int
	children []local
}

// within simplifies a tree for a box, and appends the surfaces in it to list.
func (t *levels) within(c *Cell, box *[3]expr.Interval, list []surfaceIn) (local, []surfaceIn) {
	if t.leaf != nil {
		return t.leaf.within(c, box, list)
	}
	op, absorbing, neutral := union, everything, nothing
	if t.max {
		op, absorbing, neutral = intersection, nothing, everything
	}
	out, first := local{op: op}, len(list)
	for _, p := range t.parts {
		var child local
		switch child, list = p.within(c, box, list); child.op {
		case absorbing:
			return child, list[:first]
		case neutral:
		default:
			out.children = append(out.children, child)
		}
	}
	switch len(out.children) {
	case 0:
		return local{op: neutral}, list
	case 1:
		return out.children[0], list
	}
	return out, list
}

func (s *levelSet) within(c *Cell, box *[3]expr.Interval, list []surfaceIn) (local, []surfaceIn) {
	if s.failures != nil && s.failures.Irrelevant(c.Lo[0], c.Lo[1], c.Lo[2]) { // then at no position of the box either
		return local{op: nothing}, list
	}
	b := s.program.Bounds(box)
	lo, hi := b.Value.Lo, b.Value.Hi
	if lo < 0 && hi >= 0 { // the mean value theorem gives narrower bounds in small boxes
		middle, change := c.middle(), 0.0
		for d := range c.Dim {
			change += b.Slope[d].Size() * c.H[d] / 2
		}
		v := s.eval(s.program, middle[0], middle[1], middle[2])
		lo, hi = math.Max(lo, v-change), math.Min(hi, v+change)
	}
	if s.minus {
		lo, hi = -hi, -lo
		for d, v := range b.Slope {
			b.Slope[d] = expr.Interval{Lo: -v.Hi, Hi: -v.Lo}
		}
	}
	switch {
	case lo > 0:
		return local{op: nothing}, list
	case hi < 0:
		return local{op: everything}, list
	}
	return local{op: single, index: len(list)}, append(list, surfaceIn{s, b.Slope})
}

// inside evaluates the combination, given which level sets are negative.
func (t *local) inside(isNegative func(index int) bool) bool {
	switch t.op {
	case single:
		return isNegative(t.index)
	case everything, nothing:
		return t.op == everything
	}
	for n := range t.children {
		if t.children[n].inside(isNegative) == (t.op == union) {
			return t.op == union
		}
	}
	return t.op != union
}

// middle returns the centre of the cell.
func (c *Cell) middle() [3]float64 {
	m := c.Lo
	for d := range c.Dim {
		m[d] += c.H[d] / 2
	}
	return m
}

// box returns the cell as intervals.
func (c *Cell) box() (b [3]expr.Interval) {
	for d := range b {
		b[d] = expr.Interval{Lo: c.Lo[d], Hi: c.Lo[d]}
		if d < c.Dim {
			b[d].Hi = c.Lo[d] + c.H[d]
		}
	}
	return b
}

// part returns one of the 2^Dim halves, quarters or eighths of the cell.
func (c *Cell) part(k int) Cell {
	p := *c
	for d := range c.Dim {
		p.H[d] /= 2
		p.Lo[d] += float64(k>>d&1) * p.H[d]
	}
	return p
}

// coarse counts the cells in which parts of a body may have been overlooked.
type coarse struct{ cells atomic.Int64 }
