package mesh

import (
	"maps"
	"slices"
)

// content is what mesh files hold of a mesh, be it of triangles or of tetrahedra.
type content struct {
	groups               []Group
	points               [3][]float64 // by axis; the third is nil where all are 0
	cells, sides, lines  elements     // lines in space, where they are no sides
	cellData, vertexData map[string][]float64
	marks                *Marks
}

// elements are those of one dimension, each with the tag of its group.
type elements struct {
	dim, count int
	tag        func(i int) int32   // of the group of an element, 0 for none
	vertices   func(i int) []int32 // of an element; they stand until the next call
}

// content makes triangles the cells and tagged edges the sides.
func (m *Mesh) content() *content {
	fields := maps.Clone(m.VertexData)
	delete(fields, zName)
	s := &content{groups: m.Groups, points: [3][]float64{m.X, m.Y, m.VertexData[zName]}, cellData: m.CellData,
		vertexData: fields, marks: m.Marks}
	s.cells = elements{dim: 2, count: len(m.Cells),
		tag: func(c int) int32 {
			if m.CellGroup == nil || m.CellGroup[c] < 0 {
				return 0
			}
			return int32(m.Groups[m.CellGroup[c]].Tag)
		},
		vertices: func(c int) []int32 { return m.Cells[c][:] }}
	ends := make([]int32, 2)
	s.sides = elements{dim: 1, count: len(m.Tagged),
		tag: func(i int) int32 { return int32(m.Groups[m.Tagged[i].Group].Tag) },
		vertices: func(i int) []int32 {
			ends[0], ends[1] = m.Tagged[i].A, m.Tagged[i].B
			return ends
		}}
	return s
}

// content makes tetrahedra the cells and tagged faces the sides.
func (s *Solid) content() *content {
	c := &content{groups: s.Groups, points: [3][]float64{s.X, s.Y, s.Z}, cellData: s.CellData, vertexData: s.VertexData,
		marks: s.Marks,
		cells: elements{dim: 3, count: len(s.Cells),
			tag: func(c int) int32 {
				if s.CellTag == nil {
					return 0
				}
				return s.CellTag[c]
			},
			vertices: func(c int) []int32 { return s.Cells[c][:] }},
		sides: elements{dim: 2, count: len(s.Faces),
			tag:      func(i int) int32 { return s.Faces[i].Tag },
			vertices: func(i int) []int32 { return s.Faces[i].V[:] }}}
	if s.Marks != nil {
		lines, ends := s.Marks.Lines, make([]int32, 2)
		c.lines = elements{dim: 1, count: len(lines), tag: func(i int) int32 { return lines[i].Tag },
			vertices: func(i int) []int32 {
				ends[0], ends[1] = lines[i].A, lines[i].B
				return ends
			}}
	}
	return c
}

// runs yields the bounds of the longest ranges of elements with one tag.
func (e *elements) runs() func(yield func(start, end int) bool) {
	return func(yield func(start, end int) bool) {
		for start := 0; start < e.count; {
			tag, end := e.tag(start), start+1
			for end < e.count && e.tag(end) == tag {
				end++
			}
			if !yield(start, end) {
				return
			}
			start = end
		}
	}
}

// box returns the lower and the upper corner of the mesh.
func (c *content) box() (box [6]float64) {
	for axis, x := range c.points {
		if x != nil {
			box[axis], box[3+axis] = slices.Min(x), slices.Max(x)
		}
	}
	return box
}
