package plot

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
)

// TestDryLand checks that dry cells get their own colour and, like films, do not influence the scale of frames, and
// that the user gets a note if the frames lack the masking field.
func TestDryLand(t *testing.T) {
	dir := t.TempDir()
	pvd := vtk.NewCollection(filepath.Join(dir, "bay.pvd"))
	for frame := range 2 {
		x, y, cells := square(0, 2)
		g := vtk.Triangles(x, y, cells)
		film, level := make([]float64, len(cells)), make([]float64, len(cells))
		for i, c := range cells {
			film[i], level[i] = 1, 0.5+float64(frame)
			if x[c[0]] >= 0.5 {
				film[i], level[i] = 0.2, 40 // a film on land
			}
		}
		g.CellData = vtk.Arrays{{Name: "level", Data: level}, {Name: "film", Data: film}}
		name := fmt.Sprintf("bay-%d.vtu", frame)
		if err := vtk.Write(filepath.Join(dir, name), g); err != nil {
			t.Fatal(err)
		}
		if err := pvd.Append(vtk.Frame{Time: float64(frame), File: name}); err != nil {
			t.Fatal(err)
		}
	}
	r, err := newRunner(dir, Options{Frame: AllFrames})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "bay.pvd")
	frames, err := vtk.ReadPVD(path)
	if err == nil {
		err = r.findDryThresholds(filepath.Join(dir, "bay-0.vtu"))
	}
	if err != nil {
		t.Fatal(err)
	}
	spans, err := r.spans(path, frames, []int{0, 1})
	if err != nil || *spans["level"] != (span{0.5, 1.5, 0.5}) || spans["film"].lo != 1 {
		t.Errorf("spans %+v, %v", spans, err)
	}
	low := 0.1
	r.options.DryThreshold = &low
	if spans, err = r.spans(path, frames, []int{0, 1}); err != nil || spans["level"].hi != 40 {
		t.Errorf("with a dry threshold below all films: %+v, %v", spans["level"], err)
	}
	// Films are drawn in the colours of the scale, but do not influence it.
	f := &field{}
	r.dryCells(f, []float64{0, 0.005, 0.5, 1}, []int{1, 2, 3, 0}, false, 0.001)
	if !slices.Equal(f.offScale, []bool{true, false, false, true}) ||
		!slices.Equal(f.dry, []bool{false, false, false, true}) {
		t.Errorf("offScale %v, dry %v", f.offScale, f.dry)
	}
	// Beside a deep sea, water of a few metres is no film.
	f = &field{}
	r.dryCells(f, []float64{0, 0.03, 0.06, 7, 1000}, []int{0, 1, 2, 3, 4}, false, 0.01)
	if !slices.Equal(f.offScale, []bool{true, true, false, false, false}) {
		t.Errorf("beside a deep sea offScale is %v", f.offScale)
	}
	levelOnly := vtk.Array{Name: "level", Components: 1, Data: []float64{1}}
	r.newField(vtk.Arrays{levelOnly}, levelOnly, []int{0})
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], `lack field "film"`) {
		t.Errorf("notes %q", r.Notes)
	}
}

// TestBeyond checks that values of films beyond the colour bar are told with their place, and how to show them, over
// all frames in one note; and that a range of the user has the same note without that advice.
func TestBeyond(t *testing.T) {
	draw := func(o Options, values ...[]float64) []string {
		r := &runner{options: o}
		r.fields = []string{"level"}
		for _, v := range values {
			d := &frameData{x: []float64{0, 3, 3, 0}, y: []float64{0, 0, 3, 3}}
			d.cells = [][3]int32{{0, 1, 2}, {0, 2, 3}, {0, 1, 3}}
			f := &field{name: "level", values: v, offScale: []bool{false, false, true}, dry: make([]bool, 3)}
			if _, err := r.drawField(d, f, "", nil); err != nil {
				t.Fatal(err)
			}
		}
		r.noteBeyond()
		return r.Notes
	}
	const want = "level (m) has values beyond the colour bar, which is from 1 to 2: as far as "
	got := draw(Options{}, []float64{1, 2, 2.3045}, []float64{1, 2, 2.1})
	if len(got) != 1 || got[0] != want+"2.3045 at (1, 1); films do not set it, but --range 1:2.31 shows them" {
		t.Errorf("a film above: %q", got)
	}
	got = draw(Options{Colouring: chart.Colouring{Range: &[2]float64{1, 2}}}, []float64{0.5, 13738, 1})
	if len(got) != 1 || got[0] != want+"0.5 at (2, 1) and 13738 at (1, 2)" {
		t.Errorf("with a range: %q", got)
	}
	if got := draw(Options{}, []float64{1, 2, 1.5}); len(got) > 0 {
		t.Errorf("nothing beyond: %q", got)
	}
}

// TestSolidCells checks that frames have solid cells where the field that tells fluid from solids is 0, with a name of
// their own in the legend, and none without that field.
func TestSolidCells(t *testing.T) {
	r := &runner{}
	p := vtk.Array{Name: "p", Components: 1, Data: []float64{1, 2, 3}}
	fluid := vtk.Array{Name: "fluid", Components: 1, Data: []float64{1, 0, 1}}
	f := r.newField(vtk.Arrays{p, fluid}, p, []int{0, 1, 2})
	if want := []bool{false, true, false}; !slices.Equal(f.dry, want) {
		t.Errorf("solid cells: got %v, want %v", f.dry, want)
	}
	if got := r.colouring(&f, &span{}).Dry; got != "solid" {
		t.Errorf("solid cells are %q in the legend", got)
	}
	if f := r.newField(vtk.Arrays{p}, p, []int{0, 1, 2}); f.dry != nil || len(r.Notes) > 0 {
		t.Errorf("without the field: solid cells %v, notes %q", f.dry, r.Notes)
	}
}
