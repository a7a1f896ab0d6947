package mesh

import "testing"

// A vertex beyond its neighbours turns cells over, which is a fault but of places alone; a cell given twice is another.
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
		if rings.Around[v] == Inside {
			m.X[v] += 0.7
			break
		}
	}
	if m.Check() == nil || m.CheckTangled() != nil {
		t.Error(m.Check(), m.CheckTangled())
	}
	if m.Cells = append(m.Cells, m.Cells[0]); m.CheckTangled() == nil {
		t.Error("a cell given twice is accepted")
	}
}
