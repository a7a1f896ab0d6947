package vtk

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/vtk/internal/xmldata"
)

// The grid of testdata/make.py.
const (
	madeX, madeY   = 5, 4
	madePoints     = madeX * madeY
	madeTriangles  = 2 * (madeX - 1) * (madeY - 1)
	madeLines      = madeX - 1
	madeCells      = 1 + madeLines + madeTriangles
	madeVertexTag  = 0
	madeLineTag    = 7
	madeFieldTime  = 1.5
	trianglesInRow = 2 * (madeX - 1)
)

// madeGrid is the grid in all files of testdata that have the whole grid of make.py.
func madeGrid() *Grid {
	g := &Grid{}
	var velocity []float32
	var id []int64
	for j := range madeY {
		for i := range madeX {
			g.Points = append(g.Points, float64(i), 0.5*float64(j), 0.25*float64(i*j))
			id = append(id, int64(len(id)))
		}
	}
	for i := range 3 * madePoints {
		velocity = append(velocity, 0.5*float32(i))
	}
	var physical []int32
	cell := func(kind uint8, tag int32, ids ...int64) {
		g.Connectivity = append(g.Connectivity, ids...)
		g.Offsets = append(g.Offsets, int64(len(g.Connectivity)))
		g.Types = append(g.Types, kind)
		physical = append(physical, tag)
	}
	cell(typeVertex, madeVertexTag, 0)
	for i := range int64(madeLines) {
		cell(typeLine, madeLineTag, i, i+1)
	}
	for j := range madeY - 1 {
		for i := range madeX - 1 {
			a := int64(j*madeX + i)
			cell(typeTriangle, int32(1+j), a, a+1, a+madeX+1)
			cell(typeTriangle, int32(1+j), a, a+madeX+1, a+madeX)
		}
	}
	var depth []float64
	var short []uint16
	var char []int8
	for i := range g.Types {
		depth = append(depth, float64(i)/7)
		short = append(short, uint16(1000*i))
		char = append(char, int8(i-10))
	}
	g.PointData = Arrays{{Name: "velocity", Components: 3, Data: velocity}, {Name: "id", Components: 1, Data: id}}
	g.CellData = Arrays{{Name: "physical", Components: 1, Data: physical}, {Name: "depth", Components: 1, Data: depth},
		{Name: "short", Components: 1, Data: short},
		{Name: "char", Components: 1, Data: char}}
	g.FieldData = Arrays{{Name: "TimeValue", Components: 1, Data: []float64{madeFieldTime}}}
	return g
}

func TestReadsEveryEncodingOfVTK(t *testing.T) {
	files, err := filepath.Glob("testdata/*-*.vtu")
	if err != nil || len(files) != 24 {
		t.Fatalf("%d files of encodings, %v; want 24", len(files), err)
	}
	want := madeGrid()
	for _, file := range append(files, "testdata/ascii.vtu") {
		got, err := Read(file)
		if err != nil {
			t.Error(err)
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got\n%+v, want\n%+v", file, got, want)
		}
	}
}

func TestReadsPieces(t *testing.T) {
	g, err := Read("testdata/pieces.pvtu")
	if err != nil {
		t.Fatal(err)
	}
	if got := g.points(); got != 3*madePoints {
		t.Errorf("%d points, want 3·%d, since points of pieces are not merged", got, madePoints)
	}
	if len(g.Types) != madeCells {
		t.Fatalf("%d cells, want %d", len(g.Types), madeCells)
	}
	whole := madeGrid()
	for i := range g.Types {
		var got, want []float64
		for _, p := range g.Cell(i) {
			got = append(got, g.Points[3*p:3*p+3]...)
		}
		for _, p := range whole.Cell(i) {
			want = append(want, whole.Points[3*p:3*p+3]...)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("cell %d has corners %v, want %v", i, got, want)
		}
	}
	tags, _ := g.CellData.Find("physical")
	wantTags, _ := whole.CellData.Find("physical")
	if !reflect.DeepEqual(tags, wantTags) {
		t.Errorf("tags %v, want %v", tags, wantTags)
	}
	if !reflect.DeepEqual(g.FieldData, whole.FieldData) {
		t.Errorf("field data %v, want %v", g.FieldData, whole.FieldData)
	}
}

func TestReadsSeveralPiecesInAFile(t *testing.T) {
	const piece = `<Piece NumberOfPoints="3" NumberOfCells="1">
		<CellData><DataArray type="Int32" Name="a" format="ascii">5</DataArray></CellData>
		<Points><DataArray type="Float32" NumberOfComponents="3" format="ascii">0 0 0 1 0 0 0 1 0</DataArray></Points>
		<Cells><DataArray type="Int32" Name="connectivity" format="ascii">0 1 2</DataArray>
		<DataArray type="Int32" Name="offsets" format="ascii">3</DataArray>
		<DataArray type="UInt8" Name="types" format="ascii">5</DataArray></Cells></Piece>`
	empty := `<Piece NumberOfPoints="0" NumberOfCells="0"/>`
	g, err := parse([]byte(`<VTKFile type="UnstructuredGrid"><UnstructuredGrid>` + empty + piece + empty + piece +
		`</UnstructuredGrid></VTKFile>`))
	if err != nil {
		t.Fatal(err)
	}
	if want := []int64{0, 1, 2, 3, 4, 5}; !reflect.DeepEqual(g.Connectivity, want) {
		t.Errorf("connectivity %v, want %v", g.Connectivity, want)
	}
	if want := []int64{3, 6}; !reflect.DeepEqual(g.Offsets, want) {
		t.Errorf("offsets %v, want %v", g.Offsets, want)
	}
	if want := (Arrays{{Name: "a", Components: 1, Data: []int32{5, 5}}}); !reflect.DeepEqual(g.CellData, want) {
		t.Errorf("cell data %v, want %v", g.CellData, want)
	}
	other := strings.Replace(piece, `"a"`, `"b"`, 1)
	_, err = parse([]byte(`<VTKFile type="UnstructuredGrid"><UnstructuredGrid>` + piece + other +
		`</UnstructuredGrid></VTKFile>`))
	if err == nil || !strings.Contains(err.Error(), `piece 1: the cell data has no array "a"`) {
		t.Errorf("pieces with different arrays: error %v", err)
	}
}

func TestReadsAnEmptyGrid(t *testing.T) {
	g, err := Read("testdata/empty.vtu")
	if err != nil {
		t.Fatal(err)
	}
	if g.points() != 0 || len(g.Types) != 0 {
		t.Errorf("%d points, %d cells; want none", g.points(), len(g.Types))
	}
}

// parse reads a .vtu file from memory.
func parse(data []byte) (*Grid, error) {
	root, appended, err := xmldata.ParseTree(data, "UnstructuredGrid")
	if err != nil {
		return nil, err
	}
	return parseGrid(data, root, appended)
}

func TestTextOfCxxStreams(t *testing.T) {
	v, err := xmldata.ValueTypes["Float64"].Text([][]byte{[]byte("-nan"), []byte("inf"), []byte("-inf"), []byte("1e-3")})
	if err != nil {
		t.Fatal(err)
	}
	f := v.Floats()
	if !math.IsNaN(f[0]) || !math.IsInf(f[1], 1) || !math.IsInf(f[2], -1) || f[3] != 1e-3 {
		t.Errorf("got %v", f)
	}
	for kind, word := range map[string]string{
		"UInt8": "256", "Int8": "-129", "Int32": "1.5", "UInt64": "-1", "Float32": "1e39",
	} {
		if v, err := xmldata.ValueTypes[kind].Text([][]byte{[]byte(word)}); err == nil {
			t.Errorf("%s %q is read as %v, want an error", kind, word, v)
		}
	}
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
