package geotiff

import (
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
)

// TestReadFilesOfGDAL reads files that GDAL writes in all supported variants, whole and in parts, and compares all
// bits.
func TestReadFilesOfGDAL(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command(needs.GDAL(t), "testdata/variants.py", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.tif"))
	if err != nil || len(files) < 120 {
		t.Fatalf("got %d files, %v; want 120 or more", len(files), err)
	}
	for _, path := range files {
		want := readFloat64s(t, path+".f8")
		f, err := Open(path)
		if err != nil {
			t.Error(err)
			continue
		}
		north := 5800000.25
		if f.Columns != 53 || f.Rows != 37 || f.EPSG != 25832 || f.West != 500000.5 || f.North != north ||
			f.StepX != 2.5 || f.StepY != -2 || f.South() != north-74 || f.East() != 500000.5+132.5 {
			t.Errorf("%s: %+v", path, f)
		}
		for _, w := range []Window{{0, 0, 53, 37}, {31, 15, 2, 9}, {52, 36, 1, 1}, {0, 7, 53, 2}} {
			got, err := f.Read(w)
			if err != nil {
				t.Error(err)
				continue
			}
			if f.IsFloat32() {
				values32, err := f.ReadFloat32(w)
				if err != nil {
					t.Error(err)
				}
				for i, v := range values32 {
					if math.Float64bits(float64(v)) != math.Float64bits(got[i]) && v == v {
						t.Errorf("%s: Read returns %v, ReadFloat32 %v", path, got[i], v)
					}
				}
			}
			for k, v := range got {
				x := want[(w.Row+k/w.Columns)*53+w.Column+k%w.Columns]
				if math.Float64bits(v) != math.Float64bits(x) && !(v != v && x != x) {
					t.Errorf("%s: %+v: value %d is %v, want %v", path, w, k, v, x)
					break
				}
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func readFloat64s(t *testing.T, path string) []float64 {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	list := make([]float64, len(text)/8)
	for i := range list {
		list[i] = math.Float64frombits(binary.LittleEndian.Uint64(text[8*i:]))
	}
	return list
}

// TestGDALReadsWrittenFiles: gdalinfo prints the values and metadata of files with either size of numbers and of
// offsets, without warnings, and Open reads the same values.
func TestGDALReadsWrittenFiles(t *testing.T) {
	gdalinfo := needs.Program(t, "gdalinfo", "gdal-bin")
	m := Image{Columns: 300, Rows: 200, West: 500000, North: 5.8e6, Width: 2, Height: 3, EPSG: 25832, Name: "h_max",
		Unit: "m", Values: make([]float64, 60000)}
	for i := range m.Values {
		m.Values[i] = math.Sqrt(float64(i))
	}
	m.Values[0] = math.NaN()
	for kind, float64s := range map[string]bool{"Type=Float32": false, "Type=Float64": true} {
		for _, maxClassic := range []int{0, maxClassic} {
			path := filepath.Join(t.TempDir(), "h <max>.tif")
			w := writer{Image: &m}
			m.Float64 = float64s
			data, err := w.file(maxClassic)
			if err != nil {
				t.Fatal(err)
			}
			if big := maxClassic == 0; data[2] != 42 && !big || data[2] != 43 && big {
				t.Errorf("version %d with at most %d bytes in a classic TIFF file", data[2], maxClassic)
			}
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(gdalinfo, "-stats", "--config", "GDAL_PAM_ENABLED", "NO", path).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, want := range []string{"Size is 300, 200", `ID["EPSG",25832]`, "Origin = (500000.0", "Pixel Size = (2.0",
				",-3.0", "NoData Value=nan", "Description = h_max", "Unit Type: m", "Maximum=244.947", kind} {
				if !strings.Contains(string(out), want) {
					t.Errorf("want %q in the output of gdalinfo:\n%s", want, out)
				}
			}
			if strings.Contains(strings.ToLower(string(out)), "warning") {
				t.Errorf("gdalinfo prints a warning:\n%s", out)
			}
			checkValues(t, path, &m)
		}
	}
}

// TestLargeFilesAreCloudOptimized: GDAL finds tiles, the layout and reductions in a large file, of which each value is
// the mean of those that there are, or the most frequent class; and its own check of the layout passes.
func TestLargeFilesAreCloudOptimized(t *testing.T) {
	gdalinfo := needs.Program(t, "gdalinfo", "gdal-bin")
	translate := needs.Program(t, "gdal_translate", "gdal-bin")
	python := needs.GDAL(t)
	for _, classes := range []bool{false, true} {
		for _, maxClassic := range []int{0, maxClassic} {
			m := Image{Columns: 1001, Rows: 703, West: 5e5, North: 5.8e6, Width: 2, Height: 2, EPSG: 25832, Name: "h",
				Values: make([]float64, 1001*703), Classes: classes}
			for i := range m.Values {
				m.Values[i] = float64(i%1001%5 + i/1001%3)
				if i%7 == 0 || i%1001 < 4 && i/1001 < 4 {
					m.Values[i] = math.NaN()
				}
			}
			data, err := (&writer{Image: &m}).file(maxClassic)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "h.tif")
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(gdalinfo, path).CombinedOutput()
			for _, want := range []string{"LAYOUT=COG", "Block=256x256", "Overviews: 501x352, 251x176"} {
				if err != nil || !strings.Contains(string(out), want) {
					t.Errorf("want %q in the output of gdalinfo: %v\n%s", want, err, out)
				}
			}
			out, err = exec.Command(python, "-m", "osgeo_utils.samples.validate_cloud_optimized_geotiff", "--full-check=yes",
				path).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "is a valid cloud optimized GeoTIFF") ||
				strings.Contains(string(out), "warning") {
				t.Errorf("GDAL's check: %v\n%s", err, out)
			}
			checkValues(t, path, &m)
			small := filepath.Join(t.TempDir(), "small.tif")
			out, err = exec.Command(translate, "-q", "-oo", "OVERVIEW_LEVEL=1", path, small).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			checkReduced(t, small, &m)
		}
	}
}

// checkReduced compares a reduction by 4 with the image.
func checkReduced(t *testing.T, path string, m *Image) {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := f.Read(Window{0, 0, 251, 176})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		sum, n, least, most := 0.0, 0.0, math.Inf(1), math.Inf(-1)
		for k := range 16 {
			if x, y := i%251*4+k%4, i/251*4+k/4; x < m.Columns && y < m.Rows {
				if value := m.Values[y*m.Columns+x]; value == value {
					sum, n, least, most = sum+value, n+1, min(least, value), max(most, value)
				}
			}
		}
		isRight := n == 0 && v != v || n > 0 && math.Abs(v-sum/n) < 1e-6*sum+1e-12
		if m.Classes {
			isRight = n == 0 && v != v || v == math.Trunc(v) && v >= least && v <= most
		}
		if !isRight {
			t.Fatalf("value %d of the reduction is %v, want %v", i, v, sum/n)
		}
	}
}

// checkValues compares a file with the image that was written to it.
func checkValues(t *testing.T, path string, m *Image) {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := f.Read(Window{0, 0, m.Columns, m.Rows})
	if err != nil || got[0] == got[0] || f.IsFloat32() == m.Float64 {
		t.Fatal(err, got[0], f.IsFloat32())
	}
	for i, v := range got[1:] {
		want := m.Values[i+1]
		if !m.Float64 {
			want = float64(float32(want))
		}
		if v != want && (v == v || want == want) {
			t.Fatalf("value %d is %v, want %v", i+1, v, want)
		}
	}
}
