package kernels

// Swap judges the swap of the edge between two triangles. at is the vertex around which those are that replace them:
// that with the lower id of the two that the edge does not have.
func (m *Mesh) Swap(a, b int32, s *Shell, r *Rules) (bid Bid, at int32, ok bool) {
	if s.N != 2 {
		return bid, -1, false
	}
	k, l := &m.Cells[s.K[0]], &m.Cells[s.K[1]]
	i, j := k.apex(a, b), l.apex(a, b)
	old := min(k.Quality, l.Quality)
	if k.Tag[i] != 0 || k.Ref != l.Ref || old >= 1 {
		return bid, -1, false
	}
	at = k.V[i]
	if m.ID[l.V[j]] < m.ID[at] {
		at = l.V[j]
	}
	floor := old*SwapGain + 1e-6
	u, v, p, q := k.V[(i+1)%3], k.V[(i+2)%3], k.V[i], l.V[j]
	one := m.qualityFrom(u, q, p)
	if !(one > floor) {
		return bid, -1, false
	}
	other := m.qualityFrom(q, v, p)
	if !(other > floor) {
		return bid, -1, false
	}
	return r.edge(m, GainClass(min(1, old), min(1, one, other)), a, b), at, true
}

// Swapped is the triangle after a swap that has the vertex at instead of one end of the edge.
func (m *Mesh) Swapped(s *Shell, end, at int32) Cell {
	n := m.Cells[s.K[0]]
	if n.Has(2, at) {
		n = m.Cells[s.K[1]]
	}
	n.V[n.Find(2, end)] = at
	for i := range 3 {
		n.Tag[i] = s.tagBetween(m, n.V[(i+1)%3], n.V[(i+2)%3])
	}
	m.arrange(&n)
	m.Measure(&n)
	return n
}

// tagBetween returns the kind of an edge of the triangles of a shell, 0 for an edge that they do not have.
func (s *Shell) tagBetween(m *Mesh, u, v int32) int32 {
	for k := range s.N {
		if c := &m.Cells[s.K[k]]; c.Has(2, u) && c.Has(2, v) {
			return c.Tag[c.apex(u, v)]
		}
	}
	return 0
}
