package mesh

import (
	"fmt"
	"math"
)

// The repairs need a mesh whose ids are in range and whose coordinates are finite; otherwise they return an error and
// leave the mesh as it is.

// Orient turns clockwise cells by swapping their last two vertices, and returns how many it turned.
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

// DropDangling removes vertices that are in no cell, and tagged edges that no cell has. The other vertices keep
// their order.
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

// MergeDuplicates joins vertices at exactly the same position into the first of them, and then removes cells that have
// the three vertices of an earlier one, cells and tagged edges that have shrunk to less than three and two vertices,
// and repeated tagged edges. It refuses to join vertices or cells that differ in a field, or cells of different
// groups.
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
		if name, ok := differs(m.VertexData, first, again); ok && err == nil {
			err = fmt.Errorf("vertices %d and %d are at the same place, but differ in the field %q: %g and %g",
				first, again, name, m.VertexData[name][first], m.VertexData[name][again])
		}
	})
	if err != nil {
		return 0, 0, err
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

// mergedCells are the cells with other vertices in place of theirs, which of them are to be kept, and how many are not:
// those that have become flat, and those that are there already.
func (m *Mesh) mergedCells(target []int32) (all [][3]int32, keepCell []bool, cells int, err error) {
	merged := &Mesh{Cells: make([][3]int32, len(m.Cells))}
	for c, v := range m.Cells {
		merged.Cells[c] = [3]int32{target[v[0]], target[v[1]], target[v[2]]}
	}
	keepCell = make([]bool, len(m.Cells))
	for c, v := range merged.Cells {
		keepCell[c] = v[0] != v[1] && v[1] != v[2] && v[2] != v[0]
		if !keepCell[c] {
			cells++
		}
	}
	merged.duplicateCells(func(first, again int32) {
		if !keepCell[again] {
			return
		}
		keepCell[again] = false
		cells++
		if err != nil {
			return
		}
		if m.CellGroup != nil && m.CellGroup[first] != m.CellGroup[again] {
			err = fmt.Errorf("%s is given again as cell %d in another group", m.describe(first), again)
		} else if name, ok := differs(m.CellData, first, again); ok {
			err = fmt.Errorf("%s is given again as cell %d with another value of the field %q: %g and %g",
				m.describe(first), again, name, m.CellData[name][first], m.CellData[name][again])
		}
	})
	if err != nil {
		return nil, nil, 0, err
	}
	return merged.Cells, keepCell, cells, nil
}

// keepVertices removes the vertices that keep does not hold, to which no cell or tagged edge may refer, and returns
// how many.
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

func (m *Mesh) CheckIDs() error {
	if err := m.checkSizes(); err != nil {
		return err
	}
	return m.checkReferences()
}

// differs returns the first field, by name, in which items i and j differ; NaN equals NaN.
func differs(fields map[string][]float64, i, j int32) (string, bool) {
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

// withoutRepeats keeps the first of tagged edges of the same two vertices, in either direction, and group.
func withoutRepeats(edges []TaggedEdge) []TaggedEdge {
	seen := make(map[TaggedEdge]bool, len(edges))
	var out []TaggedEdge
	for _, e := range edges {
		key := TaggedEdge{min(e.A, e.B), max(e.A, e.B), e.Group}
		if e.A != e.B && !seen[key] {
			seen[key] = true
			out = append(out, e)
		}
	}
	return out
}
