package series

import (
	"fmt"
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
	a, b := rows[i-1], rows[i] // the later of two rows of the same time
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

// TestTabulateFindsBreaks proves that the integral of an expression is exact, however short its parts are: between
// breaks it is linear.
func TestTabulateFindsBreaks(t *testing.T) {
	for text, want := range map[string]float64{
		"t > 500 and t < 501 ? 2 : 0":                     2,
		"(t >= 500.25) and not (t > 500.253) ? 1e3 : 1":   3 + 99999.997,
		"t <= 300 ? 1 : (300.5 >= t ? 100 : 0)":           350,
		"step(t-77.7)*(1-step(t-77.8))":                   .1,
		"max(0, 1 - abs(t - 4321.5)*100)":                 .01,
		"t % 3600 < 1 ? 1 : 0":                            28,
		"min(t, 10) + max(-3, t - 99998)":                 699962.5,
		"floor(t/50000)":                                  50000,
		"abs(sin(2*pi*t/40000)) < 0 ? 1 : 0":              0,
		"t*t < 100 ? 1 : 0":                               10,
		"(t - 500)*(t - 6000) < 0 ? 1 : 0":                5500,
		"t == 5 ? 1 : 0":                                  0,
		"ceil(t/25000) == 2 ? t/25000 - 1 : 0":            12500,
		"(t % 7200) % 60 > 59.5 and t < 7200 ? 1 : t*0":   60,
		"floor((t % 5000)/1000) == 3 and t < 1e4 ? 1 : 0": 2000,
	} {
		p, err := expr.Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := Tabulate(p, 1e5)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for k, r := range rows[1:] {
			if r.T < rows[k].T {
				t.Fatalf("%s: row %d at %g follows %g", text, k+1, r.T, rows[k].T)
			}
			sum += (r.T - rows[k].T) * (r.Value + rows[k].Value) / 2
		}
		if math.Abs(sum-want) > 1e-9*max(1, want) {
			t.Errorf("%s: integral %g, want %g", text, sum, want)
		}
	}
}

// TestStepwise proves that values hold until the next row.
func TestStepwise(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rain.csv")
	if err := os.WriteFile(path, []byte("t,r\n0,1\n10,3\n20,0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	rows, err := FromCase(&config.Case{Time: config.Time{End: 20}}, config.Series{File: path, Steps: true})
	want := []Row{{T: 0, Value: 1}, {T: 10, Value: 1}, {T: 10, Value: 3}, {T: 20, Value: 3}, {T: 20, Value: 0}}
	if err != nil || !slices.Equal(rows, want) {
		t.Errorf("%v, %v, want %v", rows, err, want)
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
	for text, want := range map[string]string{
		"t,z\n46053,1\n46054,2\n": "its times, from 46053 s to 46054 s, are all after the run, which is from 0 to 6 s",
		"t,z\n7,1\n":              "", // one value for all times
		"t,z\n-5,1\n-4,2\n":       "", // with a note that the last value holds
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		c := &config.Case{Time: config.Time{End: 6}}
		_, err := FromCase(c, s)
		if got := fmt.Sprint(err); !strings.Contains(got, want) || want == "" && err != nil {
			t.Errorf("%q: %s, want %q", text, got, want)
		}
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
	text := "time,level\n2026-01-31T11:59:00Z,1\n2026-01-31 12:00Z,2\n2026-01-31T14:01:30+02:00,3\n"
	file := filepath.Join(t.TempDir(), "tide.csv")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := series.Read(series.Table{Path: file}, "", when.Seconds)
	if err != nil || !slices.Equal(got.Rows, want) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := series.Read(series.Table{Path: file}, "", config.Time{}.Seconds); err == nil ||
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
		got, err = series.Read(series.Table{Path: path}, column, when.Seconds)
		if err != nil || !slices.Equal(got.Rows, want) {
			t.Errorf("%v, %v", got, err)
		}
	}
	if _, err := series.Read(series.Table{Path: path}, "rain", when.Seconds); err == nil ||
		!strings.Contains(err.Error(), `of ["level"]`) {
		t.Error(err)
	}
}

// TestUnitsOfFiles: values in the unit that a file declares are converted to that of the case, or refused.
func TestUnitsOfFiles(t *testing.T) {
	for _, c := range []struct {
		text, unit, want string
	}{
		{"t,rain [mm/h]\n0,3600\n10,0\n", "m/s", "0.001"},
		{"t;rain (mm/h)\n0;3600\n10;0\n", "m/s", "0.001"},
		{"t,level [cm]\n0,150\n10,0\n", "m", "1.5"},
		{"t,level (ft)\n0,10\n10,0\n", "m", "3.048"},
		{"t,wind [kn]\n0,36\n10,0\n", "m/s", "18.52"},
		{"t,rain [kg m-2 s-1]\n0,1\n10,0\n", "m/s", "0.001"},
		{"t,rain [m/s]\n0,1\n10,0\n", "m/s", "1"},
		{"t,rain_mm_h\n0,3600\n10,0\n", "m/s", "0.001"},
		{"t,rain mm/h\n0,3600\n10,0\n", "m/s", "0.001"},
		{"t;rain, mm/h\n0;3600\n10;0\n", "m/s", "0.001"},
		{"t;rain / mm/h\n0;3600\n10;0\n", "m/s", "0.001"},
		{"t;rain in mm per hour\n0;3600\n10;0\n", "m/s", "0.001"},
		{"t,rain [mm/5min]\n0,300\n10,0\n", "m/s", "0.001"},
		{"t,rain [l/(s ha)]\n0,10000\n10,0\n", "m/s", "0.001"},
		{"t,level_ft\n0,10\n10,0\n", "m", "3.048"},
		{"t,level_in\n0,10\n10,0\n", "m", "10"}, // of an inlet, not inches
		{"t,level_min\n0,10\n10,0\n", "m", "10"},
		{"t,level_m\n0,10\n10,0\n", "m", "10"},
		{"t,rain\n0,1\n10,0\n", "m/s", "1"},
		{"t,rain [furlongs]\n0,1\n10,0\n", "m/s", "1"},
		{"t,flow [m3/s]\n0,1\n10,0\n", "m2/s", `the unit is "m3/s", which cannot be converted to m2/s`},
		{"t,rain [mm]\n0,1\n10,0\n", "m/s", `the unit is "mm", which cannot be converted to m/s`},
	} {
		path := filepath.Join(t.TempDir(), "f.csv")
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		rows, err := FromCase(&config.Case{Time: config.Time{End: 10}}, config.Series{File: path, Unit: c.unit})
		if err == nil && fmt.Sprintf("%.12g", rows[0].Value) == c.want || err != nil && strings.Contains(err.Error(),
			c.want) {
			continue
		}
		t.Errorf("%q: %v, %v; want %s", c.text, rows, err, c.want)
	}
}

// TestFormulas: values are computed from columns of a table, in SI units where a title has a unit.
func TestFormulas(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) string {
		path := filepath.Join(dir, "f.csv")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct{ text, formula, want string }{
		{"t,qx,qy\n0,3,4\n10,-6,8\n", "300*hypot(qx, qy)", "1500 3000"},
		{"t,qx,qy\n0,3,\n10,-6,8\n", "2*qx", "6 -12"}, // a gap in another column
		{"t [min],a [mm/h],b [l/s]\n0,3600,500\n1,0,1000\n", "a + b", "0.501 1"},
		{"t,level [ft],level (gauge 3)\n0,10,1\n10,0,1\n", "level - 1", "2.048 -1"},
		{"t,q\n0,1\n10,2\n", "q*(1 + t/10)", "1 4"},
		{"t;Größe\n0;1,5\n10;2\n", "Größe", "1.5 2"},
		{"t,q\n0,1\n10,2\n", "p", `f.csv: formula: expression "p"`},
		{"t,q\n0,1\n10,2\n", "q +", "formula: expression"},
		{"t,q\n0,1\n10,2\n", "3*t", `formula "3*t" has no column of ["q"]`},
		{"t,z,q\n0,1,2\n10,2,3\n", "z*q", `formula "z*q" depends on z; columns are ["z" "q"]`},
		{"t,q\n0,0\n10,2\n", "1/q", `f.csv: expression "1/q" is infinite`},
		{"t,q\n0,\n10,2\n", "q", "f.csv:2: the value at 0 s is missing"},
		{"t,q [furlong]\n0,1\n10,2\n", "q", `f.csv: q: the unit "furlong": the unit is not known`},
		{"t,q,q\n0,1,1\n10,2,1\n", "q", `have the title "q"`},
	} {
		s := config.Series{File: write(c.text), Formula: c.formula}
		rows, err := FromCase(&config.Case{Time: config.Time{End: 10}}, s)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprintf("%.12g %.12g", rows[0].Value, rows[1].Value)
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%q, %q: %s; want %s", c.text, c.formula, got, c.want)
		}
	}
}

// TestSheets: a series is in a sheet of an Excel workbook, with dates.
func TestSheets(t *testing.T) {
	path, err := filepath.Abs("../../../formats/xlsx/testdata/openpyxl.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		sheet, column, epoch, want string
	}{
		{"gauge", "level", "2015-12-05T18:00:00Z", `openpyxl.xlsx, sheet gauge:4: the value at 3600 s is missing`},
		{"gauge", "stage", "2015-12-05T18:00:00Z", `openpyxl.xlsx, sheet gauge:1: there is no column "stage"`},
		{"gauge", "comment", "2015-12-05T18:00:00Z", `sheet gauge:2: column "comment": "start" is not a finite number`},
		{"gauge", "level", "", "openpyxl.xlsx, sheet gauge:2: "},
		{"about", "level", "", "openpyxl.xlsx, sheet about:1: a series needs a column"},
		{"", "level", "", `openpyxl.xlsx: the workbook has 2 sheets: set sheet to one of ["about" "gauge"]`},
	} {
		s := config.Series{File: path, Sheet: c.sheet, Column: c.column, Hold: true, Unit: "m"}
		_, err := FromCase(&config.Case{Time: config.Time{End: 1800, Epoch: c.epoch}}, s)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c, err)
		}
	}
	got, err := series.Read(series.Table{Path: path, Sheet: "gauge"}, "level",
		config.Time{Epoch: "2015-12-05T18:00:00Z"}.Seconds)
	if err != nil || len(got.Rows) != 3 || got.Rows[1] != (Row{T: 1800, Value: 1.5}) || got.Unit != "m" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestTides: a level from harmonic constants is tabulated over the run, and other units have none.
func TestTides(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tide.csv")
	if err := os.WriteFile(path, []byte("name,amplitude [cm],phase\nZ0,50,\nS2,100,30\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	c := &config.Case{Time: config.Time{End: 86400, Epoch: "2026-01-31T00:00:00Z"}}
	rows, err := FromCase(c, config.Series{File: path, Tidal: true, Unit: "m"})
	if err != nil {
		t.Fatal(err)
	}
	for _, hour := range []float64{0, 1, 7.3, 24} { // S2 follows the mean sun
		got, want := interpolate(rows, hour*3600), .5+math.Cos((30*hour-30)*math.Pi/180)
		if math.Abs(got-want) > 3e-5 {
			t.Errorf("at %g h: %g, want %g", hour, got, want)
		}
	}
	c.Time.Epoch = ""
	if _, err := FromCase(c, config.Series{File: path, Tidal: true, Unit: "m"}); err == nil ||
		!strings.Contains(err.Error(), "give [time] epoch") {
		t.Error(err)
	}
}
