package mesh

import (
	"cmp"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
)

// VertexClass classifies a vertex by the triangles around it.
type VertexClass uint8

const (
	Irregular VertexClass = iota // in no triangle, or in several fans that share nothing but the vertex
	Border                       // the triangles are one open fan, which begins and ends at the boundary
	Interior                     // the triangles are a closed fan
)

// Rings lists the neighbours of each vertex, counter-clockwise: those of vertex v are At[Start[v]:Start[v+1]]. The ring
// of an interior vertex begins with the lowest id, that of a border vertex at the first boundary edge. An irregular
// vertex has an empty ring.
type Rings struct {
	Start []int32
	At    []int32
	Class []VertexClass
}

// Of returns the ring of vertex v. The caller must not modify it.
func (r *Rings) Of(v int32) []int32 { return r.At[r.Start[v]:r.Start[v+1]] }

// Rings finds the ring of every vertex in linear time. Triangles should be counter-clockwise, as Check demands; a
// vertex around which they are not is Irregular. Vertex ids out of range are an error.
func (m *Mesh) Rings() (*Rings, error) {
	if err := m.CheckIDs(); err != nil {
		return nil, err
	}
	n := len(m.X)
	start, corners := m.corners()
	r := &Rings{Start: make([]int32, n+1), At: make([]int32, len(corners)+n), Class: make([]VertexClass, n)}
	parts := parallel.Parts(n, itemsPerWorker)
	ends := make([]int32, parts)
	parallel.Ranges(n, parts, func(part, lo, hi int) {
		var t tracer
		// A ring has at most one neighbour more than corners, so the rings of a part fit the space before the next
		// part.
		all := r.At[int(start[lo])+lo : int(start[lo])+lo : int(start[hi])+hi]
		for v := lo; v < hi; v++ {
			all, r.Class[v] = t.trace(m, corners[start[v]:start[v+1]], all)
			r.Start[v+1] = int32(len(all))
		}
		ends[part] = int32(len(all))
	})
	// The rings of each part are moved to the end of those of the part before.
	all := int32(0)
	for part, length := range ends {
		lo, hi := n*part/parts, n*(part+1)/parts
		begin := start[lo] + int32(lo)
		copy(r.At[all:], r.At[begin:begin+length])
		for v := lo; v < hi; v++ {
			r.Start[v+1] += all
		}
		all += length
	}
	r.At = r.At[:all]
	return r, nil
}

// corners lists the corners of all cells by vertex, ascending: corner 3c+k is vertex k of cell c. Those of vertex v are
// corners[start[v]:start[v+1]].
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

// otherVertices returns the other two vertices of a corner's cell, counter-clockwise.
func (m *Mesh) otherVertices(corner int32) (a, b int32) {
	c := &m.Cells[corner/3]
	k := corner % 3
	return c[(k+1)%3], c[(k+2)%3]
}

// tracer finds rings. Its slices are reused for each vertex.
type tracer struct {
	next   []link  // one for each corner at the vertex
	before []int32 // the neighbours b of all links
}

// link is a neighbour a of the vertex and the next neighbour b, counter-clockwise.
type link struct{ a, b int32 }

// maxLinear is the largest number of links that are searched linearly rather than sorted.
const maxLinear = 16

// trace appends the ring of the vertex with the given corners.
func (t *tracer) trace(m *Mesh, corners, ring []int32) ([]int32, VertexClass) {
	if len(corners) == 0 {
		return ring, Irregular
	}
	t.next = t.next[:0]
	lowest := int32(math.MaxInt32)
	for _, c := range corners {
		a, b := m.otherVertices(c)
		t.next = append(t.next, link{a, b})
		lowest = min(lowest, a)
	}
	begin := len(ring)
	if len(corners) <= maxLinear {
		// If as many steps as there are corners lead back to the start, all neighbours are different: the fan is
		// closed.
		if ring = t.walk(ring, lowest); len(ring)-begin == len(corners) && t.successor(ring[len(ring)-1]) == lowest {
			return ring, Interior
		}
		ring = ring[:begin]
	}
	first, starts := t.starts()
	class := Border
	if starts == 0 {
		first, class = lowest, Interior
	}
	if starts > 1 {
		return ring, Irregular
	}
	ring = t.walk(ring, first)
	if len(ring)-begin != len(corners)+starts { // some corners belong to another fan
		return ring[:begin], Irregular
	}
	return ring, class
}

// starts sorts the links and returns the number of neighbours that no link leads to, the starts of open fans, and one
// of them. The number is 2 or more also if two cells are on the same side of an edge.
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

// walk appends first and the neighbours that follow it, until the links return to first or end, at most one neighbour
// per link.
func (t *tracer) walk(ring []int32, first int32) []int32 {
	ring = append(ring, first)
	a := first
	for range t.next {
		if a = t.successor(a); a < 0 || a == first {
			break
		}
		ring = append(ring, a)
	}
	return ring
}

// successor returns the neighbour after a, -1 if there is none. More than maxLinear links must be sorted.
func (t *tracer) successor(a int32) int32 {
	if len(t.next) > maxLinear {
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
