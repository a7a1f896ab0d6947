package vtk

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/vtk/internal/xmldata"
)

// Read refuses files with one invalid entry, with an error that names it.
func TestReadRefusals(t *testing.T) {
	for _, c := range []struct{ file, old, new, want string }{
		{"ascii.vtu", `type="UnstructuredGrid"`, `type="PolyData"`, `the file is of type "PolyData"`},
		{"ascii.vtu", `<VTKFile`, `<XML`, `the root element is "XML"`},
		{"ascii.vtu", `LittleEndian`, `Middle`, `byte_order="Middle"`},
		{"ascii.vtu", `header_type="UInt32"`, `header_type="Int32"`, `header_type="Int32"`},
		{"raw-zlib-32-little.vtu", `vtkZLibDataCompressor`, `vtkLZ4DataCompressor`, `compressor "vtkLZ4DataCompressor"`},
		{"raw-zlib-32-little.vtu", `encoding="raw"`, `encoding="hex"`, `encoding="hex"`},
		{"ascii.vtu", `NumberOfPoints="20"`, `NumberOfPoints="21"`, `"Points": the array has 60 values; want 63`},
		{"ascii.vtu", `NumberOfPoints="20"`, `NumberOfPoints="-1"`, `NumberOfPoints="-1" is not a count`},
		{"ascii.vtu", `NumberOfPoints="20"`, `NumberOfPoints="99999999999"`, `more than a file of this size`},
		{"ascii.vtu", `NumberOfPoints="20"`, `NumberOfPoints="4000000"`, `cannot hold 12000000 values`},
		{"ascii.vtu", `NumberOfCells="29"`, `NumberOfCells="28"`, `the array has 29 values; want 28`},
		{"ascii.vtu", `NumberOfComponents="3" format`, `NumberOfComponents="4" format`, `the array has 60 values; want 80`},
		{"ascii.vtu", `type="UInt16"`, `type="Bit"`, `DataArray "short": values of type "Bit" are not supported`},
		{"ascii.vtu", `Name="connectivity"`, `Name="conectivity"`, `the element has no array "connectivity"`},
		{"ascii.vtu", `Name="char"`, `Name="depth"`, `a second array with that name`},
		{"ascii.vtu", `Name="depth" format="ascii"`, `Name="depth" format="text"`, `format="text"`},
		{"ascii.vtu", `0.14285714285714285`, `0.1x`, `value 1 is "0.1x", not a number of type Float64`},
		{"quad.vtu", "0 1 5 0 1 6", "0 1 5 0 1 20", "cell 1 refers to point 20; the file has points 0 to 19"},
		{"quad.vtu", "          3 7", "          8 7", "cell 0 ends at entry 8"},
		{"quad.vtu", "5 9", "5 42", "cell 1 is of type 42"},
		{"quad.vtu", "5 9", "5 0", "cell 1 is of type 0"},
		{"base64-plain-32-little.vtu", `   _`, `   `, "do not begin with an underscore"},
		{"base64-plain-32-little.vtu", `   _CAAA`, `   _C!AA`, "base64 text: illegal"},
	} {
		data := read(t, "testdata/"+c.file)
		broken := bytes.Replace(data, []byte(c.old), []byte(c.new), 1)
		if bytes.Equal(data, broken) {
			t.Errorf("%s does not have %q", c.file, c.old)
			continue
		}
		path := filepath.Join(t.TempDir(), c.file)
		if err := os.WriteFile(path, broken, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Read(path)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%s with %q: error %v; want the name of the file and %q", c.file, c.new, err, c.want)
		}
	}
}

// A truncated file is refused, or, if only its end tags are missing, gives the whole grid.
func TestTruncatedFiles(t *testing.T) {
	for _, file := range []string{"raw-zlib-32-little.vtu", "base64-zlib-64-big.vtu", "binary-plain-32-little.vtu"} {
		data := read(t, "testdata/"+file)
		end := bytes.Index(data, []byte("<AppendedData"))
		if end < 0 {
			end = len(data) - len("</VTKFile>\n")
		}
		const stride = 11
		for n := 0; n < end; n += stride {
			if _, err := parse(data[:n]); err == nil {
				t.Fatalf("%s truncated to %d of %d bytes: no error", file, n, len(data))
			}
		}
		for n := end; n < len(data); n += stride {
			g, err := parse(data[:n])
			if err == nil && (g.points() != madePoints || len(g.Types) != madeCells) {
				t.Fatalf("%s truncated to %d of %d bytes has %d points, %d cells", file, n, len(data), g.points(), len(g.Types))
			}
		}
	}
}

// zlibFile is a file with the given number of points and of point arrays. All arrays have the same appended data: the
// header words and the compressed data.
func zlibFile(points string, arrays int, words []uint64, data []byte) []byte {
	var head []byte
	for _, w := range words {
		head = binary.LittleEndian.AppendUint64(head, w)
	}
	array := `<DataArray type="Float64" NumberOfComponents="3" format="appended" offset="0" Name="`
	var pointData strings.Builder
	for i := range arrays {
		pointData.WriteString(array + strings.Repeat("x", i+1) + `"/>`)
	}
	return []byte(`<VTKFile type="UnstructuredGrid" header_type="UInt64" compressor="vtkZLibDataCompressor">` +
		`<UnstructuredGrid><Piece NumberOfPoints="` + points + `" NumberOfCells="0"><Points>` + array +
		`"/></Points><PointData>` +
		pointData.String() + `</PointData></Piece></UnstructuredGrid><AppendedData encoding="base64">_` +
		base64.StdEncoding.EncodeToString(head) + base64.StdEncoding.EncodeToString(data) + `</AppendedData></VTKFile>`)
}

// Block tables with lengths far beyond the size of the file are refused before memory is allocated.
func TestFalseLengthsTakeNoMemory(t *testing.T) {
	const mega = 1 << 20
	var zeros bytes.Buffer
	z := zlib.NewWriter(&zeros)
	z.Write(make([]byte, 24*mega))
	z.Close()
	packed := uint64(zeros.Len())
	if _, err := parse(zlibFile("1048576", 0, []uint64{1, 24 * mega, 0, packed}, zeros.Bytes())); err != nil {
		t.Fatalf("a file with correct lengths: %v", err)
	}
	for _, c := range []struct {
		name, points string
		arrays       int
		words        []uint64
		data         []byte
		want         string
	}{
		{"block count", "1000", 0, []uint64{1 << 60, 24, 0, 8}, nil, "block table of"},
		{"no length", "1000", 0, []uint64{1 << 63, 24, 0, 8}, nil, "which is not a length"},
		{"block size", "1000", 0, []uint64{1, 1 << 61, 0, packed}, zeros.Bytes(), "cannot expand to"},
		{"product", "1000", 0, []uint64{3, 1 << 61, 0, 8, 8, 8}, zeros.Bytes(), "cannot expand to"},
		{"compressed size", "1000", 0, []uint64{1, 24000, 0, 1 << 61}, zeros.Bytes(), "the data are truncated"},
		{"sum of sizes", "1000", 0, []uint64{3, 8000, 0, 1 << 61, 1 << 61, 1 << 61}, zeros.Bytes(), "the data are truncated"},
		{"last block", "1000", 0, []uint64{1, 8, 24000, packed}, zeros.Bytes(), "a last block of 24000"},
		{"size for the points", "1000", 0, []uint64{1, 24 * mega, 0, packed}, zeros.Bytes(), "want 24000"},
		{"bomb in a small block", "1000", 0, []uint64{1, 24000, 0, packed}, zeros.Bytes(), "the block is longer"},
		{"too little in a block", "1048576", 0, []uint64{2, 23 * mega, mega, packed, 8}, zeros.Bytes(), "block 1 of 2"},
		{"shared data", "1048576", 40, []uint64{1, 24 * mega, 0, packed}, zeros.Bytes(), "larger than a file of this size"},
	} {
		data := zlibFile(c.points, c.arrays, c.words, c.data)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := parse(data)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
		// While an array is decoded it is in memory twice: as bytes and as values.
		allocated, bound := after.TotalAlloc-before.TotalAlloc, uint64(2*xmldata.MaxExpansion*len(data)+4*mega)
		if allocated > bound {
			t.Errorf("%s: took %d bytes for a file of %d, more than %d", c.name, allocated, len(data), bound)
		}
	}
}

func TestChecksumOfBlocks(t *testing.T) {
	data := read(t, "testdata/raw-zlib-32-little.vtu")
	begin := bytes.Index(data, []byte("_")) // the first array: three header words, a length, a block
	begin = bytes.Index(data[begin:], []byte("\x78\x5e")) + begin
	sum := begin + 13 - 1 // the last byte of the block of 13 bytes, which ends with its checksum
	data[sum] ^= 1
	if _, err := parse(data); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("a wrong checksum: error %v", err)
	}
}

func TestLimitsOfElements(t *testing.T) {
	deep := []byte(`<VTKFile type="UnstructuredGrid">` + strings.Repeat("<a>", xmldata.MaxDepth))
	if _, err := parse(deep); err == nil || !strings.Contains(err.Error(), "nested") {
		t.Errorf("too many nested elements: error %v", err)
	}
	wide := []byte(`<VTKFile type="UnstructuredGrid">` + strings.Repeat("<a/>", xmldata.MaxElements))
	if _, err := parse(wide); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("too many elements: error %v", err)
	}
}

func TestReadIndexRefusals(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ body, want string }{
		{`<PUnstructuredGrid><Piece Source="i.pvtu"/></PUnstructuredGrid>`, `the file is of type "PUnstructuredGrid"`},
		{`<PUnstructuredGrid><Piece Source="a"/><Piece Source="./a"/></PUnstructuredGrid>`, `"a" is listed twice`},
		{`<PUnstructuredGrid><Piece/></PUnstructuredGrid>`, `Source is missing`},
		{`<PUnstructuredGrid><Piece Source="none.vtu"/></PUnstructuredGrid>`, `none.vtu`},
		{`<PUnstructuredGrid GhostLevel="1"/>`, `ghost cells`},
		{``, `no element PUnstructuredGrid`},
	} {
		path := filepath.Join(dir, "i.pvtu")
		if err := os.WriteFile(path, []byte(`<VTKFile type="PUnstructuredGrid">`+c.body+`</VTKFile>`), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Read(path)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: %v; want %q", c.body, err, c.want)
		}
	}
}
