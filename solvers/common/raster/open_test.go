package raster

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/formats/geotiff"
	"github.com/atoll-hpc/atoll/formats/netcdf"
)

// bump is the value at a cell centre of a raster of 20 x 12 cells of 2 m x 3 m from (100, 50) at the south-west corner.
// One cell has no data.
func bump(x, y float64) float64 {
	if x == 117 && y == 69.5 {
		return math.NaN()
	}
	return 3*x - y*y/7
}

// writeAllFormats writes the raster as ASCII grid, XYZ, GeoTIFF, and as NetCDF with ascending and with descending y,
// and returns the paths of the files.
func writeAllFormats(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	ascii := "ncols 20 nrows 12 xllcorner 100 yllcorner 50 dx 2 dy 3 nodata_value -9999\n"
	xyz := "x,y,z\n"
	var fromNorth, fromSouth, xs, ys []float64
	for r := range 12 {
		for c := range 20 {
			x := 101 + 2*float64(c)
			v := bump(x, 84.5-3*float64(r))
			fromNorth, fromSouth = append(fromNorth, v), append(fromSouth, bump(x, 51.5+3*float64(r)))
			if v != v {
				ascii += "-9999 "
				continue
			}
			ascii += fmt.Sprint(v, " ")
			xyz += fmt.Sprint(x, ", ", 84.5-3*float64(r), ", ", v, "\n")
		}
		ys = append(ys, 51.5+3*float64(r))
	}
	for c := range 20 {
		xs = append(xs, 101+2*float64(c))
	}
	path := func(name string) string { return filepath.Join(dir, name) }
	write := func(name string, text []byte) string {
		if err := os.WriteFile(path(name), text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path(name)
	}
	m := &geotiff.Image{Columns: 20, Rows: 12, West: 100, North: 86, Width: 2, Height: 3, EPSG: 25832, Values: fromNorth,
		Float64: true}
	if err := geotiff.Write(path("a.tif"), m); err != nil {
		t.Fatal(err)
	}
	down := append([]float64{}, ys...)
	reverseRows(down, 1)
	return []string{write("a.asc", []byte(ascii)), write("a.xyz", []byte(xyz)), path("a.tif"),
		write("up.nc", inNetCDF(t, xs, ys, fromSouth)), write("down.nc", inNetCDF(t, xs, down, fromNorth))}
}

func inNetCDF(t *testing.T, xs, ys, values []float64) []byte {
	t.Helper()
	x := &netcdf.Var{Name: "lon", Type: netcdf.Float64, Dims: []int{1}}
	y := &netcdf.Var{Name: "lat", Type: netcdf.Float64, Dims: []int{0}}
	z := &netcdf.Var{Name: "elevation", Type: netcdf.Float64, Dims: []int{0, 1}}
	head, err := netcdf.Define([]netcdf.Dim{{Name: "lat", Length: int64(len(ys))}, {Name: "lon", Length: int64(len(xs))}},
		nil, []*netcdf.Var{x, y, z})
	if err != nil {
		t.Fatal(err)
	}
	b := append(head.Encode(), make([]byte, 8*(len(xs)+len(ys)+len(values)))...)
	for v, of := range map[*netcdf.Var][]float64{x: xs, y: ys, z: values} {
		copy(b[head.Offset(v, 0, 0):], netcdf.Float64.Append(nil, of))
	}
	return b
}

// TestFormatsAgree proves that all formats give the same values and errors, for whole rasters and windows.
func TestFormatsAgree(t *testing.T) {
	files := writeAllFormats(t)
	for _, box := range []Box{Everywhere, {110, 60, 125, 75}, {100, 50, 101, 51}, {139.5, 85.5, 140, 86}} {
		want, err := Open(files[0], Options{Box: Everywhere})
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			g, err := Open(path, Options{Box: box})
			if err != nil {
				t.Fatal(err)
			}
			for x := max(98, box.West); x <= min(142, box.East); x += .5 {
				for y := max(48, box.South); y <= min(88, box.North); y += .25 {
					a, errA := g.At(x, y)
					b, errB := want.At(x, y)
					if a != b || (errA == nil) != (errB == nil) {
						t.Fatalf("%s at (%g, %g): %v, %v; want %v, %v", path, x, y, a, errA, b, errB)
					}
				}
			}
		}
	}
}

// TestOnlyTheWindowIsRead proves that only the cells near the box are loaded, and none for a box far away.
func TestOnlyTheWindowIsRead(t *testing.T) {
	for _, path := range writeAllFormats(t)[2:] {
		g, err := Open(path, Options{Box: Box{110, 60, 112, 62}})
		if err != nil || len(g.values) == 0 || len(g.values) > 16 {
			t.Errorf("%s: %d values, %v", path, len(g.values), err)
		}
		if g, err = Open(path, Options{Box: Box{1000, 60, 1002, 62}}); err != nil || len(g.values) > 24 {
			t.Errorf("%s: %d values, %v", path, len(g.values), err)
		}
		if _, err := g.At(1001, 61); err == nil || !strings.Contains(err.Error(), "covers x from 100 to 140 and y from 50") {
			t.Error(err)
		}
	}
}

// TestStack proves that the last raster with data is used, and that the error for a point without data names all
// rasters.
func TestStack(t *testing.T) {
	dir := t.TempDir()
	fine := filepath.Join(dir, "fine.asc")
	const small = "ncols 2 nrows 2 xllcorner 110 yllcorner 60 cellsize 4 1 2 3 -9999"
	if err := os.WriteFile(fine, []byte(small), 0o600); err != nil {
		t.Fatal(err)
	}
	files := writeAllFormats(t)
	all, err := OpenAll([]string{files[2], fine}, Options{Box: Everywhere})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ x, y, want float64 }{{112, 66, 1}, {116, 66, 2}, {105, 63.5, bump(105, 63.5)}} {
		if v, err := all.At(c.x, c.y); v != c.want || err != nil {
			t.Errorf("(%g, %g): %v, %v; want %v", c.x, c.y, v, err, c.want)
		}
	}
	if _, err := all.At(0, 0); err == nil || !strings.Contains(err.Error(), "no raster has data there: "+fine) ||
		!strings.Contains(err.Error(), files[2]+" covers x from 100 to 140") {
		t.Error(err)
	}
	if _, err := all.Convert(Wanted{EPSG: 4326}); err == nil || !strings.Contains(err.Error(),
		"gdalwarp -t_srs EPSG:4326") {
		t.Error(err)
	}
	if _, err := all.Convert(Wanted{EPSG: 25832}); err != nil {
		t.Error(err)
	}
}

func TestXYZRefusals(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "a.xyz:1: at least two positions",
		"x y z\n1 2 3\n":           "a.xyz:2: at least two positions",
		"1 2\n":                    `a.xyz:1: "1 2" is not x, y and a value`,
		"0 0 1\n0 1 a\n":           `a.xyz:2: "0 1 a" is not`,
		"0 0 1\n0 1 2\n1 nan 1\n":  `a.xyz:3: "1 nan 1" is not`,
		"0 0 1\n1 1 1\n1 1 2\n":    "a.xyz:3: two points at (1, 1)",
		"0 0 1\n1 1 1\n1.7 2 1\n":  "convert scattered points by gdal_grid",
		"0 0 1\n1e-9 1 1\n1 2 1\n": "gdal_grid",
	} {
		if _, err := DecodeXYZ(strings.NewReader(text), "a.xyz"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v does not say %q", text, err, want)
		}
	}
}

func TestNetCDFRefusals(t *testing.T) {
	xs, ys := []float64{0, 1, 2}, []float64{0, 1}
	values := make([]float64, 6)
	for want, text := range map[string][]byte{
		`no variable "depth" over two coordinates; the file has ["elevation"]`: inNetCDF(t, xs, ys, values),
		"it is not an HDF5 file":                                 []byte("\x89HDF\r\n\x1a\n"),
		`coordinate "lon" has unequal steps`:                     inNetCDF(t, []float64{0, 1, 3}, ys, values),
		`coordinate "lon" descends: reverse it by ncpdq -a -lon`: inNetCDF(t, []float64{2, 1, 0}, ys, values),
		`coordinate "lat" has 1 values; at least`:                inNetCDF(t, xs, []float64{0}, values[:3]),
	} {
		path := filepath.Join(t.TempDir(), "a.nc")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		variable := ""
		if strings.Contains(want, "depth") {
			variable = "depth"
		}
		_, err := Open(path, Options{Variable: variable, Box: Everywhere})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	_, err := Open(writeAllFormats(t)[0], Options{Variable: "h", Box: Everywhere})
	if err == nil || !strings.Contains(err.Error(), "leave out variable") {
		t.Error(err)
	}
}

func FuzzXYZ(f *testing.F) {
	f.Add("x,y,z\n0,0,1\n1,0,2\n0,1,3\n1,1,4\n")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := DecodeXYZ(strings.NewReader(text), "f.xyz")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.xyz:") {
				t.Errorf("error without place: %v", err)
			}
			return
		}
		_, _ = g.At(g.West, g.South)
	})
}
