package mesh

// Permute returns the mesh with its cells in another order: cell new is what was cell perm[new].
func (m *Mesh) Permute(perm []int32) *Mesh {
	p := *m
	p.Cells = make([][3]int32, len(perm))
	for to, from := range perm {
		p.Cells[to] = m.Cells[from]
	}
	if m.CellGroup != nil {
		p.CellGroup = make([]int32, len(perm))
		for to, from := range perm {
			p.CellGroup[to] = m.CellGroup[from]
		}
	}
	p.CellData = pickAll(m.CellData, perm)
	return &p
}
