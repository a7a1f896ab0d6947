// Package meshfile has what readers and writers of mesh formats share: a Scanner of numbers and words in text and
// binary files, the Content of a mesh, of triangles or tetrahedra, as Elements by dimension, and indices of groups
// (GroupIndex) and of the tags of vertices and cells (TagIndex).
package meshfile

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
)

// Content is a mesh of triangles or of tetrahedra in the form in which files are written.
type Content struct {
	Groups               []mesh.Group
	Points               [3][]float64 // vertex coordinates by axis; the third is nil if all are 0
	Cells, Sides, Lines  Elements     // Lines only for tetrahedra, whose sides are faces
	CellData, VertexData map[string][]float64
	Marks                *mesh.Marks
	Combined             map[int][]int // as in mesh.Origin
}

// Elements are the elements of one dimension, each with the tag of its group.
type Elements struct {
	Dim, Count int
	Tag        func(i int) int32   // of the group of an element, 0 for none
	Vertices   func(i int) []int32 // of an element; valid until the next call
}

// OfMesh returns the content of a triangle mesh: cells are triangles, sides are tagged edges.
func OfMesh(m *mesh.Mesh) *Content {
	fields := maps.Clone(m.VertexData)
	delete(fields, mesh.Heights)
	s := &Content{Groups: m.Groups, Points: [3][]float64{m.X, m.Y, m.VertexData[mesh.Heights]}, CellData: m.CellData,
		VertexData: fields, Marks: m.Marks, Combined: m.Combined}
	s.Cells = Elements{Dim: 2, Count: len(m.Cells),
		Tag: func(c int) int32 {
			if m.CellGroup == nil || m.CellGroup[c] < 0 {
				return 0
			}
			return int32(m.Groups[m.CellGroup[c]].Tag)
		},
		Vertices: func(c int) []int32 { return m.Cells[c][:] }}
	ends := make([]int32, 2)
	s.Sides = Elements{Dim: 1, Count: len(m.Tagged),
		Tag: func(i int) int32 { return int32(m.Groups[m.Tagged[i].Group].Tag) },
		Vertices: func(i int) []int32 {
			ends[0], ends[1] = m.Tagged[i].A, m.Tagged[i].B
			return ends
		}}
	return s
}

// OfSolid returns the content of a tetrahedral mesh: cells are tetrahedra, sides are tagged faces.
func OfSolid(s *mesh.Solid) *Content {
	c := &Content{Groups: s.Groups, Points: [3][]float64{s.X, s.Y, s.Z}, CellData: s.CellData, VertexData: s.VertexData,
		Marks: s.Marks, Combined: s.Combined,
		Cells: Elements{Dim: 3, Count: len(s.Cells),
			Tag: func(c int) int32 {
				if s.CellTag == nil {
					return 0
				}
				return s.CellTag[c]
			},
			Vertices: func(c int) []int32 { return s.Cells[c][:] }},
		Sides: Elements{Dim: 2, Count: len(s.Faces),
			Tag:      func(i int) int32 { return s.Faces[i].Tag },
			Vertices: func(i int) []int32 { return s.Faces[i].V[:] }}}
	if s.Marks != nil {
		lines, ends := s.Marks.Lines, make([]int32, 2)
		c.Lines = Elements{Dim: 1, Count: len(lines), Tag: func(i int) int32 { return lines[i].Tag },
			Vertices: func(i int) []int32 {
				ends[0], ends[1] = lines[i].A, lines[i].B
				return ends
			}}
	}
	return c
}

// PointElements returns the vertices in groups of points.
func (c *Content) PointElements() Elements {
	if c.Marks == nil {
		return Elements{}
	}
	points, vertex := c.Marks.Points, make([]int32, 1)
	return Elements{Count: len(points), Tag: func(i int) int32 { return points[i].Tag },
		Vertices: func(i int) []int32 {
			vertex[0] = points[i].V
			return vertex
		}}
}

// With returns the elements of e, which may be nil, followed by count others of the same dimension.
func (e *Elements) With(count int, vertices func(i int) []int32, tag func(i int) int32) *Elements {
	if e == nil {
		e = &Elements{}
	}
	return &Elements{Dim: len(vertices(0)) - 1, Count: e.Count + count, Vertices: func(i int) []int32 {
		if i < e.Count {
			return e.Vertices(i)
		}
		return vertices(i - e.Count)
	}, Tag: func(i int) int32 {
		if i < e.Count {
			return e.Tag(i)
		}
		return tag(i - e.Count)
	}}
}

// Runs yields the bounds of the maximal ranges of consecutive elements with the same key.
func Runs[K comparable](count int, key func(i int) K) func(yield func(start, end int) bool) {
	return func(yield func(start, end int) bool) {
		for start := 0; start < count; {
			first, end := key(start), start+1
			for end < count && key(end) == first {
				end++
			}
			if !yield(start, end) {
				return
			}
			start = end
		}
	}
}

// Box returns the lower and the upper corner of the bounding box.
func (c *Content) Box() (box [6]float64) {
	for axis, x := range c.Points {
		if x != nil {
			box[axis], box[3+axis] = slices.Min(x), slices.Max(x)
		}
	}
	return box
}

// Read reads a whole file and returns the result of parse. Errors name the file.
func Read[M any](path string, parse func(data []byte) (*M, error)) (*M, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}
