package vtk

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/mesh/vtk/internal/xmldata"
)

// drawGrid draws a grid with arrays of every type: small ones, or ones of several compressed blocks.
func drawGrid(t *rapid.T) *Grid {
	points := rapid.IntRange(0, 40).Draw(t, "points")
	if rapid.IntRange(0, 9).Draw(t, "large") == 9 {
		points += 2 * xmldata.BlockBytes / 24
	}
	g := &Grid{}
	for i := range points {
		g.Points = append(g.Points, float64(i), -1/float64(i), math.Sqrt(float64(i)))
	}
	if points > 0 {
		for range rapid.IntRange(0, 30).Draw(t, "cells") {
			ids := rapid.SliceOfN(rapid.Int64Range(0, int64(points-1)), 0, 6).Draw(t, "ids")
			g.Connectivity = append(g.Connectivity, ids...)
			g.Offsets = append(g.Offsets, int64(len(g.Connectivity)))
			g.Types = append(g.Types, uint8(rapid.IntRange(1, 41).Draw(t, "type")))
		}
	}
	add := func(list *Arrays, name string, width, n int, data any) {
		if n > 0 {
			*list = append(*list, Array{Name: name, Components: width, Data: data})
		}
	}
	width := rapid.IntRange(1, 3).Draw(t, "width")
	n := len(g.Types)
	add(&g.CellData, `quotes " & <angles>`, width, n, drawSlice[int8](t, width*n))
	add(&g.CellData, "uint8", width, n, drawSlice[uint8](t, width*n))
	add(&g.CellData, "int16", width, n, drawSlice[int16](t, width*n))
	add(&g.CellData, "uint16", width, n, drawSlice[uint16](t, width*n))
	add(&g.CellData, "höhe", width, n, drawSlice[int32](t, width*n))
	add(&g.PointData, "uint32", width, points, drawSlice[uint32](t, width*points))
	add(&g.PointData, "int64", width, points, drawSlice[int64](t, width*points))
	add(&g.PointData, "uint64", width, points, drawSlice[uint64](t, width*points))
	add(&g.FieldData, "float32", 1, 7, drawSlice[float32](t, 7))
	add(&g.FieldData, "float64", 2, 3, drawSlice[float64](t, 6))
	return g
}

func drawSlice[T xmldata.Number](t *rapid.T, n int) []T {
	a, b := rapid.Uint64().Draw(t, "a"), rapid.Uint64().Draw(t, "b")
	s := make([]T, n)
	for i := range s {
		s[i] = T(a + uint64(i)*b)
	}
	return s
}

func TestWriteReadRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.vtu")
	rapid.Check(t, func(t *rapid.T) {
		want := drawGrid(t)
		if err := Write(path, want); err != nil {
			t.Fatal(err)
		}
		got, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got\n%+v, want\n%+v", got, want)
		}
	})
}

// The bytes of a file do not depend on the number of threads that compress it.
func TestBytesDoNotDependOnThreads(t *testing.T) {
	g := &Grid{Points: make([]float64, 3*5*xmldata.BlockBytes/8)}
	for i := range g.Points {
		g.Points[i] = math.Sqrt(float64(i))
	}
	var files [][]byte
	for _, threads := range []int{1, 3} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		path := filepath.Join(t.TempDir(), "g.vtu")
		if err := Write(path, g); err != nil {
			t.Fatal(err)
		}
		files = append(files, read(t, path))
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("1 and 3 threads write different files, want the same")
	}
}

func TestWriteRefusals(t *testing.T) {
	for _, c := range []struct {
		want    string
		corrupt func(g *Grid)
	}{
		{"not a multiple of 3", func(g *Grid) { g.Points = g.Points[1:] }},
		{"28 cell types for 29 cells", func(g *Grid) { g.Types = g.Types[1:] }},
		{"cell 4 refers to point 20", func(g *Grid) { g.Connectivity[8] = 20 }},
		{"cell 4 refers to point -1", func(g *Grid) { g.Connectivity[8] = -1 }},
		{"cell 3 ends at entry 0", func(g *Grid) { g.Offsets[3] = 0 }},
		{"the cells use 80", func(g *Grid) { g.Offsets[28] = 80 }},
		{`"velocity" of the point data has 60 values`, func(g *Grid) { g.PointData[0].Components = 2 }},
		{`"depth" of the cell data has 1 values`, func(g *Grid) { g.CellData[1].Data = []float64{1} }},
		{"type []string cannot be stored", func(g *Grid) { g.FieldData[0].Data = []string{"a"} }},
		{"two arrays named", func(g *Grid) { g.CellData[0].Name = "depth" }},
		{"not empty", func(g *Grid) { g.CellData[0].Name = "" }},
		{"control characters", func(g *Grid) { g.CellData[0].Name = "a\x01" }},
	} {
		g := madeGrid()
		c.corrupt(g)
		path := filepath.Join(t.TempDir(), "g.vtu")
		err := Write(path, g)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%v; want %q", err, c.want)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: the file exists, want none after an error", c.want)
		}
	}
}

// TestCheckedCells proves that a grid whose cells were checked is written, also with as many other points, and refused
// with fewer points than its cells have.
func TestCheckedCells(t *testing.T) {
	g := madeGrid()
	if err := g.CheckCells(g.points() - 1); err == nil {
		t.Error("cells with the last point are good for fewer points")
	}
	if err := g.CheckCells(g.points()); err != nil {
		t.Fatal(err)
	}
	moved := *g
	moved.Points = slices.Clone(g.Points)
	moved.Points[0]++
	if err := Write(filepath.Join(t.TempDir(), "moved.vtu"), &moved); err != nil {
		t.Error(err)
	}
	fewer := *g
	fewer.Points, fewer.PointData = g.Points[3:], nil
	err := Write(filepath.Join(t.TempDir(), "fewer.vtu"), &fewer)
	if err == nil || !strings.Contains(err.Error(), "refers to point") {
		t.Errorf("%v; want a refusal of the cells", err)
	}
}

func TestIndexOfWrittenPieces(t *testing.T) {
	dir := t.TempDir()
	g := madeGrid()
	for _, name := range []string{"0.vtu", "1.vtu"} {
		if err := Write(filepath.Join(dir, name), g); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "g.pvtu")
	if err := WritePVTU(path, []string{"0.vtu", "1.vtu"}, g); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Types) != 2*madeCells || got.Cell(madeCells)[0] != madePoints {
		t.Errorf("%d cells, the first of piece 1 with points %v; want %d cells and first point %d", len(got.Types),
			got.Cell(madeCells), 2*madeCells, madePoints)
	}
	for _, bad := range [][]string{{"a", "a"}, {""}, {"a\xff"}} {
		if err := WritePVTU(path, bad, g); err == nil {
			t.Errorf("WritePVTU accepts the pieces %q, want an error", bad)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	g := waveGrid(500)
	path := filepath.Join(b.TempDir(), "g.vtu")
	b.SetBytes(int64(8*len(g.Points) + 4*len(g.Connectivity) + 13*len(g.Types)))
	for b.Loop() {
		if err := Write(path, g); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	g := waveGrid(500)
	path := filepath.Join(b.TempDir(), "g.vtu")
	if err := Write(path, g); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(8*len(g.Points) + 4*len(g.Connectivity) + 13*len(g.Types)))
	for b.Loop() {
		if _, err := Read(path); err != nil {
			b.Fatal(err)
		}
	}
}

// waveGrid is a grid of 2 n² triangles with a smooth cell field.
func waveGrid(n int) *Grid {
	var x, y, h []float64
	var cells [][3]int32
	for j := range n + 1 {
		for i := range n + 1 {
			x, y = append(x, float64(i)), append(y, float64(j))
		}
	}
	for j := range n {
		for i := range n {
			a := int32(j*(n+1) + i)
			b := a + int32(n) + 1
			cells = append(cells, [3]int32{a, a + 1, b + 1}, [3]int32{a, b + 1, b})
			h = append(h, math.Sin(float64(i)/10), math.Cos(float64(j)/10))
		}
	}
	g := Triangles(x, y, cells)
	g.CellData = Arrays{{Name: "h", Data: h}}
	return g
}
