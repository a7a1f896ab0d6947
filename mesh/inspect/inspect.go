// Package inspect describes meshes: their sizes, their groups with lengths, areas or volumes, and where edges, angles
// and cells are extreme.
package inspect

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vector"
)

// Report describes a mesh of triangles (Dim 2) or of tetrahedra (Dim 3).
type Report struct {
	Dim      int `json:"dim"`
	Cells    int `json:"cells"`
	Vertices int `json:"vertices"`
	Facets   int `json:"facets"` // edges between two triangles; of tetrahedra, faces of groups
	// Geographic means that positions are longitudes and latitudes in degrees, and lengths and areas in m and m².
	Geographic bool         `json:"geographic,omitempty"`
	Size       float64      `json:"size"`   // area or volume
	Bounds     [2][]float64 `json:"bounds"` // least and greatest coordinates
	// Boundary is the length of the boundary, and Ungrouped that of the part in no group, which has the default
	// condition; in the plane only.
	Boundary  float64 `json:"boundary,omitempty"`
	Ungrouped float64 `json:"ungrouped,omitempty"`
	Groups    []Group `json:"groups"`

	ShortestEdge  Extreme `json:"shortest_edge"`
	LongestEdge   Extreme `json:"longest_edge"`
	MeanEdge      float64 `json:"mean_edge"`
	SmallestAngle Extreme `json:"smallest_angle"` // degrees, of two edges; of tetrahedra, of two faces
	LargestAngle  Extreme `json:"largest_angle"`
	SmallestCell  Extreme `json:"smallest_cell"` // area or volume
	LargestCell   Extreme `json:"largest_cell"`
	// SmallestInradius is the least radius of a circle or ball in a cell. The step of an explicit scheme at CFL number 1
	// is this radius divided by the speed of the fastest wave.
	SmallestInradius Extreme  `json:"smallest_inradius"`
	WorstShape       Extreme  `json:"worst_shape"` // 1 equilateral, 0 flat
	MeanShape        float64  `json:"mean_shape"`
	VertexFields     []string `json:"vertex_fields"`
	CellFields       []string `json:"cell_fields"`
}

// Group is a group with the number of its elements and their length, area or volume.
type Group struct {
	Name     string  `json:"name"`
	Dim      int     `json:"dim"`
	Tag      int     `json:"tag"`
	Elements int     `json:"elements"`
	Size     float64 `json:"size"`
}

// Extreme is a least or greatest number, with the cell where it is, and the cell's centroid.
type Extreme struct {
	Value float64   `json:"value"`
	Cell  int       `json:"cell"`
	At    []float64 `json:"at"`
}

// shape is the geometry of a cell.
type shape struct {
	edges, angles []float64 // angles in degrees
	size          float64   // area or volume
	surface       float64   // perimeter or area of faces
	quality       float64
}

// cells describes the cells of a mesh, of which shapeOf returns the geometry, and centroid the middle.
func (r *Report) cells(n int, shapeOf func(c int, s *shape), centroid func(c int) []float64) {
	least := []*Extreme{&r.ShortestEdge, &r.SmallestAngle, &r.SmallestCell, &r.SmallestInradius, &r.WorstShape}
	most := []*Extreme{&r.LongestEdge, &r.LargestAngle, &r.LargestCell}
	for _, e := range least {
		e.Value = math.Inf(1)
	}
	for _, e := range most {
		e.Value = math.Inf(-1)
	}
	var s shape
	edges := 0
	for c := range n {
		s.edges, s.angles = s.edges[:0], s.angles[:0]
		shapeOf(c, &s)
		inradius := float64(r.Dim) * s.size / s.surface
		for k, value := range [...]float64{slices.Min(s.edges), slices.Min(s.angles), s.size, inradius, s.quality} {
			if value < least[k].Value {
				least[k].Value, least[k].Cell = value, c
			}
		}
		for k, value := range [...]float64{slices.Max(s.edges), slices.Max(s.angles), s.size} {
			if value > most[k].Value {
				most[k].Value, most[k].Cell = value, c
			}
		}
		for _, length := range s.edges {
			r.MeanEdge += length
			edges++
		}
		r.MeanShape += s.quality
		r.Size += s.size
	}
	if n == 0 {
		return
	}
	r.MeanEdge /= float64(edges) // an edge counts once for each of its cells
	r.MeanShape /= float64(n)
	for _, e := range append(least, most...) {
		e.At = centroid(e.Cell)
	}
}

// bounds sets the bounds of points.
func (r *Report) bounds(axes ...[]float64) {
	for _, x := range axes {
		if len(x) > 0 {
			r.Bounds[0], r.Bounds[1] = append(r.Bounds[0], slices.Min(x)), append(r.Bounds[1], slices.Max(x))
		}
	}
}

// measured adds elements of a group, found by dimension and tag.
type measured map[[2]int]*Group

func (m measured) add(dim, tag int, size float64) {
	g := m[[2]int{dim, tag}]
	if g == nil {
		g = &Group{Dim: dim, Tag: tag}
		m[[2]int{dim, tag}] = g
	}
	g.Elements++
	g.Size += size
}

// list returns the groups: those with names in their order, and then others by dimension and tag.
func (m measured) list(named []mesh.Group, combined map[int][]int, cellDim int) (list []Group) {
	for _, g := range named {
		if g.Dim == cellDim && combined[g.Tag] != nil {
			continue // its elements are counted in the groups for which it stands
		}
		key := [2]int{g.Dim, g.Tag}
		of := Group{Dim: g.Dim, Tag: g.Tag}
		if m[key] != nil {
			of = *m[key]
			delete(m, key)
		}
		of.Name = g.Name
		list = append(list, of)
	}
	first := len(list)
	for _, g := range m {
		list = append(list, *g)
	}
	slices.SortFunc(list[first:], func(a, b Group) int {
		if a.Dim != b.Dim {
			return a.Dim - b.Dim
		}
		return a.Tag - b.Tag
	})
	return list
}

// angle is the angle of two vectors in degrees.
func angle(a, b vector.Vector) float64 {
	c := vector.Cross(a, b)
	return math.Atan2(vector.Length(c), vector.Dot(a, b)) * (180 / math.Pi)
}
