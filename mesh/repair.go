package mesh

import (
	"fmt"
	"math"
)

// Repairs need a mesh whose ids are in range and whose coordinates are finite; otherwise they return an error and do
// not change the mesh.

// Orient makes clockwise cells counter-clockwise by swapping their last two vertices, and returns their number.
func (m *Mesh) Orient() (turned int, err error) {
	if err := m.CheckIDs(); err != nil {
		return 0, err
	}
	for c := range m.Cells {
		if m.shape(c) == cellClockwise {
			v := &m.Cells[c]
			v[1], v[2] = v[2], v[1]
			turned++
		}
	}
	return turned, nil
}

// DropDangling removes vertices in no cell and tagged edges that no cell has, and returns their numbers. The other
// vertices keep their order.
func (m *Mesh) DropDangling() (vertices, tagged int, err error) {
	if err := m.CheckIDs(); err != nil {
		return 0, 0, err
	}
	half, err := m.taggedHalfEdges()
	if err != nil {
		return 0, 0, err
	}
	var kept []TaggedEdge
	for i, h := range half {
		if h >= 0 {
			kept = append(kept, m.Tagged[i])
		}
	}
	tagged = len(m.Tagged) - len(kept)
	m.Tagged = kept
	vertices = m.keepVertices(m.usedVertices())
	return vertices, tagged, nil
}

// MergeDuplicates merges vertices at exactly the same position into the first of them, and boundary vertices that are
// much nearer to each other than to their neighbours, of which the first keeps its fields. Then it removes cells with
// the same vertices as an earlier one, cells and tagged edges with a repeated vertex, and repeated tagged edges. It
// returns the numbers of vertices and cells removed. It refuses to merge vertices at the same position or cells that
// differ in a field, and cells of different groups.
func (m *Mesh) MergeDuplicates() (vertices, cells int, err error) {
	if err := m.CheckIDs(); err != nil {
		return 0, 0, err
	}
	target := make([]int32, len(m.X))
	keep := make([]bool, len(m.X))
	for v := range target {
		target[v], keep[v] = int32(v), true
	}
	m.duplicateVertices(func(first, again int32) {
		target[again], keep[again] = first, false
		if name, ok := differingField(m.VertexData, first, again); ok && err == nil {
			err = fmt.Errorf("vertices %d and %d are at the same position, but differ in the field %q: %g and %g",
				first, again, name, m.VertexData[name][first], m.VertexData[name][again])
		}
	})
	if err != nil {
		return 0, 0, err
	}
	if nb, err := m.Neighbours(); err == nil { // otherwise the boundary is unknown
		joinPairs(target, m.nearVertices(nb))
		for v := range target {
			keep[v] = int(target[v]) == v
		}
	}
	merged, keepCell, cells, err := m.mergedCells(target)
	if err != nil {
		return 0, 0, err
	}
	m.Cells = filter(merged, keepCell)
	for i := range m.Tagged {
		e := &m.Tagged[i]
		e.A, e.B = target[e.A], target[e.B]
	}
	m.Marks = m.Marks.renumbered(target)
	m.Marks.close()
	if m.CellGroup != nil {
		m.CellGroup = filter(m.CellGroup, keepCell)
	}
	for name, f := range m.CellData {
		m.CellData[name] = filter(f, keepCell)
	}
	vertices = m.keepVertices(keep)
	m.Tagged = withoutRepeats(m.Tagged)
	return vertices, cells, nil
}

// mergedCells returns the cells with vertex v replaced by target[v], whether each cell is kept, and the number of
// those removed: cells with a repeated vertex, and duplicates of earlier cells.
func (m *Mesh) mergedCells(target []int32) (newCells [][3]int32, keepCell []bool, removed int, err error) {
	merged := &Mesh{Cells: make([][3]int32, len(m.Cells))}
	for c, v := range m.Cells {
		merged.Cells[c] = [3]int32{target[v[0]], target[v[1]], target[v[2]]}
	}
	keepCell = make([]bool, len(m.Cells))
	for c, v := range merged.Cells {
		keepCell[c] = v[0] != v[1] && v[1] != v[2] && v[2] != v[0]
		if !keepCell[c] {
			removed++
		}
	}
	merged.duplicateCells(func(first, again int32) {
		if !keepCell[again] {
			return
		}
		keepCell[again] = false
		removed++
		if err != nil {
			return
		}
		if m.CellGroup != nil && m.CellGroup[first] != m.CellGroup[again] {
			err = fmt.Errorf("%s is the same as cell %d, but in another group; put both in one", m.describe(first), again)
		} else if name, ok := differingField(m.CellData, first, again); ok {
			err = fmt.Errorf("%s is the same as cell %d, which differs from it in the field %q: %g and %g",
				m.describe(first), again, name, m.CellData[name][first], m.CellData[name][again])
		}
	})
	if err != nil {
		return nil, nil, 0, err
	}
	return merged.Cells, keepCell, removed, nil
}

// keepVertices removes the vertices for which keep is false, and returns their number. No cell or tagged edge may refer
// to them.
func (m *Mesh) keepVertices(keep []bool) (removed int) {
	id := make([]int32, len(keep))
	n := int32(0)
	for v, ok := range keep {
		if id[v] = -1; ok {
			id[v] = n
			n++
		}
	}
	if int(n) == len(keep) {
		return 0
	}
	for c, v := range m.Cells {
		m.Cells[c] = [3]int32{id[v[0]], id[v[1]], id[v[2]]}
	}
	for i := range m.Tagged {
		e := &m.Tagged[i]
		e.A, e.B = id[e.A], id[e.B]
	}
	m.Marks = m.Marks.renumbered(id)
	m.Marks.keepRefs(func(v int) bool { return keep[v] })
	m.X, m.Y = filter(m.X, keep), filter(m.Y, keep)
	for name, f := range m.VertexData {
		m.VertexData[name] = filter(f, keep)
	}
	return len(keep) - int(n)
}

// CheckIDs refuses slices of the wrong length, ids out of range, cells with a repeated vertex and coordinates that are
// not finite. Other methods rely on it.
func (m *Mesh) CheckIDs() error {
	if err := m.checkSizes(); err != nil {
		return err
	}
	return m.checkReferences()
}

// differingField returns the first field, by name, in which items i and j differ; NaN equals NaN.
func differingField(fields map[string][]float64, i, j int32) (string, bool) {
	for _, name := range FieldNames(fields) {
		a, b := fields[name][i], fields[name][j]
		if a != b && !(math.IsNaN(a) && math.IsNaN(b)) {
			return name, true
		}
	}
	return "", false
}

func filter[T any](s []T, keep []bool) []T {
	out := make([]T, 0, len(s))
	for i, x := range s {
		if keep[i] {
			out = append(out, x)
		}
	}
	return out
}

// withoutRepeats removes tagged edges with the same vertices, in either order, and group as an earlier one, and those
// whose two vertices are the same.
func withoutRepeats(edges []TaggedEdge) []TaggedEdge {
	found := make(map[TaggedEdge]bool, len(edges))
	var out []TaggedEdge
	for _, e := range edges {
		key := TaggedEdge{min(e.A, e.B), max(e.A, e.B), e.Group}
		if e.A != e.B && !found[key] {
			found[key] = true
			out = append(out, e)
		}
	}
	return out
}
