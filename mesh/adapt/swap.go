package adapt

import "github.com/atoll-hpc/atoll/mesh/adapt/mutable"

// evaluateSwap evaluates the swap of an edge of a mesh of triangles.
func (e *engine) evaluateSwap(w *worker, a, b int32) {
	c := candidate{op: swap, a: a, b: b, cavity: e.shell(w, a, b)}
	if !e.buildPlaneSwap(w, &c) {
		w.drop(c.cavity)
		return
	}
	c.ida, c.idb = e.LowestFirst(a, b)
	c.key = e.keyOf(gainClass(e.Worst(c.cavity), leastOf(w.cells)), c.ida, c.idb)
	w.keep(&c)
}

// buildPlaneSwap reports whether the edge between two cells can be swapped to raise the worst of their qualities.
func (e *engine) buildPlaneSwap(w *worker, c *candidate) bool {
	if len(c.cavity) != 2 {
		return false
	}
	k, l := &e.Cells[c.cavity[0]], &e.Cells[c.cavity[1]]
	i, j := e.apex(k, c.a, c.b), e.apex(l, c.a, c.b)
	old := min(k.Quality, l.Quality)
	if k.Tag[i] != 0 || k.Ref != l.Ref || old >= e.swapBelow {
		return false
	}
	c.c = k.V[i]
	if e.ID[l.V[j]] < e.ID[c.c] {
		c.c = l.V[j]
	}
	w.cells = w.cells[:0]
	return e.buildSwap(w, c, old*swapGain+1e-6)
}

// apex returns the index of the vertex of a triangle that is neither a nor b.
func (e *engine) apex(k *mutable.Cell, a, b int32) int {
	for i, v := range k.V[:3] {
		if v != a && v != b {
			return i
		}
	}
	return -1
}

// buildSwap appends the cells that replace the cavity of a swap to w.cells, unless one has a quality of at most floor.
// Of an edge from a to b these are a fan around the vertex c of its ring: each cell of the cavity without c gives one
// with c instead of a and one with c instead of b. A face, c == a, is replaced by three cells around the new edge from
// a to b.
func (e *engine) buildSwap(w *worker, c *candidate, floor float64) bool {
	add := func(k *mutable.Cell, from, to int32) bool {
		n := replaced(e.Dim, k, from, to)
		ok := e.finish(&n, nil, floor)
		w.cells = append(w.cells, n)
		return ok
	}
	if c.c == c.a {
		k := &e.Cells[c.cavity[0]]
		if !k.Has(e.Dim, c.b) {
			k = &e.Cells[c.cavity[1]]
		}
		for _, v := range k.V {
			if v != c.b && !add(k, v, c.a) {
				return false
			}
		}
	} else {
		for _, i := range c.cavity {
			if k := &e.Cells[i]; !k.Has(e.Dim, c.c) && (!add(k, c.a, c.c) || !add(k, c.b, c.c)) {
				return false
			}
		}
	}
	e.retag(w.cells, c)
	return true
}

// retag gives facets of new cells the kinds that these facets had in the cavity.
func (e *engine) retag(cells []mutable.Cell, c *candidate) {
	for i := range cells {
		cells[i].Tag = [4]int32{}
	}
	for _, k := range c.cavity {
		old := &e.Cells[k]
		for j := range e.Dim + 1 {
			if old.Tag[j] == 0 {
				continue
			}
			f, n := [3]int32{}, 0
			for l, v := range old.V[:e.Dim+1] {
				if l != j {
					f[n] = v
					n++
				}
			}
			for i := range cells {
				if at := e.facetOf(&cells[i], &f); at >= 0 {
					cells[i].Tag[at] = old.Tag[j]
				}
			}
		}
	}
	if e.Dim == 3 && c.c != c.a {
		e.tagSwapped(cells, c)
	}
}

// tagSwapped gives the two boundary faces at the new edge of a swapped boundary edge the kind of those at the old edge.
// The new edge joins c.c, the first vertex of the open ring, to its last.
func (e *engine) tagSwapped(cells []mutable.Cell, c *candidate) {
	tag, other := int32(0), int32(-1)
	for _, k := range c.cavity {
		old := &e.Cells[k]
		for i, v := range old.V {
			if old.Tag[i] == 0 || v == c.a || v == c.b {
				continue
			}
			tag = old.Tag[i]
			for j, u := range old.V {
				if j != i && u != c.a && u != c.b && u != c.c {
					other = u
				}
			}
		}
	}
	if tag == 0 {
		return
	}
	for i := range cells {
		for _, v := range [2]int32{c.a, c.b} {
			if at := e.facetOf(&cells[i], &[3]int32{v, c.c, other}); at >= 0 {
				cells[i].Tag[at] = tag
			}
		}
	}
}
