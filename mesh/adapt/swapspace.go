package adapt

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
)

// mostAround is the largest number of tetrahedra around an edge that is swapped.
const mostAround = 8

// evaluateEdgeSwap evaluates the swap of an edge of a mesh of tetrahedra: its cells are replaced by a fan around the
// vertex of their ring that gives the best cells; for an edge on a flat surface, around one of the ring's ends.
func (e *engine) evaluateEdgeSwap(w *worker, a, b int32) {
	c := candidate{op: swap, a: a, b: b, c: -1, cavity: e.shell(w, a, b)}
	if !e.swapsEdge(w, &c) {
		w.drop(c.cavity)
	}
}

func (e *engine) swapsEdge(w *worker, c *candidate) bool {
	old := e.Worst(c.cavity)
	if old >= e.swapBelow || len(c.cavity) > mostAround || e.LineTo(c.a, c.b) != nil {
		return false
	}
	for _, k := range c.cavity {
		if e.Cells[k].Ref != e.Cells[c.cavity[0]].Ref {
			return false
		}
	}
	open, ok := e.ringOf(w, c.a, c.b, c.cavity)
	if on, _ := e.OnFace(c.cavity, c.a, c.b); !ok || on != open || len(w.ring) < 3 {
		return false
	}
	targets, curved := w.ring, false
	if open {
		if e.o.KeepBoundary || !e.onOneKind(c) {
			return false
		}
		if curved = !e.isFlat(w.ring, c); curved && e.skin == nil {
			return false
		}
		targets = []int32{w.ring[0], w.ring[len(w.ring)-1]}
	}
	best, to := old*swapGain+1e-6, int32(-1)
	for _, v := range targets {
		c.c = v
		w.cells = w.cells[:0]
		if e.buildSwap(w, c, best) && (!curved || e.fitsSurface(c, w.cells)) {
			best, to = leastOf(w.cells), v
		}
	}
	if to < 0 {
		return false
	}
	c.c = to
	c.ida, c.idb = e.LowestFirst(c.a, c.b)
	c.key = e.keyOf(gainClass(old, best), c.ida, c.idb)
	w.keep(c)
	return true
}

// onOneKind reports whether the two boundary faces at an edge are of one kind and not required.
func (e *engine) onOneKind(c *candidate) bool {
	tag := int32(0)
	for _, k := range c.cavity {
		for i, v := range e.Cells[k].V {
			if t := e.Cells[k].Tag[i]; t != 0 && v != c.a && v != c.b {
				if tag != 0 && t != tag {
					return false
				}
				tag = t
			}
		}
	}
	return !e.Facets[tag].Required
}

// isFlat reports whether the two boundary faces at an edge are coplanar. The ring begins and ends on them.
func (e *engine) isFlat(ring []int32, c *candidate) bool {
	first, last := ring[0], ring[len(ring)-1]
	u, v := measure.Sub(&e.X[c.b], &e.X[c.a]), measure.Sub(&e.X[last], &e.X[first])
	s := max(measure.Dot(&u, &u), measure.Dot(&v, &v))
	between := measure.Volume(3, &[4]*measure.Vector{&e.X[c.a], &e.X[c.b], &e.X[first], &e.X[last]})
	return math.Abs(between) <= 1e-9*s*math.Sqrt(s)
}

// ringOf sets w.ring to the vertices around an edge, in the direction of the edge: from its lowest id, or, if the ring
// is open, from one boundary face at the edge to the other.
func (e *engine) ringOf(w *worker, a, b int32, cells []int32) (open, ok bool) {
	var sides [mostAround][2]int32 // the other edge of each cell, oriented
	for j, k := range cells {
		sides[j] = e.across(&e.Cells[k], a, b)
	}
	n := len(cells)
	start := int32(-1)
	for j := range sides[:n] {
		isEnd := true
		for i := range sides[:n] {
			isEnd = isEnd && sides[i][1] != sides[j][0]
		}
		if isEnd {
			if open {
				return false, false
			}
			open, start = true, sides[j][0]
		}
	}
	for j := range sides[:n] {
		if !open && (start < 0 || e.ID[sides[j][0]] < e.ID[start]) {
			start = sides[j][0]
		}
	}
	w.ring = append(w.ring[:0], start)
	for at := start; len(w.ring) <= n; {
		next := int32(-1)
		for j := range sides[:n] {
			if sides[j][0] == at {
				next = sides[j][1]
			}
		}
		if next < 0 {
			return open, false
		}
		if at = next; at == start {
			break
		}
		w.ring = append(w.ring, at)
	}
	if open {
		return true, len(w.ring) == n+1
	}
	return false, len(w.ring) == n
}

// across returns the other two vertices p and q of a cell, such that a, b, p, q is positively oriented.
func (e *engine) across(k *mutable.Cell, a, b int32) [2]int32 {
	order := [4]int{k.Find(3, a), k.Find(3, b), -1, -1}
	n := 2
	for i, v := range k.V {
		if v != a && v != b {
			order[n] = i
			n++
		}
	}
	odd := false
	for i := range order {
		for j := i + 1; j < 4; j++ {
			odd = odd != (order[i] > order[j])
		}
	}
	if odd {
		order[2], order[3] = order[3], order[2]
	}
	return [2]int32{k.V[order[2]], k.V[order[3]]}
}

// evaluateFaceSwap evaluates the swap of the face of a cell opposite to its vertex i: the two cells at it are replaced
// by three around a new edge. pivot is the vertex of the face with the lowest id.
func (e *engine) evaluateFaceSwap(w *worker, k int32, i int, pivot int32) {
	near := &e.Cells[k]
	apex := near.V[i]
	if near.Tag[i] != 0 || apex == pivot {
		return
	}
	var face [3]int32
	n := 0
	for j, v := range near.V {
		if j != i {
			if e.ID[v] < e.ID[pivot] {
				return
			}
			face[n] = v
			n++
		}
	}
	for _, o := range e.Ball.Of(pivot) {
		far := &e.Cells[o]
		j := e.facetOf(far, &face)
		if o == k || j < 0 {
			continue
		}
		old := min(near.Quality, far.Quality)
		if e.ID[apex] > e.ID[far.V[j]] || far.Ref != near.Ref || old >= e.swapBelow {
			return
		}
		from := len(w.cavities)
		w.cavities = append(w.cavities, k, o)
		c := candidate{op: swap, a: apex, b: far.V[j], c: apex, cavity: w.cavities[from:len(w.cavities):len(w.cavities)]}
		w.cells = w.cells[:0]
		if !e.buildSwap(w, &c, old*swapGain+1e-6) {
			w.drop(c.cavity)
			return
		}
		// Not the ids of a candidate of an edge between the same vertices.
		c.ida, c.idb = e.ID[c.a]^faceSwap, e.ID[c.b]
		c.key = e.keyOf(gainClass(old, leastOf(w.cells)), c.ida, c.idb)
		w.keep(&c)
		return
	}
}

// faceSwap is a bit that ids do not have.
const faceSwap = 1 << 62
