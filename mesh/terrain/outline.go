package terrain

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/constrained"
)

// Simplify returns the positions of a line of which the others are nearer to the segments between them than a distance
// (D. Douglas and T. Peucker, Cartographica 10 (1973) 112). A closed line stays closed, with four positions or more
// unless it is narrower than the distance.
func Simplify(line [][2]float64, distance float64) [][2]float64 {
	n := len(line)
	if n < 3 {
		return line
	}
	keep := make([]bool, n)
	keep[0], keep[n-1] = true, true
	var pairs [][2]int
	if line[0] == line[n-1] {
		far, most := 0, 0.0
		for i, p := range line {
			if d := math.Hypot(p[0]-line[0][0], p[1]-line[0][1]); d > most {
				far, most = i, d
			}
		}
		keep[far] = true
		pairs = [][2]int{{0, far}, {far, n - 1}}
	} else {
		pairs = [][2]int{{0, n - 1}}
	}
	for len(pairs) > 0 {
		pair := pairs[len(pairs)-1]
		pairs = pairs[:len(pairs)-1]
		at, most := -1, distance
		for i := pair[0] + 1; i < pair[1]; i++ {
			if d := fromSegment(line[i], line[pair[0]], line[pair[1]]); d > most {
				at, most = i, d
			}
		}
		if at >= 0 {
			keep[at] = true
			pairs = append(pairs, [2]int{pair[0], at}, [2]int{at, pair[1]})
		}
	}
	var kept [][2]float64
	for i, p := range line {
		if keep[i] {
			kept = append(kept, p)
		}
	}
	return kept
}

// fromSegment is the distance of p from the segment a b.
func fromSegment(p, a, b [2]float64) float64 {
	x := nearest(p, a, b)
	return math.Hypot(p[0]-x[0], p[1]-x[1])
}

// nearest is the position of the segment a b that is nearest to p.
func nearest(p, a, b [2]float64) [2]float64 {
	ux, uy := b[0]-a[0], b[1]-a[1]
	w := 0.0
	if l := ux*ux + uy*uy; l > 0 {
		w = min(1, max(0, ((p[0]-a[0])*ux+(p[1]-a[1])*uy)/l))
	}
	return [2]float64{a[0] + w*ux, a[1] + w*uy}
}

// Arc is a part of an outline that belongs to a group.
type Arc struct {
	// From and To are positions; those of the outline that are nearest to them are its ends. Of the two parts between
	// these it is the one that is nearer to Through.
	From, To, Through [2]float64
	Width             float64 // if it is not 0, the arc has this length, and its middle is nearest to Through
	Group             int32
}

// ring is a closed line with its arc lengths.
type ring struct {
	x    [][2]float64
	s    []float64
	cuts []cut // ends of arcs, with the group of what follows
}

type cut struct {
	from, to float64 // to may be above the length of the ring
	group    int32
}

func newRing(x [][2]float64) *ring {
	r := &ring{x: x, s: make([]float64, len(x))}
	for k := 1; k < len(x); k++ {
		r.s[k] = r.s[k-1] + math.Hypot(x[k][0]-x[k-1][0], x[k][1]-x[k-1][1])
	}
	return r
}

func (r *ring) length() float64 { return r.s[len(r.s)-1] }

// project returns the arc length of the nearest position, and its distance.
func (r *ring) project(p [2]float64) (s, distance float64) {
	distance = math.Inf(1)
	for k := 1; k < len(r.x); k++ {
		q := nearest(p, r.x[k-1], r.x[k])
		if d := math.Hypot(p[0]-q[0], p[1]-q[1]); d < distance {
			distance = d
			s = r.s[k-1] + math.Hypot(q[0]-r.x[k-1][0], q[1]-r.x[k-1][1])
		}
	}
	return s, distance
}

// at returns the position at an arc length, and the index of the next vertex of the ring.
func (r *ring) at(s float64) ([2]float64, int) {
	k := max(1, min(len(r.s)-1, slices.IndexFunc(r.s, func(t float64) bool { return t >= s })))
	w := 0.0
	if d := r.s[k] - r.s[k-1]; d > 0 {
		w = min(1, max(0, (s-r.s[k-1])/d))
	}
	a, b := r.x[k-1], r.x[k]
	return [2]float64{a[0] + w*(b[0]-a[0]), a[1] + w*(b[1]-a[1])}, k
}

// part returns the positions between two arc lengths, which are between 0 and the length.
func (r *ring) part(from, to float64) [][2]float64 {
	p, k := r.at(from)
	q, end := r.at(to)
	list := [][2]float64{p}
	for ; k < end; k++ {
		if r.x[k] != list[len(list)-1] {
			list = append(list, r.x[k])
		}
	}
	if q != list[len(list)-1] {
		list = append(list, q)
	}
	return list
}

// Outline divides rings, whose first and last positions are equal, into lines that bound the region: arcs have their
// groups, and what is left has the group other. Where arcs overlap, the line has both groups. distance is how far the
// furthest Through of an arc is from the outline.
func Outline(rings [][][2]float64, arcs []Arc, other int32) (lines []constrained.Line, distance float64) {
	list := make([]*ring, len(rings))
	for i, x := range rings {
		list[i] = newRing(x)
	}
	for _, a := range arcs {
		best, least := list[0], math.Inf(1)
		for _, r := range list {
			if _, d := r.project(a.Through); d < least {
				best, least = r, d
			}
		}
		distance = max(distance, least)
		best.add(a)
	}
	for _, r := range list {
		lines = append(lines, r.lines(other)...)
	}
	return lines, distance
}

// add adds the cut of an arc.
func (r *ring) add(a Arc) {
	middle, _ := r.project(a.Through)
	if a.Width > 0 {
		from := middle - min(a.Width, r.length())/2
		if from < 0 {
			from += r.length()
		}
		r.cuts = append(r.cuts, cut{from, from + min(a.Width, r.length()), a.Group})
		return
	}
	from, _ := r.project(a.From)
	to, _ := r.project(a.To)
	if from > to {
		from, to = to, from
	}
	if middle < from || middle > to {
		from, to = to, from+r.length()
	}
	r.cuts = append(r.cuts, cut{from, to, a.Group})
}

// lines returns the ring, divided at the ends of arcs.
func (r *ring) lines(other int32) (lines []constrained.Line) {
	length := r.length()
	ends := []float64{0, length}
	for _, c := range r.cuts {
		ends = append(ends, c.from, math.Mod(c.to, length))
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	for k := 1; k < len(ends); k++ {
		x := r.part(ends[k-1], ends[k])
		if len(x) < 2 {
			continue
		}
		middle := (ends[k-1] + ends[k]) / 2
		grouped := false
		for _, c := range r.cuts {
			if middle > c.from && middle < c.to || middle+length > c.from && middle+length < c.to {
				lines = append(lines, constrained.Line{X: x, Group: c.group, Bound: !grouped})
				grouped = true
			}
		}
		if !grouped {
			lines = append(lines, constrained.Line{X: x, Group: other, Bound: true})
		}
	}
	return lines
}
