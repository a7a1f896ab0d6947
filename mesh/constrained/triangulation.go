package constrained

import (
	"cmp"
	"errors"
	"slices"
)

// triangulation is a triangulation of a square, of which the corners are its first four vertices.
type triangulation struct {
	x      []position
	cells  [][3]int32 // vertices, counter-clockwise
	across [][3]int32 // cell across the edge from vertex k to the next, -1 for none
	fixed  [][3]bool  // edges that are not flipped
	cellAt []int32    // a cell at each vertex
	stack  []int32
}

// newTriangulation returns that of the square from corner to corner.
func newTriangulation(low, high int64) *triangulation {
	return &triangulation{x: []position{{low, low}, {high, low}, {high, high}, {low, high}},
		cells: [][3]int32{{0, 1, 2}, {0, 2, 3}}, across: [][3]int32{{-1, -1, 1}, {0, -1, -1}},
		fixed: make([][3]bool, 2), cellAt: []int32{0, 0, 0, 1}}
}

// insertAll inserts vertices, and returns their numbers. They are inserted in the order of a curve through all of them,
// so that the search for each begins nearby.
func (t *triangulation) insertAll(list []position) []int32 {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(interleaved(list[i]), interleaved(list[j])), cmp.Compare(i, j))
	})
	number := make([]int32, len(list))
	for _, i := range order {
		number[i] = t.insert(list[i])
	}
	return number
}

// interleaved orders positions along a Z curve.
func interleaved(p position) (key uint64) {
	for bit := range 30 {
		key |= uint64(p.x>>bit&1)<<(2*bit) | uint64(p.y>>bit&1)<<(2*bit+1)
	}
	return key
}

// insert inserts a vertex at a position without one, and returns its number.
func (t *triangulation) insert(p position) int32 {
	c, edge := t.find(p)
	v := int32(len(t.x))
	t.x = append(t.x, p)
	t.cellAt = append(t.cellAt, c)
	if edge >= 0 && t.across[c][edge] >= 0 {
		t.splitEdge(c, edge, v)
	} else {
		t.splitCell(c, v)
	}
	t.restore(v)
	return v
}

// find returns the cell that contains a position, and the edge on which the position is, -1 if it is inside.
func (t *triangulation) find(p position) (cell int32, edge int) {
	c, from := int32(len(t.cells)-1), int32(-1)
walk:
	for {
		edge = -1
		for k, v := range t.cells[c] {
			if t.across[c][k] == from && from >= 0 {
				continue
			}
			switch o := orient(t.x[v], t.x[t.cells[c][(k+1)%3]], p); {
			case o < 0:
				c, from = t.across[c][k], c
				continue walk
			case o == 0:
				edge = k
			}
		}
		if from >= 0 && edge < 0 { // the edge through which the search came
			k := t.edgeTo(c, from)
			if orient(t.x[t.cells[c][k]], t.x[t.cells[c][(k+1)%3]], p) == 0 {
				edge = k
			}
		}
		return c, edge
	}
}

// edgeTo returns the edge of a cell across which another one is.
func (t *triangulation) edgeTo(c, other int32) int {
	return slices.Index(t.across[c][:], other)
}

// newCell appends a cell.
func (t *triangulation) newCell() int32 {
	t.cells = append(t.cells, [3]int32{})
	t.across = append(t.across, [3]int32{})
	t.fixed = append(t.fixed, [3]bool{})
	return int32(len(t.cells) - 1)
}

// set sets a cell, and lets its neighbours and vertices know it.
func (t *triangulation) set(c int32, v, across [3]int32, was [3]int32) {
	t.cells[c], t.across[c] = v, across
	for k, o := range across {
		if o >= 0 && was[k] != c && was[k] >= 0 {
			if i := t.edgeTo(o, was[k]); i >= 0 {
				t.across[o][i] = c
			}
		}
		t.cellAt[v[k]] = c
	}
}

// splitCell divides a cell into three.
func (t *triangulation) splitCell(c, v int32) {
	a, n := t.cells[c], t.across[c]
	d, e := t.newCell(), t.newCell()
	t.set(d, [3]int32{a[1], a[2], v}, [3]int32{n[1], e, c}, [3]int32{c, -1, -1})
	t.set(e, [3]int32{a[2], a[0], v}, [3]int32{n[2], c, d}, [3]int32{c, -1, -1})
	t.set(c, [3]int32{a[0], a[1], v}, [3]int32{n[0], d, e}, [3]int32{-1, -1, -1})
	t.stack = append(t.stack, c, d, e)
}

// splitEdge divides the two cells at an edge into four.
func (t *triangulation) splitEdge(c int32, k int, v int32) {
	d := t.across[c][k]
	j := t.edgeTo(d, c)
	a, b, p := t.cells[c][k], t.cells[c][(k+1)%3], t.cells[c][(k+2)%3]
	q := t.cells[d][(j+2)%3]
	bp, pa := t.across[c][(k+1)%3], t.across[c][(k+2)%3]
	aq, qb := t.across[d][(j+1)%3], t.across[d][(j+2)%3]
	e, f := t.newCell(), t.newCell()
	t.set(e, [3]int32{b, p, v}, [3]int32{bp, c, f}, [3]int32{c, -1, -1})
	t.set(f, [3]int32{q, b, v}, [3]int32{qb, e, d}, [3]int32{d, -1, -1})
	t.set(c, [3]int32{p, a, v}, [3]int32{pa, d, e}, [3]int32{-1, -1, -1})
	t.set(d, [3]int32{a, q, v}, [3]int32{aq, f, c}, [3]int32{-1, -1, -1})
	t.stack = append(t.stack, c, d, e, f)
}

// restore flips edges opposite to vertex v, which was just inserted, until the triangulation is Delaunay.
func (t *triangulation) restore(v int32) {
	for len(t.stack) > 0 {
		c := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		k := (slices.Index(t.cells[c][:], v) + 1) % 3
		d := t.across[c][k]
		if d < 0 || t.fixed[c][k] {
			continue
		}
		q := t.cells[d][(t.edgeTo(d, c)+2)%3]
		if inCircle(t.x[t.cells[c][0]], t.x[t.cells[c][1]], t.x[t.cells[c][2]], t.x[q]) {
			t.flip(c, k)
			t.stack = append(t.stack, c, d)
		}
	}
}

// flip flips edge k of cell c: the cells a-b-p and b-a-q become p-a-q and q-b-p.
func (t *triangulation) flip(c int32, k int) {
	d := t.across[c][k]
	j := t.edgeTo(d, c)
	a, b, p := t.cells[c][k], t.cells[c][(k+1)%3], t.cells[c][(k+2)%3]
	q := t.cells[d][(j+2)%3]
	bp, pa := t.across[c][(k+1)%3], t.across[c][(k+2)%3]
	aq, qb := t.across[d][(j+1)%3], t.across[d][(j+2)%3]
	fbp, fpa := t.fixed[c][(k+1)%3], t.fixed[c][(k+2)%3]
	faq, fqb := t.fixed[d][(j+1)%3], t.fixed[d][(j+2)%3]
	t.set(c, [3]int32{p, a, q}, [3]int32{pa, aq, d}, [3]int32{-1, d, -1})
	t.set(d, [3]int32{q, b, p}, [3]int32{qb, bp, c}, [3]int32{-1, c, -1})
	t.fixed[c], t.fixed[d] = [3]bool{fpa, faq, false}, [3]bool{fqb, fbp, false}
}

// errCrossed is an error of this package: the arrangement lets no segments cross.
var errCrossed = errors.New("two lines cross at a position that is not a vertex")

// connect makes the segment between two vertices an edge, and fixes it. No vertex is on the segment.
func (t *triangulation) connect(a, b int32) error {
	crossed, err := t.crossed(a, b)
	if err != nil {
		return err
	}
	for len(crossed) > 0 {
		e := crossed[0]
		crossed = crossed[1:]
		c, k := t.edge(e[0], e[1])
		p := t.cells[c][(k+2)%3]
		d := t.across[c][k]
		q := t.cells[d][(t.edgeTo(d, c)+2)%3]
		if orient(t.x[p], t.x[q], t.x[e[1]]) <= 0 || orient(t.x[q], t.x[p], t.x[e[0]]) <= 0 {
			crossed = append(crossed, e) // not convex yet
			continue
		}
		t.flip(c, k)
		if p != a && p != b && q != a && q != b &&
			(orient(t.x[a], t.x[b], t.x[p]) > 0) != (orient(t.x[a], t.x[b], t.x[q]) > 0) {
			crossed = append(crossed, [2]int32{p, q})
		}
	}
	c, k := t.edge(a, b)
	if c < 0 {
		return errCrossed
	}
	t.fixed[c][k] = true
	if d := t.across[c][k]; d >= 0 {
		t.fixed[d][t.edgeTo(d, c)] = true
	}
	return nil
}

// edge returns the cell with an edge from u to v, and the edge; the cell is -1 if there is none.
func (t *triangulation) edge(u, v int32) (cell int32, k int) {
	cell = -1
	t.around(u, func(c int32, i int) bool {
		switch {
		case t.cells[c][(i+1)%3] == v:
			cell, k = c, i
			return false
		case t.cells[c][(i+2)%3] == v && t.across[c][(i+2)%3] < 0:
			cell, k = c, (i+2)%3
			return false
		}
		return true
	})
	return cell, k
}

// around calls f with the cells around a vertex and its index in each, until f returns false.
func (t *triangulation) around(v int32, f func(c int32, i int) bool) {
	first := t.cellAt[v]
	for c := first; ; {
		i := slices.Index(t.cells[c][:], v)
		if !f(c, i) {
			return
		}
		if c = t.across[c][(i+2)%3]; c == first {
			return
		}
		if c < 0 {
			break
		}
	}
	// v is on the boundary: turn the other way
	for c := t.across[first][slices.Index(t.cells[first][:], v)]; c >= 0; {
		i := slices.Index(t.cells[c][:], v)
		if !f(c, i) {
			return
		}
		c = t.across[c][i]
	}
}

// crossed returns the edges that the segment from a to b crosses, each from its right to its left; nil if it is an
// edge.
func (t *triangulation) crossed(a, b int32) (list [][2]int32, err error) {
	if c, _ := t.edge(a, b); c >= 0 {
		return nil, nil
	}
	cell, k := int32(-1), 0
	t.around(a, func(c int32, i int) bool {
		right, left := t.cells[c][(i+1)%3], t.cells[c][(i+2)%3]
		if orient(t.x[a], t.x[b], t.x[right]) < 0 && orient(t.x[a], t.x[b], t.x[left]) > 0 &&
			orient(t.x[right], t.x[left], t.x[b]) < 0 {
			cell, k = c, (i+1)%3
			return false
		}
		return true
	})
	for cell >= 0 {
		if t.fixed[cell][k] {
			return nil, errCrossed
		}
		list = append(list, [2]int32{t.cells[cell][k], t.cells[cell][(k+1)%3]})
		next := t.across[cell][k]
		if next < 0 {
			return nil, errCrossed
		}
		j := t.edgeTo(next, cell)
		v := t.cells[next][(j+2)%3]
		if v == b {
			return list, nil
		}
		switch o := orient(t.x[a], t.x[b], t.x[v]); {
		case o == 0:
			return nil, errCrossed
		case o > 0: // v is on the left: the segment leaves between the right end and v
			cell, k = next, (j+1)%3
		default:
			cell, k = next, (j+2)%3
		}
	}
	return nil, errCrossed
}
