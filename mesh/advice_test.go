package mesh

import (
	"strings"
	"testing"
)

// What a check advises about clockwise cells and vertices at the same position leaves no faults; a repair that leaves
// some is not advised alone.
func TestAdviceWorks(t *testing.T) {
	interior := func(m *Mesh) (inside []int) {
		rings, err := m.Rings()
		if err != nil {
			t.Fatal(err)
		}
		for v := range m.X {
			if rings.Class[v] == Interior {
				inside = append(inside, v)
			}
		}
		return inside
	}
	slit := func(m *Mesh) { // a corner of a cell becomes a vertex of its own
		m.X, m.Y = append(m.X, m.X[m.Cells[7][1]]), append(m.Y, m.Y[m.Cells[7][1]])
		m.Cells[7][1] = int32(len(m.X) - 1)
	}
	turn := func(m *Mesh, c int) { m.Cells[c][0], m.Cells[c][1] = m.Cells[c][1], m.Cells[c][0] }
	for name, c := range map[string]struct {
		change        func(m *Mesh)
		merge, orient bool // what is advised
		tangled       bool
	}{
		"turned cell":           {func(m *Mesh) { turn(m, 3) }, false, true, false},
		"slit":                  {slit, true, false, false},
		"slit, turned":          {func(m *Mesh) { slit(m); turn(m, 3) }, true, false, false},
		"beyond its neighbours": {func(m *Mesh) { m.X[interior(m)[0]] += .7 }, false, false, true},
		"beyond its neighbours, and two at one position": {func(m *Mesh) {
			in := interior(m)
			m.X[in[0]] += .7
			m.X[in[5]], m.Y[in[5]] = m.X[in[9]], m.Y[in[9]]
		}, false, false, true},
	} {
		m, err := Rectangle(0, 0, 1, 1, 100, 1)
		if err != nil {
			t.Fatal(err)
		}
		m.Tagged, m.Groups = nil, nil
		c.change(m)
		fault := m.Check()
		if fault == nil {
			t.Errorf("%s: no fault", name)
			continue
		}
		merge, orient := strings.Contains(fault.Error(), "--merge-duplicates"), strings.Contains(fault.Error(), "--orient")
		if merge != c.merge || orient != c.orient || (m.CheckTangled() == nil) != c.tangled {
			t.Errorf("%s: tangled %v, advice %v", name, m.CheckTangled(), fault)
		}
		if merge {
			if _, _, err := m.MergeDuplicates(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if orient {
			if _, err := m.Orient(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if m.Mend(); (merge || orient) && m.Check() != nil {
			t.Errorf("%s: advised %v, left %v", name, fault, m.Check())
		}
	}
	s, err := Box([3]float64{}, [3]float64{1, 1, 1}, 300, 7)
	if err != nil {
		t.Fatal(err)
	}
	s.Cells[5][0], s.Cells[5][1] = s.Cells[5][1], s.Cells[5][0]
	if err := s.Check(); err == nil || !strings.Contains(err.Error(), "--orient") {
		t.Errorf("a turned tetrahedron: %v", err)
	}
	s.Cells[5][0], s.Cells[5][1] = s.Cells[5][1], s.Cells[5][0]
	free, err := s.Freedoms()
	if err != nil {
		t.Fatal(err)
	}
	for v := range free {
		if free[v].Axes == 3 {
			s.X[v] += .9
			break
		}
	}
	if err := s.Check(); err == nil || strings.Contains(err.Error(), "--orient") {
		t.Errorf("tetrahedra with a vertex beyond others: %v", err)
	}
}

// A sliver among tetrahedra is noted, as a flat triangle in the plane is; other meshes have no note.
func TestNoteOfSliver(t *testing.T) {
	s := &Solid{X: []float64{0, 1, 1, 0, .5}, Y: []float64{0, 0, 1, 1, .5}, Z: []float64{0, 1e-7, 0, 1e-7, 1},
		Cells: [][4]int32{{0, 1, 2, 4}, {0, 2, 3, 4}, {0, 2, 1, 3}}}
	box, err := Box([3]float64{}, [3]float64{1, 1, 1}, 300, 7)
	if err != nil {
		t.Fatal(err)
	}
	plane, err := Rectangle(0, 0, 1, 1, 50, 1)
	if err != nil {
		t.Fatal(err)
	}
	skin, err := box.Skin()
	if err != nil {
		t.Fatal(err)
	}
	nb, err := plane.Neighbours()
	if err != nil {
		t.Fatal(err)
	}
	if notes := append(box.NoteDefects(skin), plane.NoteDefects(nb)...); notes != nil {
		t.Errorf("good meshes have notes %q", notes)
	}
	notes := s.NoteDefects(nil)
	const want = "cell 2 at (0.5, 0.5, 5e-08) is nearly flat: its height is 2e-07,"
	if len(notes) != 1 || !strings.HasPrefix(notes[0], want) ||
		!strings.HasSuffix(notes[0], "mesh the domain again there") {
		t.Errorf("notes %q", notes)
	}
}
