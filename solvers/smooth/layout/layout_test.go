package layout

import (
	"math"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// TestFixed proves that corners, ends of physical groups, and lines and borders of groups inside the mesh are fixed,
// and that others move; vertices in more triangles than the optimiser can take are counted.
func TestFixed(t *testing.T) {
	m := smoothtest.Rectangle(t, 800, 6)
	n := 20 // boxes along a side
	vertexAt := func(i, j int) int32 { return int32(j*(n+1) + i) }
	m.Groups = append(m.Groups, mesh.Group{Dim: 1, Tag: 9, Name: "line"}, mesh.Group{Dim: 2, Tag: 1, Name: "a"},
		mesh.Group{Dim: 2, Tag: 2, Name: "b"})
	line := []int32{vertexAt(5, 5), vertexAt(5, 6), vertexAt(5, 7)}
	ring := smoothtest.Rings(t, m)
	for k := range 2 {
		if !slices.Contains(ring.Of(line[k]), line[k+1]) {
			t.Fatal("no edge")
		}
		m.Tagged = append(m.Tagged, mesh.TaggedEdge{A: line[k], B: line[k+1], Group: 4})
	}
	m.CellGroup = make([]int32, len(m.Cells))
	for c := range m.CellGroup {
		m.CellGroup[c] = 5 + int32(c/(10*2*n)) // the border of the groups is row 10
	}
	for k := range m.Tagged { // the lower side changes its group half way
		if e := m.Tagged[k]; e.Group == 2 && e.A >= vertexAt(10, 0) {
			m.Tagged[k].Group = 4
		}
	}
	l, err := New(m, plainOptions())
	if err != nil {
		t.Fatal(err)
	}
	stay := append([]int32{vertexAt(0, 0), vertexAt(n, 0), vertexAt(0, n), vertexAt(n, n), vertexAt(10, 0), vertexAt(3,
		10), vertexAt(0, 10)}, line...)
	for _, v := range stay {
		if l.Class[v] != fixed {
			t.Errorf("vertex %d may move", v)
		}
	}
	for v, class := range map[int32]int8{vertexAt(9, 0): sliding, vertexAt(11, 0): sliding, vertexAt(0, 9): sliding,
		vertexAt(3, 9): free,
		vertexAt(6, 6): free} {
		if l.Class[v] != class {
			t.Errorf("vertex %d is of class %d, want %d", v, l.Class[v], class)
		}
	}
	if want := (n-1)*(n-1) - (n - 1) - 3 + 4*(n-1) - 3; l.Moving() != want {
		t.Errorf("%d vertices may move, want %d", l.Moving(), want)
	}
	hub := &mesh.Mesh{X: []float64{0}, Y: []float64{0}}
	for k := range kernels.MaxDegree + 1 {
		s, c := math.Sincos(2 * math.Pi * float64(k) / (kernels.MaxDegree + 1))
		hub.X, hub.Y = append(hub.X, c), append(hub.Y, s)
		hub.Cells = append(hub.Cells, [3]int32{0, int32(k + 1), int32((k+1)%(kernels.MaxDegree+1) + 1)})
	}
	if l, err = New(hub, plainOptions()); err != nil || l.Crowded() != 1 || l.Moving() != 1 {
		t.Errorf("a hub: %v", err)
	}
}

func plainOptions() Options {
	return Options{Boundary: Slide, Colouring: colouring.JonesPlassmann, Order: partition.Hilbert}
}
