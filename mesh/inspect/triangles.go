package inspect

import (
	"maps"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/sphere"
	"github.com/atoll-hpc/atoll/mesh/vector"
)

// Triangles describes a mesh of triangles, whose cells have the neighbours nb. Lengths and areas of a mesh in
// longitudes and latitudes are those on the earth, in m and m².
func Triangles(m *mesh.Mesh, nb [][3]int32) *Report {
	r := &Report{Dim: 2, Cells: len(m.Cells), Vertices: len(m.X), Geographic: m.Geographic,
		VertexFields: slices.Sorted(maps.Keys(m.VertexData)), CellFields: slices.Sorted(maps.Keys(m.CellData))}
	r.bounds(m.X, m.Y)
	length := func(a, b int32) float64 { return math.Hypot(m.X[b]-m.X[a], m.Y[b]-m.Y[a]) }
	area, quality := m.Area, m.Quality
	if m.Geographic {
		length = func(a, b int32) float64 { return math.Hypot(sphere.Edge(m.X[a], m.Y[a], m.X[b], m.Y[b])) }
		area, quality = onEarth(m)
	}
	r.cells(len(m.Cells), func(c int, s *shape) {
		v := m.Cells[c]
		s.surface = 0
		for k := range v {
			a, b, d := v[k], v[(k+1)%3], v[(k+2)%3]
			s.edges = append(s.edges, length(a, b))
			s.surface += s.edges[k]
			s.angles = append(s.angles, angle(direction(m, c, a, b), direction(m, c, a, d)))
		}
		s.size, s.quality = area(c), quality(c)
	}, func(c int) []float64 {
		x, y := m.Centroid(c)
		return []float64{x, y}
	})
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
			groups.add(2, tag, area(c))
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

// direction returns the vector from a vertex of a cell to another one, on the earth in the plane that touches it at the
// cell's centroid.
func direction(m *mesh.Mesh, cell int, a, b int32) vector.Vector {
	if !m.Geographic {
		return vector.Vector{m.X[b] - m.X[a], m.Y[b] - m.Y[a]}
	}
	_, latitude := m.Centroid(cell)
	east, north := sphere.Vector(latitude, m.X[a], m.Y[a], m.X[b], m.Y[b])
	return vector.Vector{east, north}
}

// onEarth returns the areas of cells in m², and their shapes.
func onEarth(m *mesh.Mesh) (area, quality func(c int) float64) {
	area = func(c int) float64 {
		var x, y [3]float64
		for k, v := range m.Cells[c] {
			x[k], y[k] = m.X[v], m.Y[v]
		}
		return sphere.Area(x, y)
	}
	return area, func(c int) float64 {
		v, squares := m.Cells[c], 0.0
		for k := range v {
			d := direction(m, c, v[k], v[(k+1)%3])
			squares += vector.Dot(d, d)
		}
		return 4 * math.Sqrt(3) * area(c) / squares
	}
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
