package plot

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/run/plot/chart"
)

func TestDiffers(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   bool
	}{
		{[]float64{100, 100.4}, false}, {[]float64{100, 101}, true}, {[]float64{0, 0}, false}, {[]float64{-1, 1}, true},
		{[]float64{1, math.NaN()}, true},
	} {
		if differs(c.values) != c.want {
			t.Errorf("differs(%v) = %v, want %v", c.values, !c.want, c.want)
		}
	}
}

// TestCompareMetrics checks that metrics in which runs differ are plotted: as bars for two runs, and over the number of
// cells for three, which makes a taller picture.
func TestCompareMetrics(t *testing.T) {
	top := t.TempDir()
	var dirs []string
	for i, name := range []string{"b", "a", "c"} {
		dirs = append(dirs, filepath.Join(top, name))
		writeRun(t, dirs[i])
		extra := fmt.Sprintf(`, "z_error": %g`, math.Pow(4, -float64(i)))
		if i == 2 {
			extra = "" // one run lacks the metric
		}
		text := fmt.Sprintf(`{"cells": %d, "steps": 7, "wall_s": 1, "metrics": {"mass": 5%s}}`, 100<<(2*i), extra)
		if err := os.WriteFile(filepath.Join(dirs[i], "summary.json"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	heights := map[int]int{}
	for _, runs := range []int{2, 3} {
		o := Options{Frame: LastFrame, Page: chart.Page{Width: 700}, Dir: filepath.Join(top, fmt.Sprint("p", runs))}
		o.Log = true
		done, err := Compare(dirs[:runs], o)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(o.Dir, "compare-metrics.png")
		if !slices.Contains(done.Files, file) {
			t.Fatalf("files %q", done.Files)
		}
		heights[runs] = load(t, file).Bounds().Dy()
	}
	if !(heights[3] > heights[2]) {
		t.Errorf("heights of pictures by number of runs: %v", heights)
	}
	m, err := readMetrics(dirs)
	if err != nil || !slices.Equal(m.keys, []string{"cells", "steps", "wall (s)", "mass", "z_error"}) ||
		!math.IsNaN(m.rows["z_error"][2]) || m.rows["cells"][2] != 1600 {
		t.Errorf("got metrics %+v, error %v", m, err)
	}
}

// TestLogarithmicPlots checks that plots without positive values are skipped with a note by default, and refused if
// requested by name.
func TestLogarithmicPlots(t *testing.T) {
	dir := t.TempDir()
	writeRun(t, dir)
	table := "t,mass,mass_drift\n0,5,0\n1,5,0\n"
	if err := os.WriteFile(filepath.Join(dir, "conservation.csv"), []byte(table), 0o666); err != nil {
		t.Fatal(err)
	}
	o := Options{Frame: LastFrame, Page: chart.Page{Width: 400}, Dir: filepath.Join(dir, "p")}
	o.Log = true
	done, err := Run(dir, o)
	note := "mass is left out: mass_drift: no value is positive"
	if err != nil || len(done.Files) == 0 || !strings.Contains(strings.Join(done.Notes, "\n"), note) {
		t.Errorf("files %q, notes %q, %v", done.Files, done.Notes, err)
	}
	o.Columns = []string{"mass_drift"}
	if _, err := Run(dir, o); !errors.Is(err, chart.ErrNoLogarithm) {
		t.Errorf("column of zeros: %v", err)
	}
}
