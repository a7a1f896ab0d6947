package mesh

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCheckRefusals(t *testing.T) {
	if err := square().Check(); err != nil {
		t.Fatalf("a valid mesh: %v", err)
	}
	for name, c := range map[string]struct {
		corrupt func(m *Mesh)
		want    string
	}{
		"empty":       {func(m *Mesh) { m.Cells = nil }, "the mesh has no triangles"},
		"coordinates": {func(m *Mesh) { m.Y = m.Y[:3] }, "4 x and 3 y coordinates"},
		"vertex id": {func(m *Mesh) { m.Cells[1][2] = 4 },
			"1 cell with a vertex id out of range: cell 1 (vertices 0, 2, 4): the mesh has vertices 0 to 3"},
		"negative vertex id": {func(m *Mesh) { m.Cells[1][2] = -2 }, "cell 1 (vertices 0, 2, -2)"},
		"repeated vertex": {func(m *Mesh) { m.Cells[1][2] = 0 },
			"1 cell that repeats a vertex: cell 1 (vertices 0, 2, 0)"},
		"infinite": {func(m *Mesh) { m.X[1] = math.Inf(1) },
			"1 vertex with a coordinate that is not finite: vertex 1 (+Inf, 0)"},
		"NaN": {func(m *Mesh) { m.Y[1] = math.NaN() }, "vertex 1 (1, NaN)"},
		"clockwise": {func(m *Mesh) { m.Cells[0] = [3]int32{0, 2, 1} },
			"1 clockwise cell: cell 0 (vertices 0, 2, 1): orient them with atoll mesh convert --orient"},
		"flat": {func(m *Mesh) { m.X[1], m.Y[1] = 0.25, 0.25 }, "1 cell of zero area: cell 0"},
		"flat, rounding": {func(m *Mesh) { m.X[2], m.Y[2], m.X[1], m.Y[1] = 1.1, 1.1, 0.7, 0.7000000000000001 },
			"1 cell of zero area: cell 0"},
		"overflow": {func(m *Mesh) { m.X[1], m.Y[2] = 1e300, 1e300 }, "cell whose area overflows: cell 0"},
		"dangling": {func(m *Mesh) { m.X, m.Y = append(m.X, 7), append(m.Y, 8) },
			"1 vertex in no cell: vertex 4 (7, 8): remove them with atoll mesh convert --drop-dangling"},
		"same position": {func(m *Mesh) {
			m.X, m.Y = append(m.X, 0), append(m.Y, math.Copysign(0, -1))
			m.Cells[1][0] = 4
		}, "1 pair of vertices at the same position: vertices 0 and 4 at (0, 0): merge them"},
		"duplicate cell": {func(m *Mesh) { m.Cells = append(m.Cells, [3]int32{1, 2, 0}) },
			"1 cell given twice: cell 0 and cell 2 (vertices 1, 2, 0): remove the duplicates"},
		"three cells": {func(m *Mesh) {
			m.X, m.Y = append(m.X, -1), append(m.Y, 1)
			m.Cells = append(m.Cells, [3]int32{0, 2, 4})
		}, "edge 0-2 belongs to three cells"},
		"overlap": {func(m *Mesh) { m.X[3], m.Y[3] = 1, 0.25; m.Cells[1] = [3]int32{0, 3, 2} },
			"1 edge with both cells on one side: edge 2-0 of cell 0 (vertices 0, 1, 2) and cell 1 (vertices 0, 3, 2): " +
				"the cells overlap"},
		"stray tag": {func(m *Mesh) { m.Tagged[1] = TaggedEdge{1, 3, 2} },
			`1 tagged edge that no cell has: tagged edge 1 (vertices 1, 3, group "open")`},
		"tag vertex": {func(m *Mesh) { m.Tagged[1].A = 9 },
			"1 tagged edge of unknown vertices or group: tagged edge 1 (vertices 9, 3) in group 2"},
		"tag group":    {func(m *Mesh) { m.Tagged[1].Group = 3 }, "tagged edge 1 (vertices 2, 3) in group 3"},
		"tag of cells": {func(m *Mesh) { m.Tagged[1].Group = 1 }, "tagged edge 1 (vertices 2, 3) in group 1"},
		"cell group": {func(m *Mesh) { m.CellGroup = []int32{1, 5} },
			"1 cell of an unknown group: cell 1 (vertices 0, 2, 3) in group 5"},
		"cell in edges":    {func(m *Mesh) { m.CellGroup = []int32{0, -1} }, "cell 0 (vertices 0, 1, 2) in group 0"},
		"cell group count": {func(m *Mesh) { m.CellGroup = []int32{1} }, "2 cells, but the groups of 1"},
		"cell field": {func(m *Mesh) { m.CellData = map[string][]float64{"b": {1}} },
			`cell field "b" has 1 values for 2 cells`},
		"vertex field": {func(m *Mesh) { m.VertexData = map[string][]float64{"b": {1}} },
			`vertex field "b" has 1 values for 4 vertices`},
	} {
		m := square()
		c.corrupt(m)
		if err := m.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s", name, err, c.want)
		}
	}
}

func TestCheckCountsFaults(t *testing.T) {
	m := rectangle(t, 50, 1)
	for c := range m.Cells {
		m.Cells[c][1], m.Cells[c][2] = m.Cells[c][2], m.Cells[c][1]
	}
	m.X, m.Y = append(m.X, 9, 8), append(m.Y, 9, 8)
	got := m.Check().Error()
	for _, want := range []string{"50 clockwise cells: cell 0 (", "; cell 1 (", "; cell 2 (", "; and 47 more: orient",
		"2 vertices in no cell"} {
		if !strings.Contains(got, want) {
			t.Errorf("error %q, want it to contain %q", got, want)
		}
	}
}

func TestOrient(t *testing.T) {
	m := rectangle(t, 50, 1)
	m.Cells[7] = [3]int32{m.Cells[7][1], m.Cells[7][0], m.Cells[7][2]}
	if n, err := m.Orient(); n != 1 || err != nil {
		t.Errorf("Orient changed %d cells, error %v; want 1 cell", n, err)
	}
	if err := m.Check(); err != nil {
		t.Error(err)
	}
}

func TestDropDangling(t *testing.T) {
	m := square()
	m.X, m.Y = append([]float64{5}, m.X...), append([]float64{5}, m.Y...)
	m.VertexData = map[string][]float64{"z": {9, 0, 1, 2, 3}}
	for c := range m.Cells {
		for k := range m.Cells[c] {
			m.Cells[c][k]++
		}
	}
	for i := range m.Tagged {
		m.Tagged[i].A++
		m.Tagged[i].B++
	}
	m.Tagged = append(m.Tagged, TaggedEdge{0, 1, 0})
	if v, e, err := m.DropDangling(); v != 1 || e != 1 || err != nil {
		t.Errorf("dropped %d vertices and %d edges, error %v; want 1 and 1", v, e, err)
	}
	want := square()
	want.VertexData = map[string][]float64{"z": {0, 1, 2, 3}}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("got %+v\nwant %+v", m, want)
	}
}

// MergeDuplicates restores a mesh whose cells have been separated, so that no two share a vertex.
func TestMergeDuplicates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		whole := scattered(rapid.IntRange(2, 200).Draw(t, "cells"), seed)
		separated := &Mesh{VertexData: map[string][]float64{"z": nil}}
		for c, v := range whole.Cells {
			for _, w := range v {
				separated.X, separated.Y = append(separated.X, whole.X[w]), append(separated.Y, whole.Y[w])
				separated.VertexData["z"] = append(separated.VertexData["z"], whole.X[w])
			}
			separated.Cells = append(separated.Cells, [3]int32{int32(3 * c), int32(3*c + 1), int32(3*c + 2)})
		}
		copies := rand.New(rand.NewPCG(seed, 2)).IntN(4)
		for c := range copies {
			v := separated.Cells[c%len(whole.Cells)]
			separated.Cells = append(separated.Cells, [3]int32{v[1], v[2], v[0]})
		}
		if _, cells, err := separated.MergeDuplicates(); cells != copies || err != nil {
			t.Fatalf("removed %d cells, error %v; want %d", cells, err, copies)
		}
		if err := separated.Check(); err != nil {
			t.Fatal(err)
		}
		for c, v := range whole.Cells {
			for k, w := range v {
				u := separated.Cells[c][k]
				if separated.X[u] != whole.X[w] || separated.Y[u] != whole.Y[w] || separated.VertexData["z"][u] != whole.X[w] {
					t.Fatalf("corner %d of cell %d has moved", k, c)
				}
			}
		}
	})
}

// Merging vertices removes cells and tagged edges that then have a repeated vertex.
func TestMergeDuplicatesRemovesCollapsed(t *testing.T) {
	m := square()
	// Vertex 4 is at the position of vertex 2. The new cell and the tagged edge 4-2 have both.
	m.X, m.Y = append(m.X, 1), append(m.Y, 1)
	m.Cells = append(m.Cells, [3]int32{1, 4, 2})
	m.Tagged = append(m.Tagged, TaggedEdge{4, 2, 0}, TaggedEdge{4, 3, 2})
	if v, c, err := m.MergeDuplicates(); v != 1 || c != 1 || err != nil {
		t.Fatalf("merged %d vertices, removed %d cells, error %v; want 1 and 1", v, c, err)
	}
	if want := square(); !reflect.DeepEqual(m, want) {
		t.Errorf("got %+v\nwant %+v", m, want)
	}
}

func TestMergeDuplicatesRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		corrupt func(m *Mesh)
		want    string
	}{
		"vertex field": {func(m *Mesh) {
			m.X, m.Y = append(m.X, 1), append(m.Y, 0)
			m.VertexData = map[string][]float64{"z": {0, 5, 0, 0, 6}}
		}, `vertices 1 and 4 are at the same position, but differ in the field "z": 5 and 6`},
		"group": {func(m *Mesh) {
			m.Cells = append(m.Cells, [3]int32{1, 2, 0})
			m.CellGroup = []int32{1, -1, -1}
		}, "cell 0 (vertices 0, 1, 2) is the same as cell 2, but in another group"},
		"cell field": {func(m *Mesh) {
			m.Cells = append(m.Cells, [3]int32{1, 2, 0})
			m.CellData = map[string][]float64{"n": {1, 2, 3}}
		}, `differs from it in the field "n": 1 and 3`},
		"ids": {func(m *Mesh) { m.Cells[0][0] = 77 }, "vertex id out of range"},
	} {
		m := square()
		c.corrupt(m)
		if _, _, err := m.MergeDuplicates(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	m := rectangle(b, 2_000_000, 1)
	for b.Loop() {
		if err := m.Check(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRefine(b *testing.B) {
	m := rectangle(b, 500_000, 1)
	for b.Loop() {
		if _, err := Refine(m); err != nil {
			b.Fatal(err)
		}
	}
}
