package mesh

import (
	"math"
	"strings"
	"testing"
)

// After flipping, no circumcircle contains a vertex. The mesh is valid and has the same area.
func TestFlipToDelaunay(t *testing.T) {
	for seed := range uint64(5) {
		m, err := Rectangle(0, 0, 2, 1, 400, seed)
		if err != nil {
			t.Fatal(err)
		}
		flips, err := m.FlipToDelaunay()
		if err != nil || flips == 0 {
			t.Fatalf("%d flips, error %v; want at least one flip", flips, err)
		}
		if err := m.Check(); err != nil {
			t.Fatal(err)
		}
		area := 0.0
		for c, v := range m.Cells {
			area += m.Area(c)
			f := flipper{Mesh: m}
			for q := range int32(len(m.X)) {
				if q != v[0] && q != v[1] && q != v[2] && f.inCircle(v[0], v[1], v[2], q) {
					t.Fatalf("seed %d: vertex %d is in the circle of cell %d", seed, q, c)
				}
			}
		}
		if math.Abs(area-2) > 1e-13 {
			t.Errorf("area %g, want 2", area)
		}
		if again, err := m.FlipToDelaunay(); err != nil || again != 0 {
			t.Errorf("a second call makes %d flips, error %v; want none", again, err)
		}
	}
}

// Tagged edges and edges between cells of different groups are not flipped, though they are not Delaunay edges.
func TestFlipToDelaunayKeepsGroups(t *testing.T) {
	kite := func() *Mesh { // a rhombus, cut along its long diagonal 0-2
		return &Mesh{X: []float64{-2, 0, 2, 0}, Y: []float64{0, -1, 0, 1}, Cells: [][3]int32{{0, 1, 2}, {0, 2, 3}}}
	}
	m := kite()
	if n, err := m.FlipToDelaunay(); n != 1 || err != nil {
		t.Errorf("without groups: %d flips, error %v; want 1", n, err)
	}
	m = kite()
	m.Groups, m.Tagged = []Group{{1, 1, "fault"}}, []TaggedEdge{{2, 0, 0}}
	if n, err := m.FlipToDelaunay(); n != 0 || err != nil {
		t.Errorf("a tagged edge: %d flips, error %v; want none", n, err)
	}
	m = kite()
	m.Groups, m.CellGroup = []Group{{2, 1, "a"}, {2, 2, "b"}}, []int32{0, 1}
	if n, err := m.FlipToDelaunay(); n != 0 || err != nil {
		t.Errorf("an edge between groups: %d flips, error %v; want none", n, err)
	}
	m = kite()
	m.Cells[0] = [3]int32{1, 0, 2}
	if _, err := m.FlipToDelaunay(); err == nil || !strings.Contains(err.Error(), "area -2") {
		t.Errorf("an inverted cell: error %v, want one with its area", err)
	}
	m = kite()
	m.CellData = map[string][]float64{"q": {1, 2}}
	if _, err := m.FlipToDelaunay(); err == nil {
		t.Error("FlipToDelaunay accepts a mesh with cell data, want an error")
	}
}
