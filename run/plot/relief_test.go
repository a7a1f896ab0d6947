package plot

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
)

// writeHill writes a frame of a slope that faces the north-west, with a film on its upper half and water of some depth
// on the lower one.
func writeHill(t *testing.T, path string, deep float64) {
	t.Helper()
	x, y, cells := square(0, 8)
	g := vtk.Triangles(x, y, cells)
	bed, film := make([]float64, len(cells)), make([]float64, len(cells))
	for i, c := range cells {
		px, py := (x[c[0]]+x[c[1]]+x[c[2]])/3, (y[c[0]]+y[c[1]]+y[c[2]])/3
		bed[i], film[i] = px-py, deep
		if px > py {
			film[i] = .2
		}
	}
	g.CellData = vtk.Arrays{{Name: "film", Data: film}, {Name: "bed", Data: bed}}
	if err := vtk.Write(path, g); err != nil {
		t.Fatal(err)
	}
}

// TestReliefAndFilms: the ground under films is brighter where it faces the light; a threshold that hides all the water
// of the frames is lowered, and the legend names one of films.
func TestReliefAndFilms(t *testing.T) {
	dir := t.TempDir()
	first, path := filepath.Join(dir, "first.vtu"), filepath.Join(dir, "hill.vtu")
	writeHill(t, first, 5)
	for deep, want := range map[float64]float64{5: 1.25, .6: .06} {
		writeHill(t, path, deep)
		r, err := newRunner(dir, Options{})
		if err == nil {
			err = r.findDryThresholds(first, path)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := r.dryThreshold("film"); got != want {
			t.Errorf("threshold %g of water of %g m, want %g", got, deep, want)
		}
		d, err := r.load(path)
		if err != nil || len(d.relief) == 0 || d.relief[0] < 1.05 {
			t.Errorf("relief %v, %v", d.relief, err)
		}
		if c := r.colouring(&field{name: "film"}, nil); !strings.HasPrefix(c.Dry, "film < ") {
			t.Errorf("legend %q", c.Dry)
		}
		m := chart.Map{X: d.x, Y: d.y, Cells: d.cells, Values: d.fields[0].values, Dry: d.fields[0].dry, Relief: d.relief}
		if _, err := m.Draw(); err != nil {
			t.Error(err)
		}
	}
}
