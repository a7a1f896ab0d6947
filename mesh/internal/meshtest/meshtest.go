// Package meshtest has meshes and checks for the tests of mesh formats.
package meshtest

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
)

// Cube is a cube of 6n³ tetrahedra whose vertices are moved at random by up to shift times the spacing.
func Cube(t testing.TB, n int, shift float64) *mesh.Solid {
	t.Helper()
	s, err := mesh.Cube(n, n, n, shift, 5)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// WithGroupsAndFields is a triangle mesh with groups, tagged edges, fields and third coordinates.
func WithGroupsAndFields(cells int, seed uint64) *mesh.Mesh {
	m, err := mesh.Rectangle(0.1, -1e-7, 1, 1, cells, seed)
	if err != nil {
		panic(err)
	}
	m.Groups = append(m.Groups, mesh.Group{Dim: 2, Tag: 1, Name: "sea bed"}, mesh.Group{Dim: 2, Tag: 700, Name: "700"})
	m.CellGroup = make([]int32, len(m.Cells))
	n, b, z := make([]float64, len(m.Cells)), make([]float64, len(m.X)), make([]float64, len(m.X))
	random := rand.New(rand.NewPCG(seed, 1))
	for c := range m.Cells {
		m.CellGroup[c] = []int32{-1, 4, 5}[random.IntN(3)]
		n[c] = math.Float64frombits(random.Uint64() >> 2)
	}
	m.CellGroup[0] = 4
	for v := range m.X {
		b[v], z[v] = float64(v)/3, 1+float64(v)
	}
	m.CellData = map[string][]float64{"n (Manning)": n}
	m.VertexData = map[string][]float64{"depth": b, "z": z}
	return m
}

// CloseTo reports whether two slices agree to the 14 or more digits that Gmsh writes in text.
func CloseTo(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-13*math.Max(1, math.Abs(a[i])) {
			return false
		}
	}
	return true
}

// Fuzzed checks the result of a reader for arbitrary input. It must be an error with a position, in the file or of a
// triangle, or a mesh no larger than the input can describe; Check and the repairs must not panic on it.
func Fuzzed(t *testing.T, data []byte, m *mesh.Mesh, err error) {
	if err != nil {
		starts := func(with string) bool { return strings.HasPrefix(err.Error(), with) }
		if m != nil || !starts("byte offset ") && !starts("line ") && !starts("triangle ") {
			t.Fatalf("mesh %v and error %q, want no mesh and an error that begins with a position", m, err)
		}
		return
	}
	if len(m.X) > len(data) || cap(m.X) > len(data) || len(m.Cells) > len(data) || cap(m.Cells) > 2*len(data)+8 {
		t.Fatalf("%d (%d) vertices and %d (%d) cells from %d bytes", len(m.X), cap(m.X), len(m.Cells), cap(m.Cells),
			len(data))
	}
	if m.Check() == nil {
		return
	}
	_, _ = m.Orient()
	_, _, _ = m.MergeDuplicates()
	_, _, _ = m.DropDangling()
	_ = m.Check()
}
