package mesh

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// square is a square of two triangles, with vertices 0 and 1 at the bottom, 3 and 2 at the top.
func square() *Mesh {
	return &Mesh{
		X: []float64{0, 1, 1, 0}, Y: []float64{0, 0, 1, 1},
		Cells:  [][3]int32{{0, 1, 2}, {0, 2, 3}},
		Groups: []Group{{1, 7, "wall"}, {2, 9, "water"}, {1, 8, "open"}},
		Tagged: []TaggedEdge{{1, 0, 0}, {2, 3, 2}, {0, 2, 0}},
	}
}

func rectangle(t testing.TB, cells int, seed uint64) *Mesh {
	t.Helper()
	m, err := Rectangle(-5, -5, 5, 5, cells, seed)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestNeighboursOfSquare(t *testing.T) {
	nb, err := square().Neighbours()
	if want := [][3]int32{{-1, -1, 1}, {0, -1, -1}}; err != nil || !reflect.DeepEqual(nb, want) {
		t.Fatalf("got %v, %v, want %v", nb, err, want)
	}
}

// Neighbours agrees with a search through all pairs of cells, on meshes with holes and random numbering.
func TestNeighboursAgreesWithSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := scattered(rapid.IntRange(2, 120).Draw(t, "cells"), rapid.Uint64().Draw(t, "seed"))
		nb, err := m.Neighbours()
		if err != nil {
			t.Fatal(err)
		}
		for c, v := range m.Cells {
			for k := range v {
				want := int32(-1)
				for d := range m.Cells {
					if d != c && m.edgeIndex(int32(d), v[k], v[(k+1)%3]) >= 0 {
						want = int32(d)
					}
				}
				if nb[c][k] != want {
					t.Fatalf("neighbour %d of %s is %d, want %d", k, m.describe(int32(c)), nb[c][k], want)
				}
			}
		}
	})
}

// scattered is a rectangle with about 10 % of the cells missing, its cells in random order and rotated, and its
// vertices numbered at random.
func scattered(cells int, seed uint64) *Mesh {
	m, err := Rectangle(0, 0, 1, 1, cells, seed)
	if err != nil {
		panic(err)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	id := r.Perm(len(m.X))
	x, y := make([]float64, len(id)), make([]float64, len(id))
	for v, w := range id {
		x[w], y[w] = m.X[v], m.Y[v]
	}
	kept := m.Cells[:0]
	for _, v := range m.Cells {
		if r.IntN(10) == 0 && len(m.Cells) > 2 {
			continue
		}
		k := r.IntN(3)
		kept = append(kept, [3]int32{int32(id[v[k]]), int32(id[v[(k+1)%3]]), int32(id[v[(k+2)%3]])})
	}
	r.Shuffle(len(kept), func(i, j int) { kept[i], kept[j] = kept[j], kept[i] })
	return &Mesh{X: x, Y: y, Cells: kept}
}

func TestNeighboursRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		cells [][3]int32
		want  string
	}{
		"three cells at an edge": {[][3]int32{{0, 1, 2}, {0, 2, 3}, {4, 2, 0}},
			"edge 0-2 belongs to three cells or more: cell 0 (vertices 0, 1, 2), cell 1 (vertices 0, 2, 3), cell 2 " +
				"(vertices 4, 2, 0)"},
		"vertex out of range": {[][3]int32{{0, 1, 5}}, "cell 0 (vertices 0, 1, 5) refers to vertex 5; the mesh has " +
			"vertices 0 to 4"},
		"negative vertex": {[][3]int32{{0, -1, 2}}, "refers to vertex -1"},
		"repeated vertex": {[][3]int32{{0, 1, 0}}, "cell 0 (vertices 0, 1, 0) repeats a vertex"},
	} {
		m := &Mesh{X: make([]float64, 5), Y: make([]float64, 5), Cells: c.cells}
		if _, err := m.Neighbours(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestBoundaryGroups(t *testing.T) {
	m := square()
	nb, _ := m.Neighbours()
	groups, err := m.BoundaryGroups(nb)
	// The tagged diagonal 0-2 is inside the mesh and has no effect.
	if want := [][3]int32{{0, -1, -1}, {-1, 2, -1}}; err != nil || !reflect.DeepEqual(groups, want) {
		t.Fatalf("got %v, %v, want %v", groups, err, want)
	}
	m.Tagged = append(m.Tagged, TaggedEdge{0, 1, 2})
	if _, err := m.BoundaryGroups(nb); err == nil || !strings.Contains(err.Error(),
		`edge 0-1 is in two physical groups, "wall" and "open"`) {
		t.Errorf("two groups at an edge: error %v", err)
	}
	m.Tagged = []TaggedEdge{{1, 3, 0}}
	if _, err := m.BoundaryGroups(nb); err == nil || !strings.Contains(err.Error(),
		"tagged edge 0 (vertices 1, 3) is no edge") {
		t.Errorf("stray edge: error %v", err)
	}
}

func TestBoundaryGroupsOfRectangle(t *testing.T) {
	m := rectangle(t, 200, 3)
	nb, err := m.Neighbours()
	if err != nil {
		t.Fatal(err)
	}
	groups, err := m.BoundaryGroups(nb)
	if err != nil {
		t.Fatal(err)
	}
	var count [4]int
	for c := range nb {
		for k := range nb[c] {
			g := groups[c][k]
			if (nb[c][k] < 0) != (g >= 0) {
				t.Fatalf("edge %d of cell %d: neighbour %d, group %d", k, c, nb[c][k], g)
			}
			if g < 0 {
				continue
			}
			count[g]++
			a, b := m.Cells[c][k], m.Cells[c][(k+1)%3]
			along := [4][2]float64{{m.X[a], m.X[b]}, {m.X[a], m.X[b]}, {m.Y[a], m.Y[b]}, {m.Y[a], m.Y[b]}}[g]
			if side := [4]float64{-5, 5, -5, 5}[g]; along[0] != side || along[1] != side {
				t.Fatalf("edge %d-%d is in group %q", a, b, m.Groups[g].Name)
			}
		}
	}
	if count != [4]int{10, 10, 10, 10} {
		t.Errorf("numbers of edges by group: %v, want 10 each", count)
	}
}

func TestMeasures(t *testing.T) {
	m := &Mesh{X: []float64{1, 4, 1}, Y: []float64{0, 0, 4}, Cells: [][3]int32{{0, 1, 2}, {0, 2, 1}}}
	if a, b := m.Area(0), m.Area(1); a != 6 || b != -6 {
		t.Errorf("areas %g, %g, want 6 and -6", a, b)
	}
	if x, y := m.Centroid(0); x != 2 || y != 4.0/3 {
		t.Errorf("centroid (%g, %g), want (2, 4/3)", x, y)
	}
	if l := [3]float64{m.EdgeLength(0, 0), m.EdgeLength(0, 1), m.EdgeLength(0, 2)}; l != [3]float64{3, 5, 4} {
		t.Errorf("edge lengths %v, want 3 5 4", l)
	}
}

func BenchmarkNeighbours(b *testing.B) {
	m := rectangle(b, 2_000_000, 1)
	for b.Loop() {
		if _, err := m.Neighbours(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(m.Cells))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mcells/s")
}
