// Package smoothtest has meshes for the tests of package smooth and those below it.
package smoothtest

import (
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
)

// Rectangle returns an irregular mesh of the unit square.
func Rectangle(t testing.TB, cells int, seed uint64) *mesh.Mesh {
	t.Helper()
	m, err := mesh.Rectangle(0, 0, 1, 1, cells, seed)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Disc returns an irregular mesh of the unit disc, mapped from a square.
func Disc(t testing.TB, cells int, seed uint64) *mesh.Mesh {
	t.Helper()
	m := Rectangle(t, cells, seed)
	for v := range m.X {
		x, y := 2*m.X[v]-1, 2*m.Y[v]-1
		m.X[v], m.Y[v] = x*math.Sqrt(1-y*y/2), y*math.Sqrt(1-x*x/2)
	}
	return m
}

// Grouped returns a mesh with groups of cells and of edges, and a vertex at which two fans of triangles touch.
func Grouped(t testing.TB, cells int, seed uint64) *mesh.Mesh {
	t.Helper()
	m := Rectangle(t, cells, seed)
	m.Groups = append(m.Groups, mesh.Group{Dim: 2, Tag: 70, Name: "left"}, mesh.Group{Dim: 2, Tag: 71, Name: "right"})
	for c := range m.Cells {
		group := int32(len(m.Groups) - 1)
		if x, _ := m.Centroid(c); x < .4 {
			group--
		}
		m.CellGroup = append(m.CellGroup, group)
	}
	n := int32(len(m.X))
	for v := range n {
		if m.X[v] == 1 && m.Y[v] == 1 {
			m.X, m.Y = append(m.X, 1.2, 1.2), append(m.Y, 1.1, 1.3)
			m.Cells, m.CellGroup = append(m.Cells, [3]int32{v, n, n + 1}), append(m.CellGroup, -1)
			break
		}
	}
	return m
}

// Rings returns the neighbours of all vertices of a mesh.
func Rings(t testing.TB, m *mesh.Mesh) *mesh.Rings {
	t.Helper()
	r, err := m.Rings()
	if err != nil {
		t.Fatal(err)
	}
	return r
}
