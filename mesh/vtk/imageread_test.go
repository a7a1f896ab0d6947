package vtk

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/mesh/vtk/internal/xmldata"
)

func TestImageRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.vti")
	rapid.Check(t, func(t *rapid.T) {
		m := Image{Dim: rapid.IntRange(2, 3).Draw(t, "dimensions"), Spacing: [3]float64{1, 1, 1}}
		m.Whole, m.N = [3]int{1, 1, 1}, [3]int{1, 1, 1}
		for a := range 3 {
			m.Origin[a] = rapid.Float64Range(-1e6, 1e6).Draw(t, "origin")
			if a == m.Dim {
				break
			}
			m.Spacing[a] = rapid.Float64Range(1e-9, 1e9).Draw(t, "spacing")
			m.Whole[a] = rapid.IntRange(1, 12).Draw(t, "cells")
			m.Lo[a] = rapid.IntRange(0, m.Whole[a]-1).Draw(t, "first")
			m.N[a] = rapid.IntRange(1, m.Whole[a]-m.Lo[a]).Draw(t, "cells here")
		}
		want := m.part(m.Box)
		want.FieldData = Arrays{{Name: "t", Components: 2, Data: []float64{1, 2}}}
		if err := WriteImage(path, want); err != nil {
			t.Fatal(err)
		}
		got, err := ReadImage(path)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got\n%+v, want\n%+v", got, want)
		}
	})
}

// ReadImage assembles the whole image from an index and its pieces.
func TestReadImageAssemblesPieces(t *testing.T) {
	for dim := 2; dim <= 3; dim++ {
		want := wholeImage(dim)
		if dim == 2 {
			want.Spacing[2] = 1 // as it is written
		}
		got, err := ReadImage(writePieces(t, t.TempDir(), want))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d dimensions: got\n%+v, want\n%+v", dim, got, want)
		}
	}
}

// ReadImage reads files that VTK wrote, whose extents do not begin at 0.
func TestReadImageOfVTK(t *testing.T) {
	for file, whole := range map[string][3]int{"flat.vti": {4, 3, 1}, "deep.vti": {4, 3, 2}, "deep.pvti": {4, 3, 2}} {
		m, err := ReadImage("testdata/" + file)
		if err != nil {
			t.Error(err)
			continue
		}
		origin := [3]float64{1 + 3*0.5, 2 - 0.25, 3}
		if m.Dim == 3 {
			origin[2] += 4 * 2
		}
		if m.Whole != whole || m.Box != (Box{N: whole}) || m.Origin != origin || m.Spacing != [3]float64{0.5, 0.25, 2} {
			t.Errorf("%s: %v cells, spacing %v, origin %v", file, m.Whole, m.Spacing, m.Origin)
		}
		number, _ := m.CellData.Find("number")
		for i, v := range number.Float64s() {
			if v != float64(i) {
				t.Errorf("%s: cell %d has the value %g, want %d", file, i, v, i)
			}
		}
		corner, _ := m.PointData.Find("corner")
		for c, v := range corner.Data.([]int32) {
			i, j, k := c%5, c/5%4, c/20
			want := 3 + i + 100*(j-1)
			if m.Dim == 3 {
				want += 10000 * (4 + k)
			}
			if int(v) != want {
				t.Errorf("%s: corner %d has %d, want %d", file, c, v, want)
			}
		}
		if number.Tuples() != m.Cells() || corner.Tuples() != m.Points() {
			t.Errorf("%s: %d and %d values", file, number.Tuples(), corner.Tuples())
		}
	}
}

// ReadImage refuses valid files in which one entry has been made invalid.
func TestReadImageRefusals(t *testing.T) {
	flat, index := string(read(t, "testdata/flat.vti")), string(read(t, "testdata/deep.pvti"))
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "pieces"), os.DirFS("testdata/pieces")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pieces", "self.pvti"), []byte(index), 0o666); err != nil {
		t.Fatal(err)
	}
	edit := strings.NewReplacer
	for name, c := range map[string]struct {
		file string
		edit *strings.Replacer
		want string
	}{
		"no whole extent": {flat, edit(`WholeExtent="3 7 -1 2 0 0"`, ``), "not six numbers"},
		"a short extent":  {flat, edit(`WholeExtent="3 7 -1 2 0 0"`, `WholeExtent="3 7 -1 2"`), "not six numbers"},
		"a long number": {flat, edit(`WholeExtent="3 7 -1 2 0 0"`, `WholeExtent="3 7 -1 2 0 5000000000"`),
			"32 bits"},
		"flat along x": {flat, edit(`WholeExtent="3 7 -1 2 0 0"`, `WholeExtent="3 3 -1 2 0 0"`), "[0 3 1] cells"},
		"a very large one": {flat, edit(`WholeExtent="3 7 -1 2 0 0"`, `WholeExtent="3 2000000000 -1 2000000000 0 0"`),
			"cells in 2"},
		"a piece out of range":   {flat, edit(`Extent="3 7 -1 2 0 0">`, `Extent="3 8 -1 2 0 0">`), "piece 0"},
		"a piece of 3D":          {flat, edit(`Extent="3 7 -1 2 0 0">`, `Extent="3 7 -1 2 0 1">`), "piece 0"},
		"a rotated image":        {flat, edit(`Direction="1 0 0`, `Direction="0 1 0`), "rotated images"},
		"spacing of 0":           {flat, edit(`Spacing="0.5 0.25 2"`, `Spacing="0.5 0 2"`), "positive spacing"},
		"spacing of two":         {flat, edit(`Spacing="0.5 0.25 2"`, `Spacing="0.5 2"`), "not three numbers"},
		"an origin of words":     {flat, edit(`Origin="1 2 3"`, `Origin="1 2 x"`), "not three numbers"},
		"fewer data":             {flat, edit(`Extent="3 7 -1 2 0 0">`, `Extent="3 6 -1 2 0 0">`), "want"},
		"another type":           {flat, edit(`type="ImageData"`, `type="PolyData"`), "PolyData"},
		"an index of nothing":    {index, edit(`<Piece`, `<Nothing`), "0 cells in total"},
		"a missing piece":        {index, edit(`<Piece Extent="5 7 -1 1 4 6" Source="pieces/1.vti"/>`, ``), "in total"},
		"a piece twice":          {index, edit(`pieces/1.vti`, `pieces/0.vti`), "listed twice"},
		"pieces exchanged":       {index, edit("pieces/0", "pieces/1", "pieces/1", "pieces/0"), "its index has"},
		"a piece that is absent": {index, edit(`pieces/3.vti`, `pieces/7.vti`), "7.vti"},
		"an index as a piece":    {index, edit(`pieces/3.vti`, `pieces/self.pvti`), "PImageData"},
		"ghost levels":           {index, edit(`GhostLevel="0"`, `GhostLevel="1"`), "GhostLevel"},
	} {
		edited := c.edit.Replace(c.file)
		if edited == c.file {
			t.Errorf("%s: the edit does not change the file", name)
		}
		path := filepath.Join(dir, "edited")
		if err := os.WriteFile(path, []byte(edited), 0o666); err != nil {
			t.Fatal(err)
		}
		if m, err := ReadImage(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q; %+v", name, err, c.want, m)
		}
	}
}

func FuzzVTI(f *testing.F) {
	for _, file := range []string{"flat.vti", "deep.vti", "pieces/1.vti"} {
		f.Add(read(f, "testdata/"+file))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		root, appended, err := xmldata.ParseTree(data, "ImageData")
		if err != nil {
			return
		}
		m, err := parseImage(data, root, appended)
		if err != nil {
			return
		}
		if err := m.checkGrid(); err != nil {
			t.Fatal(err)
		}
		tuplesFit(t, m.PointData, m.Points())
		tuplesFit(t, m.CellData, m.Cells())
	})
}

// tuplesFit fails the test if an array does not have n tuples.
func tuplesFit(t *testing.T, list Arrays, n int) {
	t.Helper()
	for _, a := range list {
		if a.Tuples() != n {
			t.Fatalf("array %q has %d tuples, want %d", a.Name, a.Tuples(), n)
		}
	}
}

func FuzzPVTI(f *testing.F) {
	f.Add(read(f, "testdata/deep.pvti"))
	f.Fuzz(func(t *testing.T, data []byte) {
		root, _, err := xmldata.ParseTree(data, "PImageData")
		if err != nil {
			return
		}
		h, err := parseImageHeader(root)
		if err != nil {
			return
		}
		for _, b := range h.boxes {
			m := h.whole
			m.Box = b
			if err := m.checkGrid(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
