package plot

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/run/plot/chart"
)

// TestGaugeColumns checks that levels are plotted by default, requested columns if there are any, and all columns if
// there is no level.
func TestGaugeColumns(t *testing.T) {
	for _, c := range []struct {
		names, wanted, want string
	}{
		{"t,h1,level,u1", "", "level"}, {"t,h1,level,u1", "u1,h1", "h1,u1"}, {"t,h1,u1", "", "h1,u1"},
		{"t,step,dt,level,u1", "all", "level,u1"}, {"t,level", "h1", ""},
	} {
		var wanted []string
		if c.wanted != "" {
			wanted = strings.Split(c.wanted, ",")
		}
		if got := strings.Join(gaugeColumns(&table{names: strings.Split(c.names, ",")}, wanted), ","); got != c.want {
			t.Errorf("columns %s, requested %q: got %s, want %s", c.names, c.wanted, got, c.want)
		}
	}
}

// TestMeasuredCopy checks that measurements that the run has copied are plotted and compared by column name, also for
// columns that are no levels, and that flows through lines have units.
func TestMeasuredCopy(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"gauges/pier.csv": "t,h1,level\n0,1,0\n10,1,1\n",
		"measured/pier.csv": "t,h1\n5,1.5\n", "transects/mouth.csv": "t,discharge\n0,1\n10,2\n"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	done, err := Run(dir, Options{Page: chart.Page{Width: 400}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"gauge pier, h1: error RMS 0.5 m, mean −0.5 m, at most 0.5 m"}; !slices.Equal(done.Notes, want) ||
		len(done.Files) != 2 || withUnit("discharge") != "discharge (m³/s)" {
		t.Errorf("notes %q, files %q", done.Notes, done.Files)
	}
}

// TestMeasured checks that measurements are plotted beside computed values with their difference. Rows without a value
// and rows after the run are ignored.
func TestMeasured(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("gauges/pier.csv", "t,h1,level\n0,1,0\n10,1,1\n20,1,0\n")
	write("gauges/lee.csv", "t,level\n0,1\n20,1\n")
	tide := write("tide.csv", "# by hand\nt,buoy,pier\n5,1,0.9\n10,,\n15,NaN,0.2\n30,1,7\n")
	done, err := Run(dir, Options{Page: chart.Page{Width: 400}, Measured: tide})
	if err != nil {
		t.Fatal(err)
	}
	// The differences are -0.4 and 0.3.
	want := "gauge pier, level: error RMS 0.354 m, mean −0.05 m, at most 0.4 m"
	if !slices.Equal(done.Notes, []string{want}) || len(done.Files) != 2 {
		t.Errorf("notes %q, files %q, want %q", done.Notes, done.Files, want)
	}
	write("measured/lee.csv", "t,level\n0,3\n20,3\n")
	done, err = Run(dir, Options{Page: chart.Page{Width: 400}})
	if err != nil || !slices.Equal(done.Notes, []string{"gauge lee, level: error RMS 2 m, mean −2 m, at most 2 m"}) {
		t.Errorf("copy of measurements in the run: %+v, %v", done, err)
	}
	_, err = Run(dir, Options{Page: chart.Page{Width: 400}, Measured: tide, Gauges: []string{"lee"}})
	if err == nil || !strings.Contains(err.Error(), "no column is named lee or level; there are buoy, pier") {
		t.Errorf("gauge without measurements: %v", err)
	}
	for text, want := range map[string]string{"": "m.csv: the file is empty",
		"t,a\n0,x\n":    `m.csv:2: column "a": "x" is not`,
		"t,a\nnoon,1\n": `m.csv:2: "noon" is not`} {
		if _, _, err := readMeasured(write("m.csv", text), config.Time{}); err == nil || !strings.Contains(err.Error(),
			want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	names, list, err := readMeasured(write("m.csv", "time, a\n2026-01-31T12:00:10Z, 3\n"),
		config.Time{Epoch: "2026-01-31T12:00:00Z"})
	if err != nil || names[0] != "a" || list[0].t[0] != 10 || list[0].values[0] != 3 {
		t.Errorf("dates: %v %v %v", names, list, err)
	}
	none := (&measurements{t: []float64{50}, values: []float64{1}}).errorOf([]float64{0, 1}, []float64{0, 1}, "m")
	if !strings.Contains(none, "no measurements") || math.IsNaN(interpolate([]float64{0, 1}, []float64{0, 1}, 2)) {
		t.Errorf("after the run: %q", none)
	}
}

// TestCompare checks that gauges and tables of several runs share a picture, with one curve per run, and that named
// fields are side by side with a common scale.
func TestCompare(t *testing.T) {
	top := t.TempDir()
	dirs := []string{filepath.Join(top, "coarse"), filepath.Join(top, "fine")}
	for _, dir := range dirs {
		writeRun(t, dir)
	}
	outDir := filepath.Join(top, "pictures")
	o := Options{Frame: LastFrame, Page: chart.Page{Width: 400}, Dir: outDir}
	done, err := Compare(dirs, o)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"compare-gauge-2.png", "compare-gauge-harbour.png", "compare-conservation.png"}
	for i := range want {
		want[i] = filepath.Join(outDir, want[i])
	}
	if !slices.Equal(done.Files, want) {
		t.Errorf("drawn %q, want %q", done.Files, want)
	}
	o.Fields = []string{"h1"}
	done, err = Compare(dirs, o)
	if err != nil || len(done.Files) != 1 {
		t.Fatalf("got %+v, error %v, want one file", done, err)
	}
	if w := load(t, done.Files[0]).Bounds().Dx(); w < 780 {
		t.Errorf("two maps are %d pixels wide", w)
	}
	for want, o := range map[string]Options{
		`no field "w" to draw; there are h1, u1, velocity, rank`: {Frame: LastFrame, Fields: []string{"w"}},
		`no gauge "pier" in any run; there are 2, harbour`:       {Gauges: []string{"pier"}},
		`no column "w" in any run; there are step, t, dt, mass1`: {Columns: []string{"w"}},
		"an animation shows a single run":                        {Format: "gif"},
		"shows a single frame":                                   {Frame: AllFrames, Fields: []string{"h1"}},
	} {
		if _, err := Compare(dirs, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
	if got := runNames([]string{"/a/x/out", "/a/y/out"}); !slices.Equal(got, []string{"x/out", "y/out"}) {
		t.Errorf("run names %q", got)
	}
	for i, dir := range dirs {
		text := `{"cells": 4, "metrics": {"mass1": ` + []string{"1.5", "2.5"}[i] + `}}`
		if err := os.WriteFile(filepath.Join(dir, "summary.json"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := Metrics(dirs)
	if err != nil || !strings.Contains(text, "| | coarse | fine |") ||
		!strings.Contains(text, "| mass1 (m³) | 1.5 | 2.5 |") {
		t.Errorf("error %v, table\n%s", err, text)
	}
}
