package raster

import (
	"encoding/json"
	"errors"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/formats/series"
	"github.com/atoll-hpc/atoll/internal/dates"
	"github.com/atoll-hpc/atoll/internal/needs"
)

// otherFile is a file of another program, and what its own libraries read from it.
type otherFile struct {
	File      string
	Refused   string // text of the error that is expected; "" for a file that is read
	Tolerance float64
	Series    bool
	Times     []float64  // of a series, s after noon
	Values    []*float64 // nil for no value; of rasters row by row from the north-west corner

	West, North, Dx, Dy float64 // outer corner, size of cells
}

// TestFilesOfOtherPrograms: files that GDAL, netCDF4, xarray and pandas write with many options, listed in
// testdata/*.py, are read to the values that these read from them, or are refused for a reason.
func TestFilesOfOtherPrograms(t *testing.T) {
	files := 0
	for script, python := range map[string]string{"gdal_files.py": needs.GDAL(t), "netcdf_files.py": needs.Xarray(t)} {
		dir := t.TempDir()
		command := exec.Command(python, filepath.Join("testdata", script), dir)
		out, err := command.Output()
		if err != nil {
			var failed *exec.ExitError
			if errors.As(err, &failed) {
				out = failed.Stderr
			}
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
		for line := range strings.Lines(string(out)) {
			var f otherFile
			if err := json.Unmarshal([]byte(line), &f); err != nil {
				t.Fatal(err)
			}
			files++
			path := filepath.Join(dir, f.File)
			read := f.compareRaster
			if f.Series {
				read = f.compareSeries
			}
			err := read(t, path)
			switch {
			case f.Refused == "" && err != nil:
				t.Errorf("%s: %v", f.File, err)
			case f.Refused != "" && (err == nil || !strings.Contains(err.Error(), f.Refused) ||
				!strings.HasPrefix(err.Error(), path)):
				t.Errorf("%s: got error %v, want %q", f.File, err, f.Refused)
			}
		}
	}
	if files < 60 {
		t.Errorf("read %d files, want 60", files)
	}
}

func (f *otherFile) differ(got, want float64) bool {
	return !(math.Abs(got-want) <= f.Tolerance*math.Max(1, math.Abs(want))) && (got == got || want == want)
}

func (f *otherFile) compareRaster(t *testing.T, path string) error {
	g, err := Open(path, Options{Box: Everywhere})
	if err != nil || f.Refused != "" {
		return err
	}
	north := g.South + float64(g.Rows)*g.Height
	if f.differ(g.West, f.West) || f.differ(north, f.North) || f.differ(g.Width, f.Dx) || f.differ(g.Height, f.Dy) ||
		g.Columns*g.Rows != len(f.Values) {
		t.Errorf("%s: %d x %d cells of %g x %g from (%g, %g) on, want %+v", f.File, g.Columns, g.Rows, g.Width, g.Height,
			g.West, north, f)
		return nil
	}
	for i, v := range f.Values {
		want := math.NaN()
		if v != nil {
			want = *v
		}
		if got := g.value(i%g.Columns, g.Rows-1-i/g.Columns); f.differ(got, want) {
			t.Errorf("%s: cell %d is %v, want %v", f.File, i, got, want)
			return nil
		}
	}
	return nil
}

func (f *otherFile) compareSeries(t *testing.T, path string) error {
	noon := dates.Date{Day: 20484, Nanos: 12 * 3600e9} // of 2026-01-31
	s, err := series.Read(series.Table{Path: path}, "", func(d dates.Date) (float64, error) { return d.Sub(noon), nil })
	if err != nil || f.Refused != "" {
		return err
	}
	rows, err := s.Complete()
	if err != nil {
		return err
	}
	for i, r := range rows {
		if len(rows) != len(f.Times) || f.differ(r.T, f.Times[i]) || f.differ(r.Value, *f.Values[i]) {
			t.Errorf("%s: got rows %v, want times %v", f.File, rows, f.Times)
			return nil
		}
	}
	return nil
}
