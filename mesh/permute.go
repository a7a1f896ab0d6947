package mesh

// Permute returns the mesh with its cells reordered: new cell i is the old cell perm[i].
func (m *Mesh) Permute(perm []int32) *Mesh {
	p := *m
	p.Cells = make([][3]int32, len(perm))
	for i, old := range perm {
		p.Cells[i] = m.Cells[old]
	}
	if m.CellGroup != nil {
		p.CellGroup = make([]int32, len(perm))
		for i, old := range perm {
			p.CellGroup[i] = m.CellGroup[old]
		}
	}
	p.CellData = pickAll(m.CellData, perm)
	return &p
}
