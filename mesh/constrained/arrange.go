package constrained

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// segment is a piece of lines between two vertices.
type segment struct {
	a, b   int32
	groups []int32 // of the lines that it is a piece of, ascending
	odd    bool    // it is a piece of an odd number of rings
}

// arrangement is a set of segments that meet only at vertices.
type arrangement struct {
	x        []position
	segments []segment

	tolerance float64 // in units: vertices are at least so far from each other and from segments
	at        map[position][]int32
}

// most passes of divide: each makes segments shorter, and the next finds what they touch.
const mostPasses = 50

// vertex returns the vertex at a position, or near it.
func (r *arrangement) vertex(p position) int32 {
	size := int64(r.tolerance) + 1
	box := position{p.x / size, p.y / size}
	best, nearest := int32(-1), r.tolerance
	for i := box.x - 1; i <= box.x+1; i++ {
		for j := box.y - 1; j <= box.y+1; j++ {
			for _, v := range r.at[position{i, j}] {
				if d := math.Hypot(float64(r.x[v].x-p.x), float64(r.x[v].y-p.y)); d <= nearest {
					best, nearest = v, d
				}
			}
		}
	}
	if best >= 0 {
		return best
	}
	r.x = append(r.x, p)
	r.at[box] = append(r.at[box], int32(len(r.x)-1))
	return int32(len(r.x) - 1)
}

// divide divides segments until they meet only at vertices.
func (r *arrangement) divide() error {
	for range mostPasses {
		r.join()
		cuts := r.cuts()
		if cuts == nil {
			return nil
		}
		var pieces []segment
		for i, s := range r.segments {
			pieces = append(pieces, r.pieces(s, cuts[i])...)
		}
		r.segments = pieces
	}
	return fmt.Errorf("the lines cross or touch each other too often to be divided: " +
		"a larger tolerance joins nearby vertices")
}

// join orders the segments and unites those with the same ends.
func (r *arrangement) join() {
	for i := range r.segments {
		if s := &r.segments[i]; s.a > s.b {
			s.a, s.b = s.b, s.a
		}
	}
	slices.SortStableFunc(r.segments, func(s, t segment) int {
		return cmp.Or(cmp.Compare(s.a, t.a), cmp.Compare(s.b, t.b))
	})
	kept := r.segments[:0]
	for _, s := range r.segments {
		if s.a == s.b {
			continue
		}
		if n := len(kept); n > 0 && kept[n-1].a == s.a && kept[n-1].b == s.b {
			groups := slices.Concat(kept[n-1].groups, s.groups)
			slices.Sort(groups)
			kept[n-1].groups, kept[n-1].odd = slices.Compact(groups), kept[n-1].odd != s.odd
			continue
		}
		kept = append(kept, s)
	}
	r.segments = kept
}

// pieces divides a segment at vertices.
func (r *arrangement) pieces(s segment, cuts []int32) (list []segment) {
	if len(cuts) == 0 {
		return []segment{s}
	}
	along := func(v int32) float64 {
		d := position{r.x[s.b].x - r.x[s.a].x, r.x[s.b].y - r.x[s.a].y}
		return float64(r.x[v].x-r.x[s.a].x)*float64(d.x) + float64(r.x[v].y-r.x[s.a].y)*float64(d.y)
	}
	slices.SortFunc(cuts, func(u, v int32) int { return cmp.Or(cmp.Compare(along(u), along(v)), cmp.Compare(u, v)) })
	from := s.a
	for _, v := range append(slices.Compact(cuts), s.b) {
		if v != from {
			list = append(list, segment{from, v, s.groups, s.odd})
			from = v
		}
	}
	return list
}

// cuts returns the vertices at which each segment is to be divided, nil if there are none.
func (r *arrangement) cuts() map[int][]int32 {
	buckets := r.buckets()
	cuts := map[int][]int32{}
	keys := make([]position, 0, len(buckets))
	for key := range buckets {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b position) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y)) })
	done := map[[2]int32]bool{}
	for _, key := range keys {
		list := buckets[key]
		for i, s := range list {
			for _, t := range list[:i] {
				pair := [2]int32{min(s, t), max(s, t)}
				if !done[pair] {
					done[pair] = true
					r.cut(int(pair[0]), int(pair[1]), cuts)
				}
			}
		}
	}
	if len(cuts) == 0 {
		return nil
	}
	return cuts
}

// cut adds the cuts of two segments.
func (r *arrangement) cut(i, j int, cuts map[int][]int32) {
	s, t := &r.segments[i], &r.segments[j]
	touched := false
	for _, v := range [...]int32{t.a, t.b} {
		if r.touches(v, s) {
			cuts[i] = append(cuts[i], v)
			touched = true
		}
	}
	for _, v := range [...]int32{s.a, s.b} {
		if r.touches(v, t) {
			cuts[j] = append(cuts[j], v)
			touched = true
		}
	}
	if touched || s.a == t.a || s.a == t.b || s.b == t.a || s.b == t.b {
		return
	}
	a, b, c, d := r.x[s.a], r.x[s.b], r.x[t.a], r.x[t.b]
	oc, od := orient(a, b, c), orient(a, b, d)
	oa, ob := orient(c, d, a), orient(c, d, b)
	if oc == 0 || od == 0 || oa == 0 || ob == 0 || (oc > 0) == (od > 0) || (oa > 0) == (ob > 0) {
		return
	}
	w := float64(oa) / (float64(oa) - float64(ob))
	v := r.vertex(position{a.x + int64(math.Round(w*float64(b.x-a.x))), a.y + int64(math.Round(w*float64(b.y-a.y)))})
	if v != s.a && v != s.b {
		cuts[i] = append(cuts[i], v)
	}
	if v != t.a && v != t.b {
		cuts[j] = append(cuts[j], v)
	}
}

// touches reports whether a vertex that is no end of a segment is on it, or nearer to it than the tolerance.
func (r *arrangement) touches(v int32, s *segment) bool {
	if v == s.a || v == s.b {
		return false
	}
	a, b, p := r.x[s.a], r.x[s.b], r.x[v]
	ux, uy := float64(b.x-a.x), float64(b.y-a.y)
	px, py := float64(p.x-a.x), float64(p.y-a.y)
	along, length := px*ux+py*uy, ux*ux+uy*uy
	if along <= 0 || along >= length {
		return false
	}
	across := float64(orient(a, b, p))
	return across*across < r.tolerance*r.tolerance*length || across == 0
}

// buckets returns the segments that pass through, or near, the boxes of a grid.
func (r *arrangement) buckets() map[position][]int32 {
	total := 0.0
	for _, s := range r.segments {
		total += math.Hypot(float64(r.x[s.b].x-r.x[s.a].x), float64(r.x[s.b].y-r.x[s.a].y))
	}
	size := max(1, int64(total/float64(len(r.segments)+1)), 4*int64(r.tolerance))
	list := map[position][]int32{}
	margin := int64(r.tolerance) + 1
	for i, s := range r.segments {
		a, b := r.x[s.a], r.x[s.b]
		if a.x > b.x {
			a, b = b, a
		}
		for column := floorDiv(a.x-margin, size); column <= floorDiv(b.x+margin, size); column++ {
			low, high := min(a.y, b.y), max(a.y, b.y)
			if a.x < b.x { // heights of the segment over the column
				slope := float64(b.y-a.y) / float64(b.x-a.x)
				left := max(a.x, column*size-margin)
				right := min(b.x, (column+1)*size+margin)
				y := float64(a.y) + slope*float64(left-a.x)
				z := float64(a.y) + slope*float64(right-a.x)
				low, high = int64(math.Floor(min(y, z))), int64(math.Ceil(max(y, z)))
			}
			for row := floorDiv(low-margin, size); row <= floorDiv(high+margin, size); row++ {
				list[position{column, row}] = append(list[position{column, row}], int32(i))
			}
		}
	}
	return list
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
