package raster

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// sample has cell centres at x = 1, 3, 5 and y = 11, 13; the northern row comes first.
const sample = `NCOLS 3
nrows 2
xllcorner 0
YLLCORNER 10
cellsize 2
NODATA_value -9
1 2 3
4 5 -9
`

func decode(t *testing.T, text string) *Grid {
	t.Helper()
	g, err := Decode(strings.NewReader(text), "bed.asc")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestAt(t *testing.T) {
	g := decode(t, sample)
	for _, c := range []struct{ x, y, want float64 }{
		{1, 13, 1}, {3, 13, 2}, {5, 13, 3}, {1, 11, 4}, {3, 11, 5}, // centres
		{2, 13, 1.5}, {1, 12, 2.5}, {2, 12, 3}, {1.5, 11.5, 4 + 0.25 - 0.75}, // between
		{0, 14, 1}, {0.2, 10, 4}, {6, 14, 3}, {4, 13.5, 2.5}, // at the edge
		{3, 11.5, 4.25}, // the cell to the east has no data, but weight 0
	} {
		if v, err := g.At(c.x, c.y); v != c.want || err != nil {
			t.Errorf("(%v, %v): %v, %v; want %v", c.x, c.y, v, err, c.want)
		}
	}
	for _, c := range []struct {
		x, y float64
		want string
	}{
		{-0.1, 12, "bed.asc: point (-0.1, 12) is outside the raster, which covers x from 0 to 6 and y from 10 to 14"},
		{6.1, 12, "outside"}, {3, 9.9, "outside"}, {3, 14.1, "outside"}, {math.NaN(), 12, "outside"},
		{3, math.Inf(1), "outside"},
		{5, 11, "no data at point (5, 11)"}, {3.1, 11, "no data"}, {5, 12.9, "no data"},
	} {
		if v, err := g.At(c.x, c.y); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("(%v, %v): %v, error %v does not say %q", c.x, c.y, v, err, c.want)
		}
	}
}

func TestVariantsOfTheHeader(t *testing.T) {
	want := decode(t, sample)
	for _, text := range []string{
		strings.NewReplacer("xllcorner 0", "xllcenter 1", "YLLCORNER 10", "yllcentre 11").Replace(sample),
		strings.Replace(sample, "cellsize 2", "dx 2\ndy 2.0", 1),
		strings.ReplaceAll(sample, "\n", "\r\n"),
		strings.Replace(sample, "1 2 3\n4 5", "1 2\n\n3 4\t5", 1),
		strings.NewReplacer("-9\n", "-9999\n", "NODATA_value -9\n", "").Replace(sample),
		strings.ReplaceAll(sample, "-9\n", "nan\n"),
		strings.TrimSpace(sample),
	} {
		g := decode(t, text)
		for _, x := range []float64{0, 1, 2.5, 3} {
			for _, y := range []float64{10, 11.5, 13} {
				a, errA := g.At(x, y)
				b, errB := want.At(x, y)
				if a != b || (errA == nil) != (errB == nil) {
					t.Errorf("%q: (%v, %v): %v, %v; want %v, %v", text, x, y, a, errA, b, errB)
				}
			}
		}
		if _, err := g.At(5, 11); err == nil {
			t.Errorf("%q: a value was returned where there is no data", text)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"NCOLS 3", "ncols 0", "bed.asc:7: ncols is 0; it must be positive"},
		{"NCOLS 3", "ncols 2.5", "ncols is 2.5; it must be a whole number"},
		{"NCOLS 3", "ncols 1e300", "must be a whole number"},
		{"NCOLS 3\nnrows 2", "ncols 100000\nnrows 100000", "are more than 134217728"},
		{"NCOLS 3", "ncols 60000000", "bed.asc:9: ends after 6 values; ncols x nrows = 60000000 x 2"},
		{"NCOLS 3", "ncols 3\nncols 3", "bed.asc:2: ncols is given twice"},
		{"NCOLS 3", "ncols three", `bed.asc:1: ncols: "three" is not a number`},
		{"NCOLS 3", "width 3", `bed.asc:1: "width" is not known in the header`},
		{"NCOLS 3", "\x89PNG\r\n", "convert it by gdal_translate IN OUT.tif"},
		// A raster of ERDAS Imagine begins with EHFA.
		{"NCOLS 3", strings.Repeat("EHFA", 20), "convert it by gdal_translate IN OUT.tif"},
		{"NCOLS 3\n", "", "the header lacks ncols"},
		{"cellsize 2\n", "", "the header lacks cellsize"},
		{"cellsize 2\n", "dx 2\n", "the header lacks cellsize, or dx and dy"},
		{"cellsize 2\n", "cellsize 2\ndx 2\n", "both cellsize and dx"},
		{"cellsize 2", "cellsize -2", "is -2; it must be positive"},
		{"cellsize 2", "cellsize nan", "bed.asc:5: cellsize: nan is not finite"},
		{"cellsize 2", "cellsize 1e308", "too large"},
		{"xllcorner 0", "xllcorner 1e30", "too small"},
		{"xllcorner 0\n", "", "the header lacks xllcorner or xllcenter"},
		{"xllcorner 0", "xllcorner 0\nxllcenter 0", "both xllcorner and xllcenter"},
		{"1 2 3", "1 2", "bed.asc:9: ends after 5 values"},
		{"1 2 3", "1 2 3 4", `bed.asc:8: "-9" comes after the last of 3 x 2 values`},
		{"1 2 3", "1 2,5 3", `bed.asc:7: "2,5" is not a number`},
		{"1 2 3", "1 0x1p4 3", `"0x1p4" is not a number`},
		{"1 2 3", "1 1e999 3", `"1e999" is not a number`},
		{"1 2 3", "1 nan 3", "value nan is not finite"},
		{"1 2 3", "1 " + strings.Repeat("2", 65) + " 3", "bed.asc:7: word"},
		{sample, "", "bed.asc:1: ends before the first value"},
		{sample, "ncols", "bed.asc:1: ncols has no value"},
	} {
		text := strings.Replace(sample, c.old, c.new, 1)
		_, err := Decode(strings.NewReader(text), "bed.asc")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v does not say %q", c.new, err, c.want)
		}
	}
}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bed.asc")
	if _, err := Open(path, Options{Box: Everywhere}); err == nil || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if err := os.WriteFile(path, []byte(sample), 0o600); err != nil {
		t.Fatal(err)
	}
	g, err := Open(path, Options{Box: Everywhere})
	if err != nil || g.Columns != 3 || g.Rows != 2 || g.West != 0 || g.South != 10 || g.Width != 2 || g.Height != 2 {
		t.Errorf("%+v, %v", g, err)
	}
}

// TestBilinearFunctionsAreExact proves that a + bx + cy + dxy is reproduced between the outermost centres.
func TestBilinearFunctionsAreExact(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		columns, rows := rapid.IntRange(1, 6).Draw(r, "columns"), rapid.IntRange(1, 6).Draw(r, "rows")
		coefficient := rapid.Float64Range(-2, 2)
		a, b, c, d := coefficient.Draw(r, "a"), coefficient.Draw(r, "b"), coefficient.Draw(r, "c"), coefficient.Draw(r, "d")
		f := func(x, y float64) float64 { return a + b*x + c*y + d*x*y }
		var text strings.Builder
		text.WriteString("ncols " + strconv.Itoa(columns) + " nrows " + strconv.Itoa(rows) +
			" xllcenter -1 yllcenter 4 dx 0.5 dy 2\n")
		for row := rows - 1; row >= 0; row-- {
			for column := range columns {
				text.WriteString(strconv.FormatFloat(f(-1+float64(column)/2, 4+2*float64(row)), 'g', -1, 64) + " ")
			}
			text.WriteString("\n")
		}
		g, err := Decode(strings.NewReader(text.String()), "f.asc")
		if err != nil {
			r.Fatal(err)
		}
		x := -1 + rapid.Float64Range(0, float64(columns-1)/2).Draw(r, "x")
		y := 4 + rapid.Float64Range(0, float64(rows-1)*2).Draw(r, "y")
		v, err := g.At(x, y)
		if err != nil || math.Abs(v-f(x, y)) > 1e-12*100 { // some 20 operations on numbers up to 100
			r.Fatalf("%v, %v; want %v", v, err, f(x, y))
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add(sample)
	f.Add("ncols 1 nrows 1 xllcenter 0 yllcenter 0 dx 1 dy 2 nan")
	f.Add("ncols 100000 nrows 1000 xllcorner 0 yllcorner 0 cellsize 1 5")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := Decode(strings.NewReader(text), "bed.asc")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "bed.asc:") {
				t.Errorf("error without place: %v", err)
			}
			return
		}
		if len(g.values) != g.Columns*g.Rows {
			t.Fatalf("%d values of %d x %d", len(g.values), g.Columns, g.Rows)
		}
		for _, v := range []float64{0, 0.3, 0.5, 1} {
			_, _ = g.At(g.West+v*float64(g.Columns)*g.Width, g.South+v*float64(g.Rows)*g.Height)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	text := "ncols 1000 nrows 100 xllcorner 0 yllcorner 0 cellsize 1\n" + strings.Repeat("-1234.567 ", 100000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Decode(strings.NewReader(text), "b.asc"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAt(b *testing.B) {
	g, err := Decode(strings.NewReader(sample), "b.asc")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.At(2.2, 12.3); err != nil {
			b.Fatal(err)
		}
	}
}
