package problem

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestVOFPlanesInFiles proves that the planes in the files of several ranks have the total size in the summary, and
// the fields of their cells.
func TestVOFPlanesInFiles(t *testing.T) {
	for dim, text := range map[int]string{2: swirl, 3: shearedBody} {
		dir := t.TempDir()
		s, err := runtest.Run(t, text, 4, 1, runtest.Local, dir, `output.format=["vtp", "plic"]`)
		if err != nil {
			t.Fatal(err)
		}
		frames, err := vtk.ReadPVD(filepath.Join(dir, "case_plic.pvd"))
		if err != nil || len(frames) != 2 {
			t.Fatal(frames, err)
		}
		p, err := vtk.ReadPolyData(filepath.Join(dir, frames[1].File))
		if err != nil {
			t.Fatal(err)
		}
		cells := &p.Polys
		if dim == 2 {
			cells = &p.Lines
		}
		f, _ := p.CellData.Find("f")
		normal, _ := p.CellData.Find("normal")
		alpha, found := p.CellData.Find("alpha")
		if !found || alpha.Components != 1 || normal.Components != 3 {
			t.Fatalf("arrays %v", p.CellData)
		}
		size := 0.0
		for i := range cells.Len() {
			area := areaVector(p, cells.Cell(i))
			n, part := [3]float64(normal.Float64s()[3*i:]), 0.0
			for d := range 3 {
				part += area[d] * n[d] // the whole area, since both vectors should be parallel
			}
			size += part
			if v := f.Float64s()[i]; !(v > 0 && v < 1) {
				t.Errorf("polygon %d of a cell with f = %g", i, v)
			}
		}
		if want := s.Metrics["interface_size"]; !(math.Abs(size-want) < 1e-12*want) {
			t.Errorf("%d dimensions: a size of %.17g, in the summary %.17g", dim, size, want)
		}
	}
}

// TestVOFCurvatureInFiles proves that the curvature of a disk in the files is one over its radius, on cells and on
// lines, and that its output does not change the state.
func TestVOFCurvatureInFiles(t *testing.T) {
	const radius = 0.25
	circle := []string{`initial.shape="circle(0.5, 0.5, 0.25)"`, "grid.cells=[64, 64]", "time.max_steps=1"}
	plain, err := runtest.Run(t, swirl, 4, 1, runtest.Local, t.TempDir(), circle...)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s, err := runtest.Run(t, swirl, 4, 1, runtest.Local, dir, append(circle, `output.format=["plic", "vti"]`,
		`output.fields=["f", "curvature"]`)...)
	if err != nil {
		t.Fatal(err)
	}
	if s.StateSHA256 != plain.StateSHA256 {
		t.Errorf("state %.12s, without curvature %.12s", s.StateSHA256, plain.StateSHA256)
	}
	p, err := vtk.ReadPolyData(filepath.Join(dir, "frames", "case_plic_000000.vtp"))
	if err != nil {
		t.Fatal(err)
	}
	c, _ := p.CellData.Find("curvature")
	if len(c.Float64s()) == 0 {
		t.Fatal("no lines")
	}
	for i, k := range c.Float64s() {
		if math.Abs(k-1/radius) > 0.02/radius {
			t.Errorf("line %d: got curvature %g, want %g", i, k, 1/radius)
		}
	}
}

// areaVector is the area vector of a polygon; of a segment it is the normal to its right with its length.
func areaVector(p *vtk.PolyData, points []int64) (a [3]float64) {
	vertex := func(k int) [3]float64 { return [3]float64(p.Points[3*points[k]:]) }
	o := vertex(0)
	if len(points) == 2 {
		return [3]float64{vertex(1)[1] - o[1], o[0] - vertex(1)[0], 0}
	}
	for k := 1; k+1 < len(points); k++ {
		u, v := vertex(k), vertex(k+1)
		for d := range 3 {
			e, g := (d+1)%3, (d+2)%3
			a[d] += ((u[e]-o[e])*(v[g]-o[g]) - (u[g]-o[g])*(v[e]-o[e])) / 2
		}
	}
	return a
}
