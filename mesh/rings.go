package mesh

// Around is how triangles surround a vertex.
type Around uint8

const (
	Apart  Around = iota // in no triangle, or in several fans that share nothing but the vertex
	Border               // one fan that begins and ends at the boundary
	Inside               // a closed fan
)

// Rings lists the neighbours of each vertex, counter-clockwise: of vertex v they are At[Start[v]:Start[v+1]]. A closed
// fan begins with the lowest id, an open one where the boundary does; a vertex that is Apart has no list.
type Rings struct {
	Start  []int32
	At     []int32
	Around []Around
}

// Of returns the ring of vertex v. The caller leaves it unchanged.
func (r *Rings) Of(v int32) []int32 { return r.At[r.Start[v]:r.Start[v+1]] }

// Rings finds the ring of every vertex in linear time. All triangles must run counter-clockwise, which Check makes sure
// of; a vertex around which they do not is Apart. Vertex ids out of range are an error.
func (m *Mesh) Rings() (*Rings, error) {
	if err := m.checkIDs(); err != nil {
		return nil, err
	}
	n := len(m.X)
	start, corners := m.corners()
	r := &Rings{Start: make([]int32, n+1), At: make([]int32, 0, len(corners)+len(corners)/16),
		Around: make([]Around, n)}
	next, previous := newMarks(n), newMarks(n)
	for v := range n {
		r.Around[v] = r.trace(m, corners[start[v]:start[v+1]], next, previous)
		r.Start[v+1] = int32(len(r.At))
	}
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

// trace appends the ring of the vertex that has the given corners. next and previous are scratch of one entry a vertex,
// which holds -1 before and after.
func (r *Rings) trace(m *Mesh, corners, next, previous []int32) Around {
	sound := len(corners) > 0
	for _, c := range corners {
		a, b := m.facing(c)
		sound = sound && next[a] < 0 && previous[b] < 0 // else two cells lie on one side of an edge
		next[a], previous[b] = b, a
	}
	first, ends := int32(-1), 0
	lowest := int32(-1)
	for _, c := range corners {
		a, _ := m.facing(c)
		if previous[a] < 0 {
			first = a
			ends++
		}
		if lowest < 0 || a < lowest {
			lowest = a
		}
	}
	around := Border
	if ends == 0 {
		first, around = lowest, Inside
	}
	begin := len(r.At)
	if sound && ends < 2 {
		r.At = append(r.At, first)
		for a := next[first]; a >= 0 && a != first; a = next[a] {
			r.At = append(r.At, a)
		}
	}
	if !sound || len(r.At)-begin != len(corners)+ends { // or a second fan is left over
		r.At = r.At[:begin]
		around = Apart
	}
	for _, c := range corners {
		a, b := m.facing(c)
		next[a], next[b], previous[a], previous[b] = -1, -1, -1, -1
	}
	return around
}
