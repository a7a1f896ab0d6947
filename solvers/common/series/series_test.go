package series

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/config/expr"
	"github.com/atoll-hpc/atoll/formats/netcdf"
	"github.com/atoll-hpc/atoll/formats/series"
)

// interpolate returns the value at time t, linearly between rows.
func interpolate(rows []Row, t float64) float64 {
	i, _ := slices.BinarySearchFunc(rows, t, func(r Row, t float64) int {
		if r.T <= t {
			return -1
		}
		return 1
	})
	if i == len(rows) {
		return rows[i-1].Value
	}
	a, b := rows[i-1], rows[i]
	return a.Value + (b.Value-a.Value)*(t-a.T)/(b.T-a.T)
}

// TestTabulate proves that interpolation between the rows of an expression is accurate to 1e-5 of its range, and that
// the rows around a jump are so close that at most one of a million samples lies between them.
func TestTabulate(t *testing.T) {
	for text, f := range map[string]func(float64) float64{
		"3 + 2*sin(t/7)": func(t float64) float64 { return 3 + 2*math.Sin(t/7) },
		"exp(-t/100)":    func(t float64) float64 { return math.Exp(-t / 100) },
		"t < 100.3 ? 1 : 5": func(t float64) float64 {
			if t < 100.3 {
				return 1
			}
			return 5
		},
	} {
		p, err := expr.Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := Tabulate(p, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if rows[0].T != 0 || rows[len(rows)-1].T != 1000 || len(rows) > 1<<17 {
			t.Errorf("%s: %d rows from %g to %g", text, len(rows), rows[0].T, rows[len(rows)-1].T)
		}
		wrong := 0
		const samples = 1 << 20
		for k := range samples {
			got, want := interpolate(rows, 1000*float64(k)/samples), f(1000*float64(k)/samples)
			if math.Abs(got-want) > 4.1e-5 {
				wrong++
			}
		}
		if wrong > 1 { // one sample may lie in the jump
			t.Errorf("%s: wrong at %d of %d times", text, wrong, samples)
		}
	}
	p, err := expr.Compile("2*pi")
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := Tabulate(p, 1000); err != nil || !slices.Equal(rows, Constant(2*math.Pi)) {
		t.Errorf("a constant: %v, %v", rows, err)
	}
	if p, err = expr.Compile("1/(t - 500)"); err != nil {
		t.Fatal(err)
	}
	if _, err := Tabulate(p, 1000); err == nil || !strings.Contains(err.Error(), "t = 500") {
		t.Errorf("a pole: error %v", err)
	}
	if p, err = expr.Compile("sin(t*1e5)"); err != nil {
		t.Fatal(err)
	}
	if _, err := Tabulate(p, 1000); err == nil || !strings.Contains(err.Error(), "too fast") {
		t.Errorf("a fast wave: error %v", err)
	}
}

// TestSeriesCoverTheRun proves that a file that does not cover the run is refused, unless hold is set.
func TestSeriesCoverTheRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tide.csv")
	if err := os.WriteFile(path, []byte("t,z\n0,1\n5,2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	c := &config.Case{Time: config.Time{End: 6}}
	s := config.Series{File: path}
	if _, err := FromCase(c, s); err == nil ||
		!strings.Contains(err.Error(), "from 0 s to 5 s, the run is from 0 to 6 s") {
		t.Errorf("error %v", err)
	}
	s.Hold = true
	if rows, err := FromCase(c, s); err != nil || len(rows) != 2 {
		t.Errorf("%v, %v", rows, err)
	}
	s = config.Series{File: "nowhere.csv"}
	if _, err := FromCase(c, s); err == nil || !strings.Contains(err.Error(), "nowhere.csv") {
		t.Errorf("error %v", err)
	}
}

// TestDatesCountFromTheEpoch proves that dates in CSV and NetCDF files are converted to seconds from the epoch.
func TestDatesCountFromTheEpoch(t *testing.T) {
	when := config.Time{Epoch: "2026-01-31T12:00:00Z"}
	want := []Row{{T: -60, Value: 1}, {T: 0, Value: 2}, {T: 90, Value: 3}}
	text := "time,level\n2026-01-31T11:59:00Z,1\n2026-01-31 12:00,2\n2026-01-31T14:01:30+02:00,3\n"
	file := filepath.Join(t.TempDir(), "tide.csv")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := series.Read(file, "", when.Seconds)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := series.Read(file, "", config.Time{}.Seconds); err == nil ||
		!strings.Contains(err.Error(), "tide.csv:2: ") || !strings.Contains(err.Error(), "give [time] epoch") {
		t.Error(err)
	}
	clock := &netcdf.Var{Name: "time", Type: netcdf.Float64, Dims: []int{0},
		Attrs: netcdf.Attrs{netcdf.Text("units", "minutes since 2026-01-31 11:58:00")}}
	level := &netcdf.Var{Name: "level", Type: netcdf.Int16, Dims: []int{0},
		Attrs: netcdf.Attrs{netcdf.Numeric("scale_factor", netcdf.Float64, .5)}}
	head, err := netcdf.Define([]netcdf.Dim{{Name: "time", Length: 3}}, nil, []*netcdf.Var{clock, level})
	if err != nil {
		t.Fatal(err)
	}
	b := append(head.Encode(), make([]byte, 40)...)
	copy(b[head.Offset(clock, 0, 0):], netcdf.Float64.Append(nil, []float64{1, 2, 3.5}))
	copy(b[head.Offset(level, 0, 0):], netcdf.Int16.Append(nil, []float64{2, 4, 6}))
	path := filepath.Join(t.TempDir(), "tide.nc")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, column := range []string{"", "level"} {
		got, err = series.Read(path, column, when.Seconds)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v", got, err)
		}
	}
	if _, err := series.Read(path, "rain", when.Seconds); err == nil || !strings.Contains(err.Error(), `of ["level"]`) {
		t.Error(err)
	}
}
