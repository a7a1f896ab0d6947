package run

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// The planes in the files of several ranks have the size that the summary tells, and the fields of their cells.
func TestVOFPlanesInFiles(t *testing.T) {
	for dim, text := range map[int]string{2: swirl, 3: flatten} {
		dir := t.TempDir()
		s, err := smoothOn(t, text, 4, 1, openLocal, dir, `output.format=["vtp", "plic"]`)
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
				part += area[d] * n[d] // the whole size where the two are parallel, as they should be
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

// areaVector is as long as a polygon is large and at right angles to it; of a segment it is as long, and to its right.
func areaVector(p *vtk.PolyData, points []int64) (a [3]float64) {
	at := func(k int) [3]float64 { return [3]float64(p.Points[3*points[k]:]) }
	o := at(0)
	if len(points) == 2 {
		return [3]float64{at(1)[1] - o[1], o[0] - at(1)[0], 0}
	}
	for k := 1; k+1 < len(points); k++ {
		u, v := at(k), at(k+1)
		for d := range 3 {
			e, g := (d+1)%3, (d+2)%3
			a[d] += ((u[e]-o[e])*(v[g]-o[g]) - (u[g]-o[g])*(v[e]-o[e])) / 2
		}
	}
	return a
}
