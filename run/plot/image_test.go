package plot

import (
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/palette"
)

// TestImageWithLines checks that a frame of a grid is drawn cell by cell, with the lines of its .vtp file on top.
func TestImageWithLines(t *testing.T) {
	dir := t.TempDir()
	m := &vtk.Image{Dim: 2, Whole: [3]int{2, 1, 1}, Box: vtk.Box{N: [3]int{2, 1, 1}}, Spacing: [3]float64{1, 1, 0},
		CellData: vtk.Arrays{{Name: "f", Components: 1, Data: []float64{1, -1e-16}},
			{Name: "alpha", Components: 1, Data: []float64{3, 4}}}}
	if err := vtk.WriteImage(filepath.Join(dir, "a.vti"), m); err != nil {
		t.Fatal(err)
	}
	p := &vtk.PolyData{Points: []float64{1.5, 0, 0, 1.5, 1, 0}}
	p.Lines.Add(0, 1)
	if err := vtk.WritePolyData(filepath.Join(dir, "a.vtp"), p); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{"case": "a.vti", "case_vtp": "a.vtp"} {
		if err := vtk.NewCollection(filepath.Join(dir, name+".pvd")).Append(vtk.Frame{File: file}); err != nil {
			t.Fatal(err)
		}
	}
	done, err := Run(dir, Options{})
	if err != nil || len(done.Files) != 1 || filepath.Base(done.Files[0]) != "case-f-0000.png" {
		t.Fatalf("got %+v, error %v, want case-f-0000.png", done, err)
	}
	f, err := os.Open(done.Files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	d := &runner{}
	data, err := d.load(filepath.Join(dir, "a.vti"))
	if err != nil {
		t.Fatal(err)
	}
	m2 := &chart.Map{X: data.x, Y: data.y, Cells: data.cells, Values: data.fields[0].values,
		Colouring: chart.Colouring{Label: "f", Range: &[2]float64{0, 1}}}
	colourAt := func(x, y float64) [3]uint8 {
		p, err := m2.PixelAt(x, y)
		if err != nil {
			t.Fatal(err)
		}
		r, g, b, _ := img.At(p.X, p.Y).RGBA()
		return [3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}
	}
	low, high := palette.Sequential.At(0), palette.Sequential.At(1)
	for _, c := range []struct {
		x    float64
		want [3]uint8
	}{
		{0.5, [3]uint8{high.R, high.G, high.B}}, {1.2, [3]uint8{low.R, low.G, low.B}},
		{1.5, [3]uint8{235, 64, 52}}, {1.8, [3]uint8{low.R, low.G, low.B}},
	} {
		if got := colourAt(c.x, 0.5); got != c.want {
			t.Errorf("colour at x = %g: got %v, want %v", c.x, got, c.want)
		}
	}
}

// TestSlice checks that of a grid in space the middle slice is drawn, with its position in the title, and the section
// of the interface.
func TestSlice(t *testing.T) {
	dir := t.TempDir()
	box := vtk.Box{N: [3]int{2, 2, 3}}
	f := []float64{0, 0, 0, 0, 0.5, 0.6, 0.7, 0.8, 1, 1, 1, 1}
	m := &vtk.Image{Dim: 3, Whole: box.N, Box: box, Origin: [3]float64{0, 0, 1}, Spacing: [3]float64{1, 1, 0.5},
		CellData: vtk.Arrays{{Name: "f", Components: 1, Data: f}}}
	if err := vtk.WriteImage(filepath.Join(dir, "a_0.vti"), m); err != nil {
		t.Fatal(err)
	}
	p := &vtk.PolyData{Points: []float64{0, 0, 1.5, 2, 0, 1.5, 2, 0, 2, 0, 0, 2, 1, 1, 1, 2, 2, 1, 2, 1, 1.2}}
	p.Polys.Add(0, 1, 2, 3)
	p.Polys.Add(4, 5, 6)
	if err := vtk.WritePolyData(filepath.Join(dir, "a_plic_0.vtp"), p); err != nil {
		t.Fatal(err)
	}
	d, err := (&runner{}).load(filepath.Join(dir, "a_0.vti"))
	if err != nil {
		t.Fatal(err)
	}
	if d.slice != " at z = 1.75" || d.count != 12 || len(d.fields) != 1 {
		t.Errorf("slice %q of %d cells, fields %v", d.slice, d.count, d.fields)
	}
	if want := []float64{0.5, 0.5, 0.6, 0.6, 0.7, 0.7, 0.8, 0.8}; !slices.Equal(d.fields[0].values, want) {
		t.Errorf("values %v, want %v", d.fields[0].values, want)
	}
	if want := [][4]float64{{0, 0, 2, 0}}; !slices.Equal(d.lines, want) {
		t.Errorf("lines %v, want %v", d.lines, want)
	}
}

// TestSliceAlongX checks slices normal to any axis, with the right axes, and that a slice outside the grid is refused.
func TestSliceAlongX(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a_0.vti")
	box := vtk.Box{N: [3]int{2, 2, 3}}
	f := make([]float64, 12)
	for i := range f {
		f[i] = float64(i)
	}
	m := &vtk.Image{Dim: 3, Whole: box.N, Box: box, Origin: [3]float64{0, 0, 1}, Spacing: [3]float64{1, 1, 0.5},
		CellData: vtk.Arrays{{Name: "f", Components: 1, Data: f}, {Name: "rank", Data: make([]int32, 12)}}}
	if err := vtk.WriteImage(path, m); err != nil {
		t.Fatal(err)
	}
	for plane, want := range map[Plane][]float64{{0, 1.5}: {1, 3, 5, 7, 9, 11}, {0, 2}: {1, 3, 5, 7, 9, 11},
		{1, 0.2}: {0, 1, 4, 5, 8, 9}, {2, 2.1}: {8, 9, 10, 11}} {
		d, err := (&runner{options: Options{Slice: &plane}}).load(path)
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		for i := 0; i < len(d.fields[0].values); i += 2 {
			got = append(got, d.fields[0].values[i])
		}
		if !slices.Equal(got, want) || d.grid != nil {
			t.Errorf("at %v: %v, want %v", &plane, got, want)
		}
		if a := d.axes; a[0][:1] != string("yxx"[plane.Axis]) || a[1] != string("zzy"[plane.Axis])+" (m)" {
			t.Errorf("at %v the axes are %q", &plane, a)
		}
	}
	_, err := (&runner{options: Options{Slice: &Plane{2, 0.9}}}).load(path)
	if err == nil || !strings.Contains(err.Error(), "z = 0.9 lies outside the grid, which is from 1 to 2.5") {
		t.Errorf("slice below the grid: %v", err)
	}
	d, err := (&runner{}).load(path)
	if err != nil || d.grid == nil {
		t.Fatal(err)
	}
	if _, err := d.drawPartition("", chart.Page{Width: 400}); err != nil {
		t.Errorf("exterior view of the partition: %v", err)
	}
}
