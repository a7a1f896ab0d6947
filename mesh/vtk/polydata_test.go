package vtk

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// cube is the surface of the unit cube with outward normals; withLines adds two lines and a vertex.
func cube(withLines bool) *PolyData {
	p := &PolyData{}
	for i := range 8 {
		p.Points = append(p.Points, float64(i&1), float64(i>>1&1), float64(i>>2))
	}
	for _, q := range [][]int64{{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}} {
		p.Polys.Add(q...)
	}
	if withLines {
		p.Verts.Add(7)
		p.Lines.Add(0, 7)
		p.Lines.Add(1, 2, 4)
	}
	var id []int32
	for i := range p.cells() {
		id = append(id, int32(10*i))
	}
	p.CellData = Arrays{{Name: "id", Components: 1, Data: id}}
	p.PointData = Arrays{{Name: "at", Components: 3, Data: p.Points}}
	return p
}

func TestVTKReadsPolyData(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one.vtp"), filepath.Join(dir, "two.vtp")
	none, index := filepath.Join(dir, "none.vtp"), filepath.Join(dir, "all.pvtp")
	whole := cube(true)
	whole.FieldData = Arrays{{Name: "TimeValue", Components: 1, Data: []float64{2}}}
	for path, p := range map[string]*PolyData{one: whole, two: cube(false), none: {}} {
		if err := WritePolyData(path, p); err != nil {
			t.Fatal(err)
		}
	}
	// Cells are the vertex (7), the lines (0 7, 1 2 4) and the squares. Their VTK types are 1, 3, 4 and 9.
	ids, sum := []int{7, 0, 7, 1, 2, 4}, 0
	for _, p := range cube(true).Polys.Connectivity {
		ids = append(ids, int(p))
	}
	for i, id := range ids {
		sum += (i + 1) * id
	}
	got := askVTK(t, one)
	for _, want := range []string{"8 9 error 0\n", "at double 3 8 ", "id int 1 9 2400\n", "TimeValue double 1 1 2\n",
		"bounds 0 1 0 1 0 1\n", "types 62\n", "ids " + strconv.Itoa(sum) + " "} {
		if !strings.Contains(got, want) {
			t.Errorf("VTK reads\n%swant %q", got, want)
		}
	}
	askVTK(t, none)
	if err := WritePVTP(index, []string{"one.vtp", "two.vtp"}, whole); err != nil {
		t.Fatal(err)
	}
	if got := askVTK(t, index); !strings.HasPrefix(got, "16 15 error 0\n") {
		t.Errorf("VTK reads from the index\n%s, want 16 points and 15 cells", got)
	}
}

func TestWritePolyDataRefusals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.vtp")
	for name, c := range map[string]struct {
		change func(p *PolyData)
		want   string
	}{
		"incomplete point":      {func(p *PolyData) { p.Points = p.Points[1:] }, "multiple of 3"},
		"point id out of range": {func(p *PolyData) { p.Polys.Add(0, 1, 8) }, "Polys: cell 6 refers to point 8"},
		"polygon of 2 points":   {func(p *PolyData) { p.Polys.Add(0, 1) }, "Polys: cell 6 has 2 points"},
		"line of 1 point":       {func(p *PolyData) { p.Lines.Add(0) }, "Lines: cell 2 has 1 points"},
		"vertex of 0 points":    {func(p *PolyData) { p.Verts.Add() }, "Verts: cell 1 has 0 points"},
		"unused entries": {func(p *PolyData) { p.Verts.Connectivity = append(p.Verts.Connectivity, 1) },
			"the cells use 1"},
		"data too short": {func(p *PolyData) { p.Verts.Add(1) }, `"id" of the cell data`},
	} {
		p := cube(true)
		c.change(p)
		err := WritePolyData(path, p)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

func TestVTKReadsSTL(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cube.stl")
	if err := WriteSTL(path, cube(false)); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != 84+12*50 {
		t.Errorf("file %v, error %v; want %d bytes", info, err, 84+12*50)
	}
	got := askVTK(t, path)
	if !strings.HasPrefix(got, "8 12 error 0\n") || !strings.Contains(got, "types 60\nbounds 0 1 0 1 0 1\n") {
		t.Errorf("VTK reads\n%s, want 8 points and 12 triangles", got)
	}
}

// Normals follow the right-hand rule and have length 1 for triangles of any size; they are 0 for triangles of zero
// area.
func TestNormalsOfTriangles(t *testing.T) {
	for _, size := range []float64{1e-300, 1, 1e30} {
		if n := normal([3]float64{0, 0, 0}, [3]float64{size, 0, 0}, [3]float64{0, size, 0}); n != [3]float64{0, 0, 1} {
			t.Errorf("size %g: normal %v, want (0, 0, 1)", size, n)
		}
	}
	p := [3]float64{1, 2, 3}
	if n := normal(p, p, p); n != [3]float64{} {
		t.Errorf("three equal points: normal %v, want 0", n)
	}
	if n := normal([3]float64{}, p, [3]float64{2, 4, 6}); n != [3]float64{} {
		t.Errorf("three points on a line: normal %v, want 0", n)
	}
}

func TestWriteSTLRefusals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.stl")
	for name, c := range map[string]struct {
		change func(p *PolyData)
		want   string
	}{
		"lines":               {func(p *PolyData) { p.Lines.Add(0, 1) }, "polygons only"},
		"NaN":                 {func(p *PolyData) { p.Points[4] = math.NaN() }, "point 1"},
		"too large":           {func(p *PolyData) { p.Points[7] = -1e39 }, "point 2 has the coordinate -1e+39"},
		"polygon of 2 points": {func(p *PolyData) { p.Polys.Add(1, 2) }, "2 points"},
	} {
		p := cube(false)
		c.change(p)
		if err := WriteSTL(path, p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}
