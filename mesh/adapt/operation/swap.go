package operation

import "github.com/atoll-hpc/atoll/mesh/adapt/mutable"

// swaps are those of edges and faces of tetrahedra.
type swaps struct{ *Rules }

// build appends the cells that replace the cavity of a swap to w.Cells, unless one has a quality of at most floor.
// Of an edge from a to b these are a fan around the vertex c of its ring: each cell of the cavity without c gives one
// with c instead of a and one with c instead of b. A face, c == a, is replaced by three cells around the new edge from
// a to b.
func (op swaps) build(w *Worker, c *Candidate, floor float64) bool {
	add := func(k *mutable.Cell, from, to int32) bool {
		n := replaced(op.Dim, k, from, to)
		ok := op.finish(&n, nil, floor)
		w.Cells = append(w.Cells, n)
		return ok
	}
	if c.C == c.A {
		k := &op.Cells[c.Cavity[0]]
		if !k.Has(op.Dim, c.B) {
			k = &op.Cells[c.Cavity[1]]
		}
		for _, v := range k.V {
			if v != c.B && !add(k, v, c.A) {
				return false
			}
		}
	} else {
		for _, i := range c.Cavity {
			if k := &op.Cells[i]; !k.Has(op.Dim, c.C) && (!add(k, c.A, c.C) || !add(k, c.B, c.C)) {
				return false
			}
		}
	}
	op.retag(w.Cells, c)
	return true
}

// retag gives facets of new cells the kinds that these facets had in the cavity.
func (op swaps) retag(cells []mutable.Cell, c *Candidate) {
	for i := range cells {
		cells[i].Tag = [4]int32{}
	}
	for _, k := range c.Cavity {
		old := &op.Cells[k]
		for j := range op.Dim + 1 {
			if old.Tag[j] == 0 {
				continue
			}
			f, n := [3]int32{}, 0
			for l, v := range old.V[:op.Dim+1] {
				if l != j {
					f[n] = v
					n++
				}
			}
			for i := range cells {
				if at := cells[i].Facet(op.Dim, &f); at >= 0 {
					cells[i].Tag[at] = old.Tag[j]
				}
			}
		}
	}
	if c.C != c.A {
		op.tagSwapped(cells, c)
	}
}

// tagSwapped gives the two boundary faces at the new edge of a swapped boundary edge the kind of those at the old edge.
// The new edge joins c.C, the first vertex of the open ring, to its last.
func (op swaps) tagSwapped(cells []mutable.Cell, c *Candidate) {
	tag, other := int32(0), int32(-1)
	for _, k := range c.Cavity {
		old := &op.Cells[k]
		for i, v := range old.V {
			if old.Tag[i] == 0 || v == c.A || v == c.B {
				continue
			}
			tag = old.Tag[i]
			for j, u := range old.V {
				if j != i && u != c.A && u != c.B && u != c.C {
					other = u
				}
			}
		}
	}
	if tag == 0 {
		return
	}
	for i := range cells {
		for _, v := range [2]int32{c.A, c.B} {
			if at := cells[i].Facet(op.Dim, &[3]int32{v, c.C, other}); at >= 0 {
				cells[i].Tag[at] = tag
			}
		}
	}
}
