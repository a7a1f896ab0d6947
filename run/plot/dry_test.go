package plot

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/vtk"
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
	levelOnly := vtk.Array{Name: "level", Components: 1, Data: []float64{1}}
	r.newField(vtk.Arrays{levelOnly}, levelOnly, []int{0})
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], `lack field "film"`) {
		t.Errorf("notes %q", r.Notes)
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
