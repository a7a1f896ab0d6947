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

// nearest returns the point of the surface nearest to p; of equal ones that of the first triangle in the order of the
// tree, so that it is the same on all ranks.
func (s *surface) nearest(p point) nearestPoint {
	best := nearestPoint{square: math.Inf(1)}
	s.search(0, p, &best)
	return best
}

func (s *surface) search(index int32, p point, best *nearestPoint) {
	b := &s.tree[index]
	if b.next == 0 {
		for _, t := range s.order[b.first:b.last] {
			q, part := nearestOf(&s.corner[t], p)
			d := p.minus(q)
			if square := d.dot(d); square < best.square {
				*best = nearestPoint{square, q, t, part}
			}
		}
		return
	}
	l, r := index+1, b.next
	dl, dr := s.tree[l].distanceSquare(p), s.tree[r].distanceSquare(p)
	if dr < dl {
		l, r, dl, dr = r, l, dr, dl
	}
	if dl < best.square {
		s.search(l, p, best)
	}
	if dr < best.square {
		s.search(r, p, best)
	}
}
