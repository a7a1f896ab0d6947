package mesh

import "testing"

// CheckTangled accepts inverted cells, but not a cell given twice.
func TestCheckTangled(t *testing.T) {
	m, err := Rectangle(0, 0, 1, 1, 50, 1)
	if err != nil {
		t.Fatal(err)
	}
	rings, err := m.Rings()
	if err != nil {
		t.Fatal(err)
	}
	for v := range m.X {
		if rings.Class[v] == Interior {
			m.X[v] += 0.7 // beyond its neighbours
			break
		}
	}
	if m.Check() == nil || m.CheckTangled() != nil {
		t.Errorf("with inverted cells, Check gives %v and CheckTangled %v, want an error and nil", m.Check(),
			m.CheckTangled())
	}
	if m.Cells = append(m.Cells, m.Cells[0]); m.CheckTangled() == nil {
		t.Error("CheckTangled accepts a cell given twice, want an error")
	}
}
