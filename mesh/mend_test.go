package mesh

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// strip has two rows of n squares of two triangles each, [0, n]×[0, 2]; with a slit between the columns before and
// after x = cut the vertices of the right part there are others, moved by gap to the right.
func strip(n, cut int, gap float64) *Mesh {
	m := &Mesh{}
	id := map[[3]int]int32{}
	at := func(i, j, side int) int32 {
		if i != cut {
			side = 0
		}
		v, ok := id[[3]int{i, j, side}]
		if !ok {
			v = int32(len(m.X))
			id[[3]int{i, j, side}] = v
			m.X, m.Y = append(m.X, float64(i)+gap*float64(side)), append(m.Y, float64(j))
		}
		return v
	}
	for i := range n {
		for j := range 2 {
			right := func(k int) int { // 1 for the right side of the slit
				if i >= cut && k == cut {
					return 1
				}
				return 0
			}
			a, b := at(i, j, right(i)), at(i+1, j, right(i+1))
			c, d := at(i+1, j+1, right(i+1)), at(i, j+1, right(i))
			m.Cells = append(m.Cells, [3]int32{a, b, c}, [3]int32{a, c, d})
		}
	}
	return m
}

// Mend repairs what has one repair, with one note each; what it cannot repair, Check refuses.
func TestMend(t *testing.T) {
	whole := func() *Mesh { return strip(4, -1, 0) }
	for name, c := range map[string]struct {
		spoil   func(m *Mesh)
		notes   []string
		refused string
	}{
		"a valid mesh": {func(*Mesh) {}, nil, ""},
		"a vertex without cells": {func(m *Mesh) { m.X, m.Y = append(m.X, 9), append(m.Y, 9) },
			[]string{"left out: 1 vertex in no triangle"}, ""},
		"the first vertices without cells": {func(m *Mesh) {
			m.X, m.Y = slices.Insert(m.X, 0, 7, 8, 9), slices.Insert(m.Y, 0, 7, 8, 9)
			for c := range m.Cells {
				for k := range 3 {
					m.Cells[c][k] += 3
				}
			}
			m.VertexData = map[string][]float64{"b": make([]float64, len(m.X))}
		}, []string{"left out: 3 vertices in no triangle"}, ""},
		"a line off the mesh": {func(m *Mesh) {
			m.X, m.Y = append(m.X, 9, 10), append(m.Y, 9, 9)
			m.Groups, m.Tagged = []Group{{1, 4, "pole"}}, []TaggedEdge{{int32(len(m.X) - 2), int32(len(m.X) - 1), 0}}
		}, []string{"left out: 2 vertices in no triangle", "left out: 1 tagged edge that no triangle has"}, ""},
		"a clockwise cell": {func(m *Mesh) { m.Cells[3][0], m.Cells[3][1] = m.Cells[3][1], m.Cells[3][0] },
			[]string{"turned: 1 triangle that ran clockwise"}, ""},
		"clockwise cells": {func(m *Mesh) {
			for c := range m.Cells {
				m.Cells[c][0], m.Cells[c][1] = m.Cells[c][1], m.Cells[c][0]
			}
		}, []string{"turned: 16 triangles that ran clockwise"}, ""},
		"a tangled mesh": {func(m *Mesh) { // vertex 1 is moved beyond its neighbours
			for v := range m.X {
				if m.X[v] == 2 && m.Y[v] == 1 {
					m.X[v] = 3.5
				}
			}
		}, nil, "clockwise"},
		"a cell given twice": {func(m *Mesh) { m.Cells = append(m.Cells, m.Cells[5]) }, nil, "1 cell given twice"},
		"a cell given twice, turned": {func(m *Mesh) {
			v := m.Cells[5]
			m.Cells = append(m.Cells, [3]int32{v[2], v[1], v[0]})
		}, nil, "1 cell given twice"},
		"clockwise cells, one of them twice": {func(m *Mesh) {
			for c, v := range m.Cells {
				m.Cells[c] = [3]int32{v[0], v[2], v[1]}
			}
			m.Cells = append(m.Cells, m.Cells[5])
		}, nil, "1 cell given twice"},
		"a slit by mistake": {func(m *Mesh) { *m = *strip(4, 2, 0) }, nil, "at the same position"},
		"a crack": {func(m *Mesh) { *m = *cracked("fault") },
			[]string{`cracked along edges of group "fault": 6 vertices at the position of another`}, ""},
		"a slit between elementary curves": {func(m *Mesh) {
			*m = *cracked("4")
			m.Elementary = true
		}, nil, "at the same position"},
	} {
		m := whole()
		c.spoil(m)
		n := len(m.X)
		original := m.Mend()
		if (original != nil) != (len(m.X) < n) || original != nil && len(original) != len(m.X) {
			t.Errorf("%s: %d vertices of %d, %d original ids", name, len(m.X), n, len(original))
		}
		if len(m.Notes) != len(c.notes) {
			t.Errorf("%s: notes %q, want %q", name, m.Notes, c.notes)
		}
		for k := range min(len(m.Notes), len(c.notes)) {
			if !strings.HasPrefix(m.Notes[k], c.notes[k]) {
				t.Errorf("%s: note %q, want %q", name, m.Notes[k], c.notes[k])
			}
		}
		err := m.Check()
		if (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) ||
			strings.Contains(name, "twice") && strings.Contains(err.Error(), "clockwise") {
			t.Errorf("%s: check: %v, want %q", name, err, c.refused)
		}
	}
}

// cracked is a strip with a slit whose sides are edges of a group.
func cracked(group string) *Mesh {
	m := strip(4, 2, 0)
	m.Groups = []Group{{Dim: 1, Tag: 4, Name: group}}
	nb, err := m.Neighbours()
	if err != nil {
		panic(err)
	}
	edges, _ := m.boundary(nb)
	for _, e := range edges {
		if m.X[e[0]] == 2 && m.X[e[1]] == 2 {
			m.Tagged = append(m.Tagged, TaggedEdge{e[0], e[1], 0})
		}
	}
	return m
}

// Vertices that are much nearer than edges are long are noted, and merged on request; others are not.
func TestNearVertices(t *testing.T) {
	for _, c := range []struct {
		gap, scale float64
		near       bool
	}{{1e-7, 1, true}, {-1e-7, 1, true}, {1e-9, 1e5, true}, {5e-4, 1, true}, {1e-4, 1e-4, true}, {.01, 1, false},
		{.3, 100, false}} {
		m := strip(4, 2, c.gap)
		for v := range m.X {
			m.X[v], m.Y[v] = c.scale*(m.X[v]+3), c.scale*(m.Y[v]-7)
		}
		nb, err := m.Neighbours()
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Check(); (c.gap < 0) != (err != nil && strings.Contains(err.Error(), "--merge-duplicates")) {
			t.Errorf("gap %g: %v", c.gap, err) // with a negative gap cells overlap
		}
		notes := m.NoteDefects(nb)
		if c.near != (len(notes) == 1 && strings.HasPrefix(notes[0], "the mesh has 3 pairs of vertices ")) {
			t.Errorf("gap %g, scale %g: notes %q", c.gap, c.scale, notes)
		}
		vertices, cells, err := m.MergeDuplicates()
		if err != nil || cells != 0 || c.near != (vertices == 3) {
			t.Errorf("gap %g, scale %g: merged %d vertices and %d cells, %v", c.gap, c.scale, vertices, cells, err)
		}
		if nb, err = m.CheckedNeighbours(); err != nil || c.near && len(m.NoteDefects(nb)) > 0 {
			t.Errorf("gap %g, scale %g: after merging: %v", c.gap, c.scale, err)
		}
	}
}

// A cell that is far flatter than others is noted with its position and height.
func TestFlattest(t *testing.T) {
	for _, height := range []float64{1e-7, 1e-5, 3e-5, 1e-3, .1} {
		m := strip(4, -1, 0)
		v := m.Cells[0] // divided at a point near its first edge
		m.X, m.Y = append(m.X, (m.X[v[0]]+m.X[v[1]])/2), append(m.Y, height)
		n := int32(len(m.X) - 1)
		m.Cells[0] = [3]int32{v[0], v[1], n}
		m.Cells = append(m.Cells, [3]int32{v[1], v[2], n}, [3]int32{v[2], v[0], n})
		nb, err := m.CheckedNeighbours()
		if err != nil {
			t.Fatal(err)
		}
		notes := m.NoteDefects(nb)
		want := height < .7e-4 // the median height is that of half a square
		if want != (len(notes) == 1 && strings.HasPrefix(notes[0], "cell 0 at (0.5, ")) {
			t.Errorf("height %g: notes %q", height, notes)
		}
	}
}

// Mend repairs tetrahedra too.
func TestMendSolid(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(s *Solid)
		note  string
	}{
		"vertices without cells": {func(s *Solid) {
			s.X, s.Y, s.Z = append(s.X, 3, 4), append(s.Y, 3, 4), append(s.Z, 3, 4)
		}, "left out: 2 vertices in no tetrahedron"},
		"a face off the mesh": {func(s *Solid) { s.Faces = append(s.Faces, TaggedFace{[3]int32{0, 7, 26}, 3}) },
			"left out: 1 tagged face that no tetrahedron has"},
		"one inverted": {func(s *Solid) { s.Cells[5][0], s.Cells[5][1] = s.Cells[5][1], s.Cells[5][0] },
			"turned: 1 tetrahedron of negative volume"},
		"all inverted": {func(s *Solid) {
			for c := range s.Cells {
				s.Cells[c][2], s.Cells[c][3] = s.Cells[c][3], s.Cells[c][2]
			}
		}, "turned: 48 tetrahedra of negative volume"},
		"mirrored": {func(s *Solid) {
			for v := range s.X {
				s.X[v] = -s.X[v]
			}
		}, "turned: 48 tetrahedra of negative volume"},
	} {
		s, err := Cube(2, 2, 2, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		c.spoil(s)
		s.Mend()
		if len(s.Notes) != 1 || s.Notes[0] != c.note {
			t.Errorf("%s: notes %q, want %q", name, s.Notes, c.note)
		}
		if err := s.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		volume := 0.0
		for c := range s.Cells {
			volume += s.Volume(c)
		}
		if math.Abs(volume-1) > 1e-12 {
			t.Errorf("%s: volume %g", name, volume)
		}
	}
}
