package mesh

import (
	"cmp"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
)

// Around is how triangles surround a vertex.
type Around uint8

const (
	Irregular Around = iota // in no triangle, or in several fans that share nothing but the vertex
	Border                  // one fan that begins and ends at the boundary
	Inside                  // a closed fan
)

// Rings lists the neighbours of each vertex, counter-clockwise: of vertex v they are At[Start[v]:Start[v+1]]. A closed
// fan begins with the lowest id, an open one where the boundary does; a vertex that is Irregular has no list.
type Rings struct {
	Start  []int32
	At     []int32
	Around []Around
}

// Of returns the ring of vertex v. The caller leaves it unchanged.
func (r *Rings) Of(v int32) []int32 { return r.At[r.Start[v]:r.Start[v+1]] }

// Rings finds the ring of every vertex in linear time. All triangles must run counter-clockwise, which Check makes sure
// of; a vertex around which they do not is Irregular. Vertex ids out of range are an error.
func (m *Mesh) Rings() (*Rings, error) {
	if err := m.CheckIDs(); err != nil {
		return nil, err
	}
	n := len(m.X)
	start, corners := m.corners()
	r := &Rings{Start: make([]int32, n+1), At: make([]int32, len(corners)+n), Around: make([]Around, n)}
	parts := parallel.Parts(n, 20_000)
	ends := make([]int32, parts)
	parallel.Ranges(n, parts, func(part, lo, hi int) {
		var t tracer
		// A ring has at most one neighbour more than there are corners, so that none runs into those of the next part.
		at := r.At[int(start[lo])+lo : int(start[lo])+lo : int(start[hi])+hi]
		for v := lo; v < hi; v++ {
			at, r.Around[v] = t.trace(m, corners[start[v]:start[v+1]], at)
			r.Start[v+1] = int32(len(at))
		}
		ends[part] = int32(len(at))
	})
	// Each part's rings move up to those of the part before.
	all := int32(0)
	for part, length := range ends {
		lo, hi := n*part/parts, n*(part+1)/parts
		from := start[lo] + int32(lo)
		copy(r.At[all:], r.At[from:from+length])
		for v := lo; v < hi; v++ {
			r.Start[v+1] += all
		}
		all += length
	}
	r.At = r.At[:all]
	return r, nil
}

// corners lists the corners of all cells by their vertex, ascending: corner 3c+k is vertex k of cell c. Those of
// vertex v are between start[v] and start[v+1].
func (m *Mesh) corners() (start, corners []int32) {
	start = make([]int32, len(m.X)+2)
	for _, c := range m.Cells {
		for _, v := range c {
			start[v+2]++
		}
	}
	for v := range m.X {
		start[v+2] += start[v+1]
	}
	corners = make([]int32, 3*len(m.Cells))
	for c, cell := range m.Cells {
		for k, v := range cell {
			corners[start[v+1]] = int32(3*c + k)
			start[v+1]++
		}
	}
	return start[:len(m.X)+1], corners
}

// facing returns the other two vertices of a corner's cell, counter-clockwise.
func (m *Mesh) facing(corner int32) (a, b int32) {
	c := &m.Cells[corner/3]
	k := corner % 3
	return c[(k+1)%3], c[(k+2)%3]
}

// tracer finds rings. Its slices are scratch.
type tracer struct {
	next   []link  // of the corners
	before []int32 // the second neighbours of these
}

// link is a neighbour and the one after it.
type link struct{ a, b int32 }

// few is up to how many links they are looked through one by one.
const few = 16

// trace appends the ring of the vertex that has the given corners.
func (t *tracer) trace(m *Mesh, corners, ring []int32) ([]int32, Around) {
	if len(corners) == 0 {
		return ring, Irregular
	}
	t.next = t.next[:0]
	lowest := int32(math.MaxInt32)
	for _, c := range corners {
		a, b := m.facing(c)
		t.next = append(t.next, link{a, b})
		lowest = min(lowest, a)
	}
	begin := len(ring)
	if len(corners) <= few {
		// Where as many steps as there are corners lead round, all these are different: the fan is closed.
		if ring = t.walk(ring, lowest); len(ring)-begin == len(corners) && t.after(ring[len(ring)-1]) == lowest {
			return ring, Inside
		}
		ring = ring[:begin]
	}
	first, starts := t.starts()
	around := Border
	if starts == 0 {
		first, around = lowest, Inside
	}
	if starts > 1 {
		return ring, Irregular
	}
	ring = t.walk(ring, first)
	if len(ring)-begin != len(corners)+starts { // a second fan is left over
		return ring[:begin], Irregular
	}
	return ring, around
}

// starts sorts the links, and returns how many neighbours come after none, and one of these. Where two cells lie on one
// side of an edge, it says 2.
func (t *tracer) starts() (first int32, starts int) {
	t.before = t.before[:0]
	for _, l := range t.next {
		t.before = append(t.before, l.b)
	}
	slices.SortFunc(t.next, func(l, k link) int { return cmp.Compare(l.a, k.a) })
	slices.Sort(t.before)
	k := 0
	for i, l := range t.next {
		if i > 0 && (l.a == t.next[i-1].a || t.before[i] == t.before[i-1]) {
			return -1, 2
		}
		for k < len(t.before) && t.before[k] < l.a {
			k++
		}
		if k == len(t.before) || t.before[k] != l.a {
			first = l.a
			starts++
		}
	}
	return first, starts
}

// walk appends a neighbour and those after it, until that is the first again, or there is none, or there have been as
// many as fit a ring.
func (t *tracer) walk(ring []int32, first int32) []int32 {
	ring = append(ring, first)
	a := first
	for range t.next {
		if a = t.after(a); a < 0 || a == first {
			break
		}
		ring = append(ring, a)
	}
	return ring
}

// after is the neighbour after a, -1 if there is none. Many links are to be sorted.
func (t *tracer) after(a int32) int32 {
	if len(t.next) > few {
		i, ok := slices.BinarySearchFunc(t.next, a, func(l link, a int32) int { return cmp.Compare(l.a, a) })
		if ok {
			return t.next[i].b
		}
		return -1
	}
	for i := range t.next {
		if t.next[i].a == a {
			return t.next[i].b
		}
	}
	return -1
}
