package vtk

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/mesh/vtk/internal/xmldata"
)

// drawPoly draws poly data with point and cell arrays.
func drawPoly(t *rapid.T) *PolyData {
	points := rapid.IntRange(0, 20).Draw(t, "points")
	p := &PolyData{}
	for i := range points {
		p.Points = append(p.Points, float64(i), 1/float64(i+1), -float64(i))
	}
	for _, k := range p.kinds() {
		for range rapid.IntRange(0, min(points, 5)).Draw(t, "cells") {
			k.cells.Add(rapid.SliceOfN(rapid.Int64Range(0, int64(points-1)), k.least, k.least+3).Draw(t, "ids")...)
		}
	}
	if points > 0 {
		p.PointData = Arrays{{Name: "p", Components: 2, Data: drawSlice[float32](t, 2*points)}}
	}
	if n := p.cells(); n > 0 {
		p.CellData = Arrays{{Name: "a", Components: 1, Data: drawSlice[int64](t, n)},
			{Name: "b", Components: 3, Data: drawSlice[uint8](t, 3*n)}}
	}
	return p
}

func TestPolyDataRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.vtp")
	rapid.Check(t, func(t *rapid.T) {
		want := drawPoly(t)
		want.FieldData = Arrays{{Name: "t", Components: 1, Data: []float64{3}}}
		if err := WritePolyData(path, want); err != nil {
			t.Fatal(err)
		}
		got, err := ReadPolyData(path)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got\n%+v, want\n%+v", got, want)
		}
	})
}

// ReadPolyData of an index returns the cells of all pieces with the right points and data.
func TestReadPolyDataJoinsPieces(t *testing.T) {
	dir := t.TempDir()
	index := filepath.Join(dir, "p.pvtp")
	rapid.Check(t, func(t *rapid.T) {
		var pieces []*PolyData
		var names []string
		like := &PolyData{}
		for i := range rapid.IntRange(1, 4).Draw(t, "pieces") {
			p := drawPoly(t)
			name := string(rune('a'+i)) + ".vtp"
			if err := WritePolyData(filepath.Join(dir, name), p); err != nil {
				t.Fatal(err)
			}
			pieces, names = append(pieces, p), append(names, name)
			if p.cells() > 0 {
				like = p
			}
		}
		if err := WritePVTP(index, names, like); err != nil {
			t.Fatal(err)
		}
		got, err := ReadPolyData(index)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := describe(got), describe(pieces...); !reflect.DeepEqual(a, b) {
			t.Fatalf("got\n%v, want\n%v", a, b)
		}
	})
}

// description is a cell with the coordinates of its points and its data.
type description struct {
	kind   string
	points []float64
	a      int64
	b      [3]uint8
}

// describe lists the cells of poly data in the order of their types.
func describe(pieces ...*PolyData) (descriptions []description) {
	for kind := range 3 {
		for _, p := range pieces {
			cell := 0
			for n, k := range p.kinds() {
				for i := range k.cells.Len() {
					if n == kind {
						d := description{kind: k.tag, a: p.CellData[0].Data.([]int64)[cell]}
						for _, id := range k.cells.Cell(i) {
							d.points = append(d.points, p.Points[3*id:3*id+3]...)
						}
						d.b = [3]uint8(p.CellData[1].Data.([]uint8)[3*cell:])
						descriptions = append(descriptions, d)
					}
					cell++
				}
			}
		}
	}
	return descriptions
}

func TestReadPolyDataOfVTK(t *testing.T) {
	p, err := ReadPolyData("testdata/poly.vtp")
	if err != nil {
		t.Fatal(err)
	}
	want := &PolyData{
		Points: []float64{0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 1, 1, 0, 2, 1, 0},
		Verts:  Cells{[]int64{5}, []int64{1}},
		Lines:  Cells{[]int64{0, 1, 1, 2, 5}, []int64{2, 5}},
		Polys:  Cells{[]int64{0, 1, 3, 1, 2, 5, 4}, []int64{3, 7}},
		CellData: Arrays{{Name: "kind", Components: 1,
			Data: []int32{1, 20, 21, 30, 31}}},
	}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("got\n%+v, want\n%+v", p, want)
	}
}

func TestReadPolyDataRefusals(t *testing.T) {
	good := string(read(t, "testdata/poly.vtp"))
	strips := string(read(t, "testdata/strips.vtp"))
	for name, c := range map[string]struct{ file, old, new, want string }{
		"strips":                      {strips, "x", "x", "strips"},
		"more points":                 {good, `NumberOfPoints="6"`, `NumberOfPoints="7"`, "want"},
		"too many points":             {good, `NumberOfPoints="6"`, `NumberOfPoints="9000000000000"`, "more than a file"},
		"more verts":                  {good, `NumberOfVerts="1"`, `NumberOfVerts="2"`, "want"},
		"negative number of polygons": {good, `NumberOfPolys="2"`, `NumberOfPolys="-2"`, "not a count"},
		"no section of lines":         {good, `Lines>`, `Limes>`, "no element Lines"},
		"no offsets":                  {good, `Name="offsets"`, `Name="ends"`, `"offsets"`},
		"no connectivity":             {good, `Name="connectivity"`, `Name="ids"`, `"connectivity"`},
		"an image":                    {good, `type="PolyData"`, `type="ImageData"`, "ImageData"},
		"data of fewer cells":         {good, `NumberOfLines="2"`, `NumberOfLines="0"`, "want"},
		"verts with two points":       {good, `NumberOfVerts="1"`, `NumberOfVerts=""`, "want"},
	} {
		edited := strings.ReplaceAll(c.file, c.old, c.new)
		root, appended, err := xmldata.ParseTree([]byte(edited), "PolyData")
		if err == nil {
			_, err = parsePolyData([]byte(edited), root, appended)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

func FuzzVTP(f *testing.F) {
	f.Add(read(f, "testdata/poly.vtp"))
	f.Add(read(f, "testdata/strips.vtp"))
	f.Fuzz(func(t *testing.T, data []byte) {
		root, appended, err := xmldata.ParseTree(data, "PolyData")
		if err != nil {
			return
		}
		p, err := parsePolyData(data, root, appended)
		if err != nil {
			return
		}
		if err := p.checkCells(); err != nil {
			t.Fatal(err)
		}
		tuplesFit(t, p.PointData, p.points())
		tuplesFit(t, p.CellData, p.cells())
	})
}
