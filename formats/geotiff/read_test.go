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

// TestGDALReadsWrittenFiles: gdalinfo prints the values and metadata of a file that Write wrote, without warnings.
func TestGDALReadsWrittenFiles(t *testing.T) {
	gdalinfo := needs.Program(t, "gdalinfo", "gdal-bin")
	path := filepath.Join(t.TempDir(), "h <max>.tif")
	m := &Image{Columns: 300, Rows: 200, West: 500000, North: 5.8e6, Width: 2, Height: 3, EPSG: 25832, Name: "h_max",
		Unit: "m", Values: make([]float64, 60000)}
	for i := range m.Values {
		m.Values[i] = math.Sqrt(float64(i))
	}
	m.Values[0] = math.NaN()
	if err := Write(path, m); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(gdalinfo, "-stats", "--config", "GDAL_PAM_ENABLED", "NO", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"Size is 300, 200", `ID["EPSG",25832]`, "Origin = (500000.0", "Pixel Size = (2.0",
		",-3.0", "NoData Value=nan", "Description = h_max", "Unit Type: m", "Maximum=244.947", "Type=Float64"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("want %q in the output of gdalinfo:\n%s", want, out)
		}
	}
	if strings.Contains(strings.ToLower(string(out)), "warning") {
		t.Errorf("gdalinfo prints a warning:\n%s", out)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := f.Read(Window{0, 0, 300, 200})
	if err != nil || got[0] == got[0] {
		t.Fatal(err, got[0])
	}
	for i, v := range got[1:] {
		if v != m.Values[i+1] {
			t.Fatalf("value %d is %v, want %v", i+1, v, m.Values[i+1])
		}
	}
}
