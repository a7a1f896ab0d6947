package problem

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// moving is the case weather with rain that moves, written to a folder: rasters of 3 x 3 cells for each .05 s, some of
// which are dry.
func moving(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	list := "time,file\n"
	for k := range 40 {
		text := "ncols 3\nnrows 3\nxllcorner -7\nyllcorner -6\ncellsize 4.3\n"
		for n := range 9 {
			rate := 0
			if k%4 != 2 {
				rate = (n + k) % 5 // mm
			}
			text += fmt.Sprintf("%d ", rate)
		}
		path := filepath.Join(dir, fmt.Sprintf("r%d.asc", k))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		list += fmt.Sprintf("%g,%s\n", .05*float64(k), path)
	}
	path := filepath.Join(dir, "list.csv")
	if err := os.WriteFile(path, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(weather, "rain_pattern = \"x > 0 ? 1 : 0.5\"\n", "", 1)
	text = strings.Replace(text, "end = 10, max_steps = 25", "end = 1.9, max_steps = 60", 1)
	return strings.Replace(text, `rain = "0.01*(1 + sin(3*t))"`,
		fmt.Sprintf("rain_field = { list = %q, unit = \"mm\", stamp = \"start\" }", path), 1)
}

// TestMovingRain: rain over time has the same bits on any number of ranks, and after restarts, and all of it is in the
// budget.
func TestMovingRain(t *testing.T) {
	text := moving(t)
	for _, sets := range [][]string{nil, {"physics.order=2", "physics.lagged_step=true"}, {"physics.precision=float32"}} {
		hash := ""
		for _, ranks := range []int{1, 3, 7} {
			s, err := runtest.Run(t, text, ranks, 1, runtest.Local, t.TempDir(), sets...)
			if err != nil {
				t.Fatal(err)
			}
			if hash == "" {
				hash = s.StateSHA256
			}
			if s.StateSHA256 != hash {
				t.Errorf("%v: %d ranks have another state than one", sets, ranks)
			}
			bound := 1e-13
			if strings.Contains(fmt.Sprint(sets), "float32") {
				bound = 1e-5
			}
			if drift := s.Metrics["mass_drift"]; drift > bound || drift < -bound || s.Metrics["mass_from_rain"] <= 0 {
				t.Errorf("%v: drift %g, rain %g m³", sets, drift, s.Metrics["mass_from_rain"])
			}
		}
		runtest.Restarts(t, text, []int{5, 23}, sets...)
	}
	runtest.RestartsAfterKill(t, text+gauges, "checkpoint.steps=7", "output.every=0.05", "output.format=['vtu']",
		"output.conservation_every=3")
}

// TestRainFieldIsRefused: a field that does not cover the run.
func TestRainFieldIsRefused(t *testing.T) {
	text := moving(t)
	long := strings.Replace(text, "end = 1.9", "end = 3", 1)
	if _, err := runtest.Run(t, long, 3, 1, runtest.Local, t.TempDir()); err == nil ||
		!strings.Contains(err.Error(), "[forcing] rain_field: ") ||
		!strings.Contains(err.Error(), "the run is from 0 to 3 s") {
		t.Error(err)
	}
}
