package series

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/formats/netcdf"
	"github.com/atoll-hpc/atoll/internal/dates"
)

func noDates(dates.Date) (float64, error) { return 0, errors.New("no dates") }

// fromNoon converts dates to s after 2026-01-31T12:00:00Z.
func fromNoon(d dates.Date) (float64, error) {
	return d.Sub(dates.Date{Day: 20484, Nanos: 12 * 3600e9}), nil
}

// TestTimeZonesAreNotMixed: of dates with and without a time zone only those in UTC are of the same series.
func TestTimeZonesAreNotMixed(t *testing.T) {
	for _, text := range []string{"t,z\n2026-01-31T13:00+01:00,1\n2026-01-31T12:30,2\n",
		"t,z\n2026-01-31 12:00,1\n2026-01-31 12:10,1\n2026-01-31 14:30 +0100,2\n"} {
		_, err := Decode(strings.NewReader(text), "tide.csv", []string{""}, fromNoon)
		if err == nil || !strings.Contains(err.Error(), "one has a time zone, the other none") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestDecode: a table in the dialects that programs write has the same columns.
func TestDecode(t *testing.T) {
	for _, text := range []string{
		"# of a gauge\nt, level,flow\n0, 1,2\n1.5,3,-4\n10,5,6\n",
		"\ufefft,level,flow\r\n0,1,2\r\n1.5,3,-4\r\n10,5,6\r\n",
		"t;level;flow\n0;1;2\n1,5;3;-4\n10;5;6\n",
		"\ufeff\"t\";\"level\";\"flow\"\n0;1;2\n\n1,5;3,0;-4\n10;5;6;\n",
		"sep=;\nt;level;flow\n0;1;2\n1.5;3;-4\n10;5;6\n",
		"t\tlevel\tflow\n0\t1\t2\n1,5\t3\t-4\n10\t5\t6\n",
		"  t  level  flow\n  0    1   2\n 1.5  3  -4 \n 10  5  6\n",
		"t [s],level [m],flow [m2/s]\n0,1,2\n1.5,3,-4\n10,5,6\n",
		"t [s] level [m] flow [m²/s]\n0 1 2\n1.5 3 -4\n10 5 6\n",
		"t [min];level;flow\n0;1;2\n0,025;3;-4\n0,16666666666666666;5;6\n",
		"elapsed_min;level;flow\n0;1;2\n0,025;3;-4\n0,16666666666666666;5;6\n",
		"Minutes since start;level;flow\n0;1;2\n0,025;3;-4\n0,16666666666666666;5;6\n",
		"t, min;level;flow\n0;1;2\n0,025;3;-4\n0,16666666666666666;5;6\n",
		"time since start [min];level;flow\n0;1;2\n0,025;3;-4\n0,16666666666666666;5;6\n",
		"timestamp,level,flow\n0,1,2\n1.5,3,-4\n10,5,6\n",
		"time (h),level,flow\n0,1,2\n0.0004166666666666667,3,-4\n0.002777777777777778,5,6\n",
		"time,level,flow\n2026-01-31T12:00Z,1,2\n2026-01-31 12:00:01.5,3,-4\n20260131T120010,5,6\n",
		"time level flow\n2026-01-31 12:00 1 2\n2026-01-31 12:00:01.5 3 -4\n2026-01-31 12:00:10 5 6\n",
		"Time (UTC);level;flow\n2026-01-31T12:00;1;2\n2026-01-31T12:00:01,5;3;-4\n2026-01-31T13:00:10+01:00;5;6\n",
	} {
		for column, want := range map[string][]Row{
			"": {{0, 1}, {1.5, 3}, {10, 5}}, "level": {{0, 1}, {1.5, 3}, {10, 5}}, "flow": {{0, 2}, {1.5, -4}, {10, 6}},
		} {
			got, err := Decode(strings.NewReader(text), "tide.csv", []string{column}, fromNoon)
			if err != nil {
				t.Errorf("%q: column %q: %v", text, column, err)
				continue
			}
			rows, err := got[0].Complete()
			if err != nil || !slices.Equal(rows, want) {
				t.Errorf("%q: column %q: %v, %v; want %v", text, column, rows, err, want)
			}
		}
	}
	all, err := Decode(strings.NewReader("t,z [ft],level (gauge 3),\"a; b\"\n0,1,2,3\n"), "tide.csv", nil, noDates)
	if err != nil || len(all) != 3 || all[0].Name != "z" || all[0].Unit != "ft" || all[1].Name != "level (gauge 3)" ||
		all[1].Unit != "" || all[2].Name != "a; b" {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestOtherAttributes: an attribute that is not one of the CF conventions is noted.
func TestOtherAttributes(t *testing.T) {
	for attr, want := range map[string]string{"unit": "know only units", "Units": "know only units",
		"FillValue": "know only _FillValue", "scale": "know only scale_factor", "units": "is converted from mm/h to m/s",
		"long_name": ""} {
		path := netcdfSeries(t, netcdf.Float64, netcdf.Attrs{netcdf.Text("units", "s")}, []float64{0, 1},
			netcdf.Attrs{netcdf.Text(attr, "mm/h")}, []float64{1, 2})
		var notes []string
		s, err := Read(Table{Path: path}, "", noDates)
		if err == nil {
			notes, err = s.Convert("a.nc", "m/s")
		}
		if got := strings.Join(notes, "\n"); err != nil || !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, %v, want %q", attr, got, err, want)
		}
	}
}

// TestChoice: a column without a choice is named with the others; a title that two columns have chooses none.
func TestChoice(t *testing.T) {
	for _, c := range []struct{ text, column, note, refusal string }{
		{"t,wind,rain\n0,5,1\n", "", `the column "wind" is taken, since it is the first one; the key column chooses ` +
			`another of ["rain"]`, ""},
		{"t,wind,rain\n0,5,1\n", "rain", "", ""},
		{"t,wind,\n0,5,\n", "", "", ""},
		{"t,rain,rain\n0,5,1\n", "rain", "", `a.csv:1: columns 2 and 3 have the title "rain": rename one`},
		{"t,rain [mm/h],z,rain [m/s]\n0,5,1,2\n", "rain", "", `a.csv:1: columns 2 and 4 have the title "rain"`},
		{"t,rain [mm/h],z,rain [m/s]\n0,5,1,2\n", "rain [m/s]", "", ""},
	} {
		path := filepath.Join(t.TempDir(), "a.csv")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Read(Table{Path: path}, c.column, noDates)
		if c.refusal != "" || err != nil {
			if err == nil || c.refusal == "" || !strings.Contains(err.Error(), c.refusal) {
				t.Errorf("%q: %v, want %q", c.text, err, c.refusal)
			}
			continue
		}
		notes, err := s.Convert("a.csv", "")
		if got := strings.Join(notes, "\n"); err != nil || !strings.Contains(got, c.note) || c.note == "" && got != "" {
			t.Errorf("%q: %q, %v, want %q", c.text, got, err, c.note)
		}
	}
}

// TestReadCurve: the levels and values of a curve in the units of their titles.
func TestReadCurve(t *testing.T) {
	for text, want := range map[string]string{
		"z,q\n1,0\n2,5\n":                                 "[{1 0} {2 5}]",
		"level [m],flow [l/s]\n1,0\n2,5000\n":             "[{1 0} {2 5}]",
		"stage [cm];discharge (m³/s)\n100;0\n200;5\n":     "[{1 0} {2 5}]",
		"gauge_ft flow_cfs\n-10 0\n0 100\n":               "[{-3.048 0} {0 2.8316846592}]",
		"h, cm;Q, l/s\n100;0\n200;5000\n":                 "[{1 0} {2 5}]",
		"min level,q\n1,0\n2,5\n":                         "[{1 0} {2 5}]",
		"level [s],q\n1,0\n2,5\n":                         "cannot be converted to m",
		"level,q [m]\n1,0\n2,5\n":                         "cannot be converted to m3/s",
		"level,q\n2,0\n1,5\n":                             "want increasing",
		"level,q\n2026-01-31T12:00,0\n2026-01-31T13:00,5": "is not a finite number",
	} {
		path := filepath.Join(t.TempDir(), "q.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := ReadCurve(Table{Path: path}, "")
		if err == nil {
			_, err = s.Convert("q.csv", "m3/s")
		}
		got := fmt.Sprint(err)
		if err == nil {
			for i := range s.Rows { // but for rounding
				s.Rows[i].Value = math.Round(s.Rows[i].Value*1e12) / 1e12
			}
			got = fmt.Sprint(s.Rows)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestGaps: a missing value is an error for input that needs all, and NaN in measurements.
func TestGaps(t *testing.T) {
	for _, c := range []struct{ text, gap, marker string }{
		{"t,z\n0,0\n1,0.1\n2,\n3,0.25\n", "tide.csv:4: the value at 2 s is missing: leave out rows", ""},
		{"t,z\n0,0\n1,0.1\n2,NaN\n3,0.25\n", "tide.csv:4: the value at 2 s is missing", ""},
		{"t;z\n0;0\n1;0,1\n2;n/a\n3;0,25\n", "tide.csv:4: the value at 2 s is missing", ""},
		{"t z\n0 0\n1 0.1\n2 -\n3 0.25\n", "tide.csv:4: the value at 2 s is missing", ""},
		{"t,z\n0,0\n1,0.1\n2,-9999\n3,0.25\n", "tide.csv:4: the value at 2 s, -9999, marks a missing one",
			"tide.csv:4: the value at 2 s, -9999, marks a missing one: such rows are left out"},
		{"t,z\n0,0\n1,0.1\n2,999.9\n3,0.25\n", "999.9, marks a missing one", "999.9"},
		{"t,z\n0,0\n1,0.1\n2,99\n3,0.25\n", "99, marks a missing one", "99"},
		{"t,z\n0,0\n1,0.1\n2,-99.9\n3,0.25\n", "-99.9, marks a missing one", "-99.9"},
		{"t,z\n0,0\n1,0.1\n2,9.96921e36\n3,0.25\n", "9.96921e+36, marks a missing one", "9.9"},
		{"t,z\n0,0\n1,0.1\n3,0.25\n", "", ""},
	} {
		list, err := Decode(strings.NewReader(c.text), "tide.csv", []string{"z"}, noDates)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		s := list[0]
		if _, err := s.Complete(); (err == nil) != (c.gap == "") || err != nil && !strings.Contains(err.Error(), c.gap) {
			t.Errorf("%q: %v, want %q", c.text, err, c.gap)
		}
		if note := s.MarkerNote(); !strings.Contains(note, c.marker) || (note == "") != (c.marker == "") {
			t.Errorf("%q: note %q, want %q", c.text, note, c.marker)
		}
		if v := s.Rows[2].Value; c.gap != "" && v == v {
			t.Errorf("%q: value %v, want NaN", c.text, v)
		}
	}
}

func TestDecodeRefusesMalformedFiles(t *testing.T) {
	for text, want := range map[string]string{
		"":                    "tide.csv: the file is empty",
		"t\n0\n":              "tide.csv:1: a series needs a column for the time and a column for values",
		"0,1\n1,2\n":          "tide.csv:1: the first row must have the titles of columns",
		"t,z\n":               "tide.csv: a series needs at least one row",
		"t,z\n0,1\n0,2\n":     "tide.csv:3: time 0 s follows 0 s",
		"t,z\n0,high\n":       `tide.csv:2: column "z": "high" is not a finite number`,
		"t,z\n0,inf\n":        `tide.csv:2: column "z": "inf" is not a finite number`,
		"t,z\n0,1,2\n":        "tide.csv:2: the row has 3 columns, the first row has 2",
		"t,z\n0,\"0,5\"\n":    `tide.csv:2: column "z": "0,5" is not a finite number: write the decimal sign as a`,
		"t;z\n0;0,5\n1;1.5\n": `tide.csv:3: column "z": "1.5": other numbers have another decimal sign`,
		"t;z\n0;1.234,5\n":    `"1.234,5" is not a finite number`,
		"t;z\n0,1\n":          "tide.csv:2: \"0,1\": columns are separated by ';' in the first row, but not here",
		"t,h\n0,1\n":          `tide.csv:1: there is no column "z": want one of ["h"]`,
		"t,z\n\"0,1\n2,3\n":   "tide.csv:",
		"t,z\n20260131,1\n": "tide.csv:2: 20260131 is a number of seconds and also a date: write dates as in " +
			"2026-01-31",
		"t,z\n01/31/2026 12:00,1\n":             `"01/31/2026 12:00" is neither a number nor a date and time of ISO 8601`,
		"t,z\n31.01.2026,1\n":                   `tide.csv:2: "31.01.2026" is neither a number nor a date`,
		"t,z\n2026-01-31T25:00,1\n":             `tide.csv:2: "2026-01-31T25:00" is not an ISO 8601 date`,
		"date,z\n46053.5,1\n":                   `tide.csv:2: 46053.5 is a number, but the title "date" announces dates`,
		"timestamp,z\n1769860800,1":             `tide.csv:2: 1769860800 is a number, but the title "timestamp"`,
		"hours since 1970-01-01,z\n1,2":         `tide.csv:1: the title of the times, "hours since 1970-01-01", counts`,
		"t [km],z\n0,1\n":                       `tide.csv:1: the unit of the time, "km", is not a unit of time`,
		"time (UTC+1),z\n0,1\n":                 "tide.csv:1: the title of the times has the time zone UTC+1",
		"\xff\xfet\x00,\x00z\x00\n":             "tide.csv: the file is text in UTF-16",
		"time (CET),z\n2026-01-31 12:00,1\n":    "the title of the times has the time zone CET: write it in each time",
		"Zeit MESZ;z\n2026-07-31 12:00;1\n":     "has the time zone MESZ",
		"date [EST],z\n2026-01-31 12:00,1\n":    "has the time zone EST",
		"Local Time,z\n2026-01-31 12:00,1\n":    "has the time zone Local Time",
		"time Europe/Berlin,z\n2026-01-31,1\n":  "has the time zone Europe/Berlin",
		"local standard time,z\n2026-01-31,1\n": "has the time zone local standard time",
	} {
		column := ""
		if strings.HasPrefix(text, "t,h") {
			column = "z"
		}
		_, err := Decode(strings.NewReader(text), "tide.csv", []string{column}, noDates)
		if err == nil || !strings.HasPrefix(err.Error(), want) && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error %v, want %q", text, err, want)
		}
	}
}

// netcdfSeries writes a file with a series over time.
func netcdfSeries(t *testing.T, timeType netcdf.Type, timeAttrs netcdf.Attrs, times []float64, attrs netcdf.Attrs,
	values []float64) string {
	t.Helper()
	clock := &netcdf.Var{Name: "time", Type: timeType, Dims: []int{0}, Attrs: timeAttrs}
	rain := &netcdf.Var{Name: "rain", Type: netcdf.Float64, Dims: []int{0}, Attrs: attrs}
	head, err := netcdf.Define([]netcdf.Dim{{Name: "time", Length: int64(len(times))}}, nil, []*netcdf.Var{clock, rain})
	if err != nil {
		t.Fatal(err)
	}
	b := append(head.Encode(), make([]byte, head.FixedSize())...)
	copy(b[head.Offset(clock, 0, 0):], timeType.Append(nil, times))
	copy(b[head.Offset(rain, 0, 0):], netcdf.Float64.Append(nil, values))
	path := filepath.Join(t.TempDir(), "rain.nc")
	if err := os.WriteFile(path, b[:head.FixedSize()], 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestNetCDFTimes: time units of any form, and packed times, give the times that cftime.num2date gives.
func TestNetCDFTimes(t *testing.T) {
	for _, c := range []struct {
		units string
		more  netcdf.Attrs
		typ   netcdf.Type
		times []float64
		want  string
	}{
		{"seconds since 2026-01-31 12:00:00", nil, netcdf.Float64, []float64{0, 10}, "[0 10]"},
		{"seconds since 2026-01-31 12:00:00 +00:00", nil, netcdf.Float64, []float64{0, 10}, "[0 10]"},
		{"Seconds Since 2026-01-31T13:00:00+01:00", nil, netcdf.Float64, []float64{0, 10}, "[0 10]"},
		{"minutes since 2026-1-31 12:0:0.0 UTC", nil, netcdf.Float64, []float64{0, .5}, "[0 30]"},
		{"hours since 1900-01-01", nil, netcdf.Int32, []float64{1105236, 1105237}, "[0 3600]"},
		{"days since 0001-01-01", nil, netcdf.Float64, []float64{739648.5, 739649.5}, "[0 86400]"},
		{"days since 1-1-1 0:0:0", netcdf.Attrs{netcdf.Text("calendar", "gregorian")}, netcdf.Float64,
			[]float64{739648.25, 739648.5}, "[-21600 0]"},
		{"days since 0001-01-01", netcdf.Attrs{netcdf.Text("calendar", "proleptic_gregorian")}, netcdf.Float64,
			[]float64{739646.5, 739647.5}, "[0 86400]"},
		{"seconds since 2026-01-31 12:00", netcdf.Attrs{netcdf.Numeric("scale_factor", netcdf.Float64, .1)}, netcdf.Int16,
			[]float64{0, 100}, "[0 10]"},
		{"seconds since 2026-01-31 12:00", netcdf.Attrs{netcdf.Text("scale_factor", "0.5"),
			netcdf.Numeric("add_offset", netcdf.Float64, 4)}, netcdf.Int16, []float64{0, 100}, "[4 54]"},
		{"seconds since 2026-01-31 12:00", netcdf.Attrs{netcdf.Text("_Unsigned", "true")}, netcdf.Int8, []float64{0, -56},
			"[0 200]"},
		{"milliseconds since 2026-01-31 12:00:00Z", nil, netcdf.Int32, []float64{0, 1500}, "[0 1.5]"},
		{"hours", nil, netcdf.Float64, []float64{0, 2}, "[0 7200]"},
		{"s", nil, netcdf.Int32, []float64{0, 2}, "[0 2]"},
		{"days since 1970-01-01 00:00:00", nil, netcdf.Float64, []float64{20484.5, 20484.6}, "[0 8640]"},
		// refused
		{"months since 2026-01-31", nil, netcdf.Int32, []float64{0, 1}, `its units are "months since 2026-01-31"`},
		{"day as %Y%m%d.%f", nil, netcdf.Float64, []float64{20260131, 20260132}, `its units are "day as %Y%m%d.%f"`},
		{"days since 2026-13-01", nil, netcdf.Int32, []float64{0, 1}, `"2026-13-01" is not a date of the calendar`},
		{"days since noon", nil, netcdf.Int32, []float64{0, 1}, `"noon" is not a date and time`},
		{"days since 2026-01-31", netcdf.Attrs{netcdf.Text("calendar", "360_day")}, netcdf.Int32, []float64{0, 1},
			`its calendar is "360_day"`},
		{"s", nil, netcdf.Int32, []float64{0, 0}, "time 1 is 0 s, after 0 s: want increasing times"},
		{"s", nil, netcdf.Float64, []float64{0, 9.969209968386869e36}, "time 1 is NaN s"},
		{"s", netcdf.Attrs{netcdf.Text("scale_factor", "fast")}, netcdf.Int32, []float64{0, 1},
			"the attribute scale_factor is the text"},
	} {
		attrs := append(netcdf.Attrs{netcdf.Text("units", c.units)}, c.more...)
		path := netcdfSeries(t, c.typ, attrs, c.times, nil, []float64{1, 2})
		s, err := Read(Table{Path: path}, "", fromNoon)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path) {
				t.Errorf("%s %v: %v, want %s", c.units, c.more, err, c.want)
			}
			continue
		}
		if got := fmt.Sprint([]float64{s.Rows[0].T, s.Rows[1].T}); got != c.want {
			t.Errorf("%s %v: times %v, want %s", c.units, c.more, got, c.want)
		}
	}
}

// TestNetCDFGaps: values that NetCDF files mark as missing.
func TestNetCDFGaps(t *testing.T) {
	seconds := netcdf.Attrs{netcdf.Text("units", "s")}
	for _, c := range []struct {
		attrs  netcdf.Attrs
		values []float64
		want   string
	}{
		{nil, []float64{0, 9.969209968386869e36, 1}, `rain": value 1: the value at 5 s is missing`},
		{netcdf.Attrs{netcdf.Numeric("_FillValue", netcdf.Float64, -1)}, []float64{0, -1, 1}, "at 5 s is missing"},
		{netcdf.Attrs{netcdf.Text("missing_value", "-1")}, []float64{0, -1, 1}, "at 5 s is missing"},
		{netcdf.Attrs{netcdf.Numeric("valid_max", netcdf.Float64, 10)}, []float64{0, 11, 1}, "at 5 s is missing"},
		{nil, []float64{0, -9999, 1}, "-9999, marks a missing one"},
		{nil, []float64{0, .5, 1}, ""},
	} {
		path := netcdfSeries(t, netcdf.Float64, seconds, []float64{0, 5, 10}, c.attrs, c.values)
		s, err := Read(Table{Path: path}, "rain", noDates)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Complete(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v %v: %v, want %q", c.attrs, c.values, err, c.want)
		}
	}
}

// FuzzDecode: for any file, Decode returns an error or rows with increasing times and values that are finite or NaN.
func FuzzDecode(f *testing.F) {
	f.Add("t,z\n0,1\n1,2\n", "z")
	f.Add("# c\nt,\"z\"\n0,1e3\n", "")
	f.Add("\ufeffsep=;\nt [min];z [mm/h]\n0;0,5\n1;n/a\n", "z")
	f.Add("t z\n2026-01-31 12:00 -9999\n2026-01-31 12:01 2\n", "")
	f.Fuzz(func(t *testing.T, text, column string) {
		list, err := Decode(strings.NewReader(text), "f", []string{column}, fromNoon)
		if err != nil {
			return
		}
		rows := list[0].Rows
		for i, r := range rows {
			if r.T-r.T != 0 || r.Value-r.Value != 0 && r.Value == r.Value || i > 0 && r.T <= rows[i-1].T {
				t.Errorf("got rows %v, want finite values and increasing times", rows)
			}
		}
	})
}
