package shape

import (
	"cmp"
	"math"
	"slices"
)

// branch is a node of a bounding volume hierarchy over the triangles: a box, and its triangles order[first:last]. The
// first child of an inner node is the next element of the tree, the second is at index next.
type branch struct {
	lo, hi      point
	next        int32 // 0 for a leaf
	first, last int32
}

const leafTriangles = 4

// buildTree builds the tree: each box is split at the median of its triangles' centroids, along the longest side of
// their bounding box.
func (s *surface) buildTree() {
	s.order = make([]int32, len(s.corner))
	for t := range s.order {
		s.order[t] = int32(t)
	}
	s.splitBox(0, int32(len(s.order)))
}

func (s *surface) splitBox(first, last int32) {
	b := branch{first: first, last: last}
	b.lo, b.hi = s.bounds(first, last, func(c *[3]point) []point { return c[:] })
	index := len(s.tree)
	s.tree = append(s.tree, b)
	if last-first <= leafTriangles {
		return
	}
	lo, hi := s.bounds(first, last, func(c *[3]point) []point { return []point{middleOf(c)} })
	axis := 0
	for d := range 3 {
		if hi[d]-lo[d] > hi[axis]-lo[axis] {
			axis = d
		}
	}
	slices.SortFunc(s.order[first:last], func(a, b int32) int {
		return cmp.Or(cmp.Compare(middleOf(&s.corner[a])[axis], middleOf(&s.corner[b])[axis]), cmp.Compare(a, b))
	})
	half := (first + last) / 2
	s.splitBox(first, half)
	s.tree[index].next = int32(len(s.tree))
	s.splitBox(half, last)
}

func middleOf(c *[3]point) point { return c[0].plus(c[1]).plus(c[2]).times(1. / 3) }

// bounds returns the bounding box of certain points of the triangles order[first:last].
func (s *surface) bounds(first, last int32, points func(c *[3]point) []point) (lo, hi point) {
	for d := range 3 {
		lo[d], hi[d] = math.Inf(1), math.Inf(-1)
	}
	for _, t := range s.order[first:last] {
		for _, p := range points(&s.corner[t]) {
			for d := range 3 {
				lo[d], hi[d] = min(lo[d], p[d]), max(hi[d], p[d])
			}
		}
	}
	return lo, hi
}

// distanceSquare is the square of the distance of p from a box.
func (b *branch) distanceSquare(p point) float64 {
	sum := 0.0
	for d := range 3 {
		out := max(b.lo[d]-p[d], p[d]-b.hi[d], 0)
		sum += out * out
	}
	return sum
}

// nearest returns the square of the distance from p to the surface.
func (s *surface) nearest(p point) float64 {
	best := math.Inf(1)
	s.search(0, p, &best)
	return best
}

func (s *surface) search(index int32, p point, best *float64) {
	b := &s.tree[index]
	if b.next == 0 {
		for _, t := range s.order[b.first:b.last] {
			d := p.minus(nearestOf(&s.corner[t], p))
			*best = min(*best, d.dot(d))
		}
		return
	}
	l, r := index+1, b.next
	dl, dr := s.tree[l].distanceSquare(p), s.tree[r].distanceSquare(p)
	if dr < dl {
		l, r, dl, dr = r, l, dr, dl
	}
	if dl < *best {
		s.search(l, p, best)
	}
	if dr < *best {
		s.search(r, p, best)
	}
}

// winding returns how many times the surface encloses p: the number of triangles through which a ray from p to higher
// x leaves it, less that of those through which it enters. A ray through an edge or a vertex counts as beside it, on
// the same side for all triangles there.
func (s *surface) winding(p point) int {
	count, stack := 0, make([]int32, 0, 64)
	for stack = append(stack, 0); len(stack) > 0; {
		index := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		b := &s.tree[index]
		if p[0] > b.hi[0] || p[1] < b.lo[1] || p[1] > b.hi[1] || p[2] < b.lo[2] || p[2] > b.hi[2] {
			continue
		}
		if b.next != 0 {
			stack = append(stack, index+1, b.next)
			continue
		}
		for _, t := range s.order[b.first:b.last] {
			count += crossing(&s.corner[t], p)
		}
	}
	return count
}

// crossing is 1 if the ray from p to higher x leaves a body through a triangle, -1 if it enters it, 0 if it misses the
// triangle.
func crossing(c *[3]point, p point) int {
	left := isLeft(&c[0], &c[1], p)
	if left != isLeft(&c[1], &c[2], p) || left != isLeft(&c[2], &c[0], p) {
		return 0
	}
	n := c[1].minus(c[0]).cross(c[2].minus(c[0]))
	ahead := c[0].minus(p).dot(n) // the distance along the ray, times n[0]
	switch {
	case left && ahead > 0:
		return 1
	case !left && ahead < 0:
		return -1
	}
	return 0
}

// isLeft reports whether p is at the left of the line from a to b in the plane of y and z. A point on the line counts
// as moved by an infinitesimal distance, mainly along y, so that exactly one of a → b and b → a has it at its left.
func isLeft(a, b *point, p point) bool {
	reversed := a[1] > b[1] || a[1] == b[1] && a[2] > b[2]
	if reversed {
		a, b = b, a // the same arithmetic for both directions
	}
	dy, dz := b[1]-a[1], b[2]-a[2]
	area := dy*(p[2]-a[2]) - dz*(p[1]-a[1])
	left := area > 0 || area == 0 && (dz < 0 || dz == 0 && dy > 0)
	return left != reversed
}
