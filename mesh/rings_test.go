package mesh

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func ringsOf(t testing.TB, m *Mesh) *Rings {
	t.Helper()
	r, err := m.Rings()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The rings of an interior vertex, of border vertices, of a vertex in no triangle, and of one where two fans touch.
func TestRingsOfKnownMesh(t *testing.T) {
	// A square of four triangles around vertex 4, a triangle that touches its corner 2, and vertex 7 in no triangle.
	m := &Mesh{
		X:     []float64{0, 1, 1, 0, .5, 2, 2, 9},
		Y:     []float64{0, 0, 1, 1, .5, 1, 2, 9},
		Cells: [][3]int32{{2, 3, 4}, {0, 1, 4}, {4, 1, 2}, {3, 0, 4}, {2, 5, 6}},
	}
	r := ringsOf(t, m)
	for v, want := range map[int32][]int32{4: {0, 1, 2, 3}, 0: {1, 4, 3}, 1: {2, 4, 0}, 3: {0, 4, 2}, 5: {6, 2},
		2: {}, 7: {}} {
		if got := r.Of(v); !slices.Equal(got, want) {
			t.Errorf("the ring of vertex %d is %v, want %v", v, got, want)
		}
	}
	want := []VertexClass{Border, Border, Irregular, Border, Interior, Border, Border, Irregular}
	if !slices.Equal(r.Class, want) {
		t.Errorf("classes %v, want %v", r.Class, want)
	}
	m.Cells[0] = [3]int32{3, 2, 4} // inverted
	if r := ringsOf(t, m); r.Class[4] != Irregular || len(r.Of(4)) != 0 {
		t.Errorf("next to an inverted triangle, vertex 4 has class %v and ring %v; want an empty ring", r.Class[4], r.Of(4))
	}
	m.Cells[0][0] = 8
	if _, err := m.Rings(); err == nil {
		t.Error("Rings accepts a vertex id out of range, want an error")
	}
}

// In any mesh with any numbering, a vertex and two consecutive vertices of its ring form a triangle, and each triangle
// occurs three times, once for each vertex.
func TestRingsCoverTheMesh(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, err := Rectangle(0, 0, 1, 1, rapid.IntRange(2, 400).Draw(t, "cells"), rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			t.Fatal(err)
		}
		perm := rapid.Permutation(seq(len(m.X))).Draw(t, "numbering")
		x, y := slices.Clone(m.X), slices.Clone(m.Y)
		for old, now := range perm {
			m.X[now], m.Y[now] = x[old], y[old]
		}
		count := map[[3]int32]int{}
		for c := range m.Cells {
			for k, v := range m.Cells[c] {
				m.Cells[c][k] = int32(perm[v])
			}
			count[lowestFirst(m.Cells[c])] = 3
		}
		r, err := m.Rings()
		if err != nil {
			t.Fatal(err)
		}
		for v := range int32(len(m.X)) {
			ring := r.Of(v)
			pairs := len(ring)
			if r.Class[v] == Border {
				pairs--
			} else if ring[0] != slices.Min(ring) {
				t.Fatalf("the ring of vertex %d begins with %d: %v", v, ring[0], ring)
			}
			for k := range pairs {
				count[lowestFirst([3]int32{v, ring[k], ring[(k+1)%len(ring)]})]--
			}
		}
		for c, n := range count {
			if n != 0 {
				t.Fatalf("triangle %v occurs %d times, want 3", c, 3-n)
			}
		}
	})
}

// lowestFirst rotates the vertices of a triangle so that the lowest is first.
func lowestFirst(c [3]int32) [3]int32 {
	for c[0] != slices.Min(c[:]) {
		c = [3]int32{c[1], c[2], c[0]}
	}
	return c
}

func seq(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

func BenchmarkRings(b *testing.B) {
	m, err := Rectangle(0, 0, 1, 1, 1_256_000, 1)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		ringsOf(b, m)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(m.X)), "ns/vertex")
}
