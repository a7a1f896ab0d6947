package problem

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers/shallow"
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

// rasters writes a list of rasters of 3 x 3 cells that cover the mesh, for times that are step apart from 0 on, and
// returns the table of a case.
func rasters(t *testing.T, count int, step float64, value func(k, column, row int) float64) string {
	t.Helper()
	dir, list := t.TempDir(), "time,file\n"
	for k := range count {
		text := "ncols 3\nnrows 3\nxllcorner -7\nyllcorner -6\ncellsize 4.3\n"
		for row := 2; row >= 0; row-- {
			for column := range 3 {
				text += fmt.Sprintf("%v ", value(k, column, row))
			}
		}
		path := filepath.Join(dir, fmt.Sprintf("r%d.asc", k))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		list += fmt.Sprintf("%v,%s\n", step*float64(k), path)
	}
	path := filepath.Join(dir, "list.csv")
	if err := os.WriteFile(path, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("{ list = %q }", path)
}

// windy is a case with the wind and the pressure of another one replaced by keys.
func windy(text, keys string) string {
	for _, line := range []string{"wind_x = \"10 - t\"\n", "wind_y = 3\n", "pressure = \"200*x*y\"\n",
		"pressure_course = \"1 + t\"\n"} {
		text = strings.Replace(text, line, "", 1)
	}
	return strings.Replace(text, "end = 10, max_steps = 25", "end = 1.9, max_steps = 60", 1) + keys
}

// cyclone returns the keys of a cyclone that passes.
func cyclone(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "track.csv")
	table := "time,x,y,pressure [hPa],radius,wind\n-1,-300,-20,950,200,50\n1,100,20,960,150,45\n3,500,60,970,200,45\n"
	if err := os.WriteFile(path, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("storm = { track = %q, latitude = -30, translation = 0.1 }\ndrag_law = \"large-pond\"\n", path)
}

// moved returns the keys of wind and pressure that move, with different times.
func moved(t *testing.T) string {
	wave := func(large float64) func(k, column, row int) float64 {
		return func(k, column, row int) float64 { return large * float64((3*k+5*column+7*row)%11-5) }
	}
	return fmt.Sprintf("wind_x_field = %s\nwind_y_field = %s\npressure_field = %s\ndrag_law = \"garratt\"\n",
		rasters(t, 40, .05, wave(4)), rasters(t, 40, .05, wave(-3)), rasters(t, 28, .08, wave(300)))
}

// TestMovingAir: wind and pressure over time have the same bits on any number of ranks, and after restarts, for which
// each case has one of the three settings.
func TestMovingAir(t *testing.T) {
	keys := moved(t)
	for i, text := range []string{windy(weather, keys), windy(twoLayersForced, keys), windy(weather, cyclone(t))} {
		for k, sets := range [][]string{{"physics.order=1"}, {"physics.order=2", "physics.lagged_step=true"},
			{"physics.precision=float32"}} {
			hash := ""
			for _, ranks := range []int{1, []int{3, 7}[(i+k)%2]} {
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
			}
			if i == k {
				runtest.Restarts(t, text, []int{5, 23}, sets...)
			}
		}
	}
	runtest.RestartsAfterKill(t, windy(weather, keys)+gauges, "checkpoint.steps=7", "output.every=0.05",
		"output.format=['vtu']", "output.conservation_every=3")
}

// TestConstantAir: wind that is a constant field has the bits of one that is a number, with each law of the drag, and a
// constant pressure those of none.
func TestConstantAir(t *testing.T) {
	field := func(v float64) string { return rasters(t, 20, .1, func(_, _, _ int) float64 { return v }) }
	fields := fmt.Sprintf("wind_x_field = %s\nwind_y_field = %s\npressure_field = %s\n", field(10.1), field(-23.7),
		field(98765.4))
	hashes := map[string]bool{}
	for _, law := range []string{"", "drag_law = \"garratt\"\n", "drag_law = \"large-pond\"\n",
		"drag_law = \"smith-banke\"\ndrag_most = 0.002\n"} {
		for _, sets := range [][]string{nil, {"physics.order=2"}, {"physics.precision=float32"}} {
			var hash [2]string
			for k, keys := range []string{"wind_x = 10.1\nwind_y = -23.7\n", fields} {
				s, err := runtest.Run(t, windy(weather, keys+law), 1, 1, runtest.Local, t.TempDir(), sets...)
				if err != nil {
					t.Fatal(err)
				}
				hash[k] = s.StateSHA256
			}
			if hash[0] != hash[1] {
				t.Errorf("%v %s: a constant field has another state than a number", sets, law)
			}
			hashes[hash[0]] = true
		}
	}
	if len(hashes) != 12 {
		t.Errorf("%d different states with 4 laws in 3 ways, want 12", len(hashes))
	}
}

// TestRanksWithoutCells: a rank may have no cells in rain, wind and pressure over time.
func TestRanksWithoutCells(t *testing.T) {
	text := windy(moving(t), moved(t))
	var hashes []string
	for _, ranks := range []int{1, 2} {
		s, err := runtest.Run(t, text, ranks, 1, runtest.Local, t.TempDir(), "mesh.cells=2", "mesh.partition=metis",
			"time.max_steps=9")
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, s.StateSHA256)
	}
	if hashes[1] != hashes[0] {
		t.Errorf("states %q", hashes)
	}
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

// TestStormsWhereThereAreNoCells: a rank may have no cells, which METIS does to small meshes.
func TestStormsWhereThereAreNoCells(t *testing.T) {
	c := runtest.Parse(t, windy(weather, cyclone(t)))
	var cfg shallow.Config
	if err := c.Sections.(*Sections).Forcing.evaluateStorm(c, &mesh.Part{}, &cfg); err != nil {
		t.Error(err)
	}
}
