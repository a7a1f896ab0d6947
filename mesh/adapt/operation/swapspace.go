package operation

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh/adapt/kernels"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
)

// mostAround is the largest number of tetrahedra around an edge that is swapped.
const mostAround = 8

// evaluateEdge evaluates the swap of an edge of a mesh of tetrahedra: its cells are replaced by a fan around the
// vertex of their ring that gives the best cells; for an edge on a flat surface, around one of the ring's ends.
func (op swaps) evaluateEdge(w *Worker, a, b int32) {
	c := Candidate{Kind: Swap, A: a, B: b, C: -1, Cavity: op.shell(w, a, b)}
	if !op.swapsEdge(w, &c) {
		w.drop(c.Cavity)
	}
}

func (op swaps) swapsEdge(w *Worker, c *Candidate) bool {
	old := op.Worst(c.Cavity)
	if old >= swapBelow || len(c.Cavity) > mostAround || op.LineTo(c.A, c.B) != nil {
		return false
	}
	for _, k := range c.Cavity {
		if op.Cells[k].Ref != op.Cells[c.Cavity[0]].Ref {
			return false
		}
	}
	open, ok := op.ringOf(w, c.A, c.B, c.Cavity)
	if on, _ := op.OnFace(c.Cavity, c.A, c.B); !ok || on != open || len(w.ring) < 3 {
		return false
	}
	targets, curved := w.ring, false
	if open {
		if op.KeepBoundary || !op.onOneKind(c) {
			return false
		}
		if curved = !op.isFlat(w.ring, c); curved && op.Skin == nil {
			return false
		}
		targets = []int32{w.ring[0], w.ring[len(w.ring)-1]}
	}
	best, to := old*kernels.SwapGain+1e-6, int32(-1)
	for _, v := range targets {
		c.C = v
		w.Cells = w.Cells[:0]
		if op.build(w, c, best) && (!curved || op.fitsSurface(c, w.Cells)) {
			best, to = leastOf(w.Cells), v
		}
	}
	if to < 0 {
		return false
	}
	c.C = to
	c.LowID, c.HighID = op.LowestFirst(c.A, c.B)
	c.Key = op.Key(kernels.GainClass(old, best), c.LowID, c.HighID)
	w.keep(c)
	return true
}

// onOneKind reports whether the two boundary faces at an edge are of one kind and not required.
func (op swaps) onOneKind(c *Candidate) bool {
	tag := int32(0)
	for _, k := range c.Cavity {
		for i, v := range op.Cells[k].V {
			if t := op.Cells[k].Tag[i]; t != 0 && v != c.A && v != c.B {
				if tag != 0 && t != tag {
					return false
				}
				tag = t
			}
		}
	}
	return !op.Facets[tag].Required
}

// isFlat reports whether the two boundary faces at an edge are coplanar. The ring begins and ends on them.
func (op swaps) isFlat(ring []int32, c *Candidate) bool {
	first, last := ring[0], ring[len(ring)-1]
	u, v := measure.Sub(&op.X[c.B], &op.X[c.A]), measure.Sub(&op.X[last], &op.X[first])
	s := max(measure.Dot(&u, &u), measure.Dot(&v, &v))
	between := measure.Volume(3, &[4]*measure.Vector{&op.X[c.A], &op.X[c.B], &op.X[first], &op.X[last]})
	return math.Abs(between) <= 1e-9*s*math.Sqrt(s)
}

// ringOf sets w.ring to the vertices around an edge, in the direction of the edge: from its lowest id, or, if the ring
// is open, from one boundary face at the edge to the other.
func (op swaps) ringOf(w *Worker, a, b int32, cells []int32) (open, ok bool) {
	var sides [mostAround][2]int32 // the other edge of each cell, oriented
	for j, k := range cells {
		sides[j] = op.across(&op.Cells[k], a, b)
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
		if !open && (start < 0 || op.ID[sides[j][0]] < op.ID[start]) {
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
func (op swaps) across(k *mutable.Cell, a, b int32) [2]int32 {
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

// evaluateFace evaluates the swap of the face of a cell opposite to its vertex i: the two cells at it are replaced
// by three around a new edge. pivot is the vertex of the face with the lowest id.
func (op swaps) evaluateFace(w *Worker, k int32, i int, pivot int32) {
	near := &op.Cells[k]
	apex := near.V[i]
	if near.Tag[i] != 0 || apex == pivot {
		return
	}
	var face [3]int32
	n := 0
	for j, v := range near.V {
		if j != i {
			if op.ID[v] < op.ID[pivot] {
				return
			}
			face[n] = v
			n++
		}
	}
	for _, o := range op.Ball(pivot) {
		far := &op.Cells[o]
		j := far.Facet(op.Dim, &face)
		if o == k || j < 0 {
			continue
		}
		old := min(near.Quality, far.Quality)
		if op.ID[apex] > op.ID[far.V[j]] || far.Ref != near.Ref || old >= swapBelow {
			return
		}
		from := len(w.cavities)
		w.cavities = append(w.cavities, k, o)
		c := Candidate{Kind: Swap, A: apex, B: far.V[j], C: apex, Cavity: w.cavities[from:len(w.cavities):len(w.cavities)]}
		w.Cells = w.Cells[:0]
		if !op.build(w, &c, old*kernels.SwapGain+1e-6) {
			w.drop(c.Cavity)
			return
		}
		// Not the ids of a candidate of an edge between the same vertices.
		c.LowID, c.HighID = op.ID[c.A]^faceSwap, op.ID[c.B]
		c.Key = op.Key(kernels.GainClass(old, leastOf(w.Cells)), c.LowID, c.HighID)
		w.keep(&c)
		return
	}
}

// faceSwap is a bit that ids do not have.
const faceSwap = 1 << 62
