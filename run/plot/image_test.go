package plot

import (
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// A frame of a grid is drawn cell by cell, with the lines of its .vtp file over it.
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
	files, err := Run(dir, Options{})
	if err != nil || len(files) != 1 || filepath.Base(files[0]) != "case-f-0000.png" {
		t.Fatal(files, err)
	}
	f, err := os.Open(files[0])
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
	page, err := newFrame(data.x, data.y, data.cells, 0)
	if err != nil {
		t.Fatal(err)
	}
	at := func(x, y float64) [3]uint8 {
		r, g, b, _ := img.At(page.area.Min.X+int((x-page.view.x0)*page.view.scale),
			page.area.Min.Y+int((page.view.y1-y)*page.view.scale)).RGBA()
		return [3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}
	}
	low, high := Sequential.At(0), Sequential.At(1)
	for _, c := range []struct {
		x    float64
		want [3]uint8
	}{
		{0.5, [3]uint8{high.R, high.G, high.B}}, {1.2, [3]uint8{low.R, low.G, low.B}},
		{1.5, [3]uint8{lineInk.R, lineInk.G, lineInk.B}}, {1.8, [3]uint8{low.R, low.G, low.B}},
	} {
		if got := at(c.x, 0.5); got != c.want {
			t.Errorf("at x = %g: %v instead of %v", c.x, got, c.want)
		}
	}
}

// Of a grid in space the slice in the middle is drawn, with the lines in which its plane cuts the interface, and says
// where that is.
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

// TestLongLabels: labels of the vertical axis are not cut off where they are long, as far from the origin.
func TestLongLabels(t *testing.T) {
	for _, c := range []struct{ y0, y1 float64 }{{0, 1}, {5412340, 5412340.5}, {1e8, 1e8 + 1e-3}, {-1e-30, 1e-30}} {
		x := []float64{0, c.y1 - c.y0, 0}
		f, err := newFrame(x, []float64{c.y0, c.y0, c.y1}, [][3]int32{{0, 1, 2}}, 600)
		if err != nil {
			t.Fatal(err)
		}
		if left := f.area.Min.X - f.px(tickLength+7) - f.widest(f.upright()); left < f.px(16) {
			t.Errorf("labels of y from %g to %g begin at pixel %d", c.y0, c.y1, left)
		}
		if f.img.Bounds().Dx() > 600 {
			t.Errorf("y from %g to %g: %d pixels wide", c.y0, c.y1, f.img.Bounds().Dx())
		}
	}
}
