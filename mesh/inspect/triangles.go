package inspect

import (
	"maps"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vector"
)

// Triangles describes a mesh of triangles, whose cells have the neighbours nb.
func Triangles(m *mesh.Mesh, nb [][3]int32) *Report {
	r := &Report{Dim: 2, Cells: len(m.Cells), Vertices: len(m.X),
		VertexFields: slices.Sorted(maps.Keys(m.VertexData)), CellFields: slices.Sorted(maps.Keys(m.CellData))}
	r.bounds(m.X, m.Y)
	at := func(v int32) vector.Vector { return vector.Vector{m.X[v], m.Y[v]} }
	r.cells(len(m.Cells), func(c int, s *shape) {
		v := m.Cells[c]
		s.surface = 0
		for k := range v {
			a, b, d := at(v[k]), at(v[(k+1)%3]), at(v[(k+2)%3])
			s.edges = append(s.edges, vector.Length(vector.Minus(b, a)))
			s.surface += s.edges[k]
			s.angles = append(s.angles, angle(vector.Minus(b, a), vector.Minus(d, a)))
		}
		s.size, s.quality = m.Area(c), m.Quality(c)
	}, func(c int) []float64 {
		x, y := m.Centroid(c)
		return []float64{x, y}
	})
	length := func(a, b int32) float64 { return math.Hypot(m.X[b]-m.X[a], m.Y[b]-m.Y[a]) }
	tagged := map[[2]int32]bool{}
	groups := measured{}
	for _, e := range m.Tagged {
		g := m.Groups[e.Group]
		groups.add(g.Dim, g.Tag, length(e.A, e.B))
		tagged[[2]int32{min(e.A, e.B), max(e.A, e.B)}] = true
	}
	for c, g := range m.CellGroup {
		if g < 0 {
			continue
		}
		for _, tag := range memberTags(m.Combined, m.Groups[g].Tag) {
			groups.add(2, tag, m.Area(c))
		}
	}
	if m.Marks != nil {
		for _, p := range m.Marks.Points {
			groups.add(0, int(p.Tag), 0)
		}
	}
	r.Groups = slices.DeleteFunc(groups.list(m.Groups, m.Combined, 2), func(g Group) bool {
		return g.Dim == 0 && g.Name == "" // marks of points that are in no group
	})
	r.boundary(m, nb, tagged, length)
	return r
}

// boundary measures the boundary, and counts the edges between cells.
func (r *Report) boundary(m *mesh.Mesh, nb [][3]int32, tagged map[[2]int32]bool, length func(a, b int32) float64) {
	inner := 0
	for c, v := range m.Cells {
		for k, other := range nb[c] {
			if other >= 0 {
				inner++
				continue
			}
			a, b := v[k], v[(k+1)%3]
			r.Boundary += length(a, b)
			if !tagged[[2]int32{min(a, b), max(a, b)}] {
				r.Ungrouped += length(a, b)
			}
		}
	}
	r.Facets = inner / 2
}

// memberTags returns the tags of the groups for which the group of a tag stands.
func memberTags(combined map[int][]int, tag int) []int {
	if tags := combined[tag]; tags != nil {
		return tags
	}
	return []int{tag}
}
