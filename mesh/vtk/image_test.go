package vtk

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// wholeImage is an image of the given dimension whose data are the global numbers and positions of its cells, and the
// positions of its corners.
func wholeImage(dim int) *Image {
	m := &Image{Dim: dim, Whole: [3]int{5, 4, 3}, Origin: [3]float64{-1, 0.5, 2}, Spacing: [3]float64{0.5, 0.25, 2}}
	if dim == 2 {
		m.Whole[2], m.Spacing[2] = 1, 0
	}
	m.N = m.Whole
	return m.part(m.Box)
}

// part is a box of an image, with its data.
func (m *Image) part(b Box) *Image {
	p := *m
	p.Box, p.PointData, p.CellData = b, nil, nil
	var number []float64
	var position []int32
	for k := range b.N[2] {
		for j := range b.N[1] {
			for i := range b.N[0] {
				g := [3]int{b.Lo[0] + i, b.Lo[1] + j, b.Lo[2] + k}
				number = append(number, float64(g[0]+m.Whole[0]*(g[1]+m.Whole[1]*g[2]))+0.5)
				position = append(position, int32(g[0]), int32(g[1]), int32(g[2]))
			}
		}
	}
	p.CellData = Arrays{{Name: "number", Data: number, Components: 1}, {Name: "position", Data: position, Components: 3}}
	var corner []float32
	for c := range p.Points() {
		i, rows := c%(b.N[0]+1), c/(b.N[0]+1)
		j, k := rows%(b.N[1]+1), rows/(b.N[1]+1)
		corner = append(corner, float32(b.Lo[0]+i+100*(b.Lo[1]+j)+10000*(b.Lo[2]+k)))
	}
	p.PointData = Arrays{{Name: "corner", Data: corner, Components: 1}}
	return &p
}

// quarters are boxes of different sizes that tile the image.
func (m *Image) quarters() []Box {
	b := []Box{{[3]int{0, 0, 0}, [3]int{2, 3, 1}}, {[3]int{2, 0, 0}, [3]int{3, 3, 1}},
		{[3]int{0, 3, 0}, [3]int{2, 1, 1}}, {[3]int{2, 3, 0}, [3]int{3, 1, 1}}}
	if m.Dim == 3 {
		for _, low := range b[:4:4] {
			low.Lo[2], low.N[2] = 1, 2
			b = append(b, low)
		}
	}
	return b
}

// writePieces writes an image in pieces and their index, and returns the index.
func writePieces(t *testing.T, dir string, m *Image) string {
	t.Helper()
	var pieces []ImagePiece
	for i, b := range m.quarters() {
		name := fmt.Sprintf("%dd-%d.vti", m.Dim, i)
		if err := WriteImage(filepath.Join(dir, name), m.part(b)); err != nil {
			t.Fatal(err)
		}
		pieces = append(pieces, ImagePiece{b, name})
	}
	index := filepath.Join(dir, fmt.Sprintf("%dd.pvti", m.Dim))
	if err := WritePVTI(index, pieces, m); err != nil {
		t.Fatal(err)
	}
	return index
}

// VTK reads images, in one file and in pieces, with the right values, order and bounds.
func TestVTKReadsImages(t *testing.T) {
	dir := t.TempDir()
	for dim, bounds := range map[int]string{2: "bounds -1 1.5 0.5 1.5 2 2\n", 3: "bounds -1 1.5 0.5 1.5 2 8\n"} {
		m := wholeImage(dim)
		m.FieldData = Arrays{{Name: "TimeValue", Components: 1, Data: []float64{0.25}}}
		want := fmt.Sprintf("%d %d error 0\n", m.Points(), m.Cells())
		for _, list := range []Arrays{m.PointData, m.CellData} {
			for _, a := range list {
				kind := map[string]string{"corner": "float", "number": "double", "position": "int"}[a.Name]
				sum := 0.0
				for i, v := range a.Float64s() {
					sum += float64(i+1) * v
				}
				want += fmt.Sprintf("%s %s %d %d %.17g\n", a.Name, kind, a.Components, a.Tuples(), sum)
			}
		}
		want += "TimeValue double 1 1 0.25\n"
		path := filepath.Join(dir, fmt.Sprintf("%dd.vti", dim))
		if err := WriteImage(path, m); err != nil {
			t.Fatal(err)
		}
		whole := askVTK(t, path)
		if !strings.HasPrefix(whole, want) || !strings.Contains(whole, bounds) {
			t.Errorf("VTK reads in %d dimensions\n%s, want\n%s%s", dim, whole, want, bounds)
		}
		if pieces := askVTK(t, writePieces(t, dir, m)); pieces != whole {
			t.Errorf("VTK reads from pieces\n%s, want\n%s", pieces, whole)
		}
	}
}

func TestWriteImageRefusals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.vti")
	for name, c := range map[string]struct {
		change func(m *Image)
		want   string
	}{
		"one dimension":        {func(m *Image) { m.Dim = 1 }, "2 or 3 dimensions"},
		"layers in 2D":         {func(m *Image) { m.Whole[2], m.N[2] = 2, 2 }, "in 2 dimensions"},
		"no cells":             {func(m *Image) { m.Whole[0] = 0 }, "[0 4 1] cells"},
		"too many cells":       {func(m *Image) { m.Whole[0] = 1 << 40 }, "cells in 2"},
		"an empty piece":       {func(m *Image) { m.N[1] = 0 }, "not within"},
		"a piece out of range": {func(m *Image) { m.Lo[1] = 1 }, "not within"},
		"negative spacing":     {func(m *Image) { m.Spacing[1] = -1 }, "positive spacing"},
		"an infinite origin":   {func(m *Image) { m.Origin[2] = 1 / m.Spacing[2] }, "finite numbers"},
		"cell data too short":  {func(m *Image) { m.CellData[0].Data = []float64{1} }, `"number" of the cell data`},
		"point data too long":  {func(m *Image) { m.PointData[0].Data = make([]float32, 31) }, `"corner" of the point data`},
		"data without a type": {func(m *Image) { m.FieldData = Arrays{{Name: "a", Data: []string{"b"}}} },
			"cannot be stored"},
	} {
		m := wholeImage(2)
		c.change(m)
		err := WriteImage(path, m)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

func TestWritePVTIRefusals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.pvti")
	for name, c := range map[string]struct {
		change func(p []ImagePiece) []ImagePiece
		want   string
	}{
		"a hole": {func(p []ImagePiece) []ImagePiece { return p[1:] }, "14 cells in total"},
		"an overlap": {func(p []ImagePiece) []ImagePiece { p[3] = ImagePiece{p[0].Box, "e"}; return p },
			"pieces 0 and 3"},
		"a piece out of range": {func(p []ImagePiece) []ImagePiece { p[3].N[0] = 4; return p }, "piece 3"},
		"a file twice":         {func(p []ImagePiece) []ImagePiece { p[3].File = p[0].File; return p }, "listed twice"},
		"a file unnamed":       {func(p []ImagePiece) []ImagePiece { p[3].File = ""; return p }, "file 3"},
		"no pieces":            {func([]ImagePiece) []ImagePiece { return nil }, "0 cells in total"},
	} {
		m := wholeImage(2)
		var pieces []ImagePiece
		for i, b := range m.quarters() {
			pieces = append(pieces, ImagePiece{b, fmt.Sprint(i)})
		}
		if err := WritePVTI(path, c.change(pieces), m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}
