package problem

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/atoll-hpc/atoll/formats/netcdf"
	"github.com/atoll-hpc/atoll/run/runtest"
)

// everyStep is added to a case to record extremes and write a frame after each step.
var everyStep = []string{"output.format=['nc']", "output.every=2e-5", "maxima={threshold=0.02}",
	"output.fields=['h', 'z', 'u', 'v', 'depth', 'max_h', 'max_z', 'max_speed', 'max_flux', 'max_hazard', 'hazard', " +
		"'arrival', 'max_time', 'wet_time']", "gauge=[{name='front', at=[-1.8, 0.3]}]"}

// TestMaximaAreThoseOfAllFrames proves that the recorded extremes are those of the frames of all steps, to the last
// bit, on any number of ranks, at both orders and precisions, and with a moving and a fixed bed.
func TestMaximaAreThoseOfAllFrames(t *testing.T) {
	for name, of := range map[string]struct {
		text string
		sets []string
	}{
		"order 1":                     {weather, nil},
		"order 1, lagged, float32":    {weather, []string{"physics.lagged_step=true", "physics.precision=float32"}},
		"order 1, rising bed":         {forced, nil},
		"order 2, lagged, rising bed": {forced, []string{"physics.order=2", "physics.lagged_step=true"}},
		"order 2, float32":            {weather, []string{"physics.order=2", "physics.precision=float32"}},
	} {
		t.Run(name, func(t *testing.T) {
			var want, outlines string
			var metrics map[string]float64
			for _, ranks := range []int{1, 3, 7} {
				dir := t.TempDir()
				s, err := runtest.Run(t, of.text, ranks, 1, runtest.Local, dir, append(of.sets, everyStep...)...)
				if err != nil {
					t.Fatal(err)
				}
				drawn, err := os.ReadFile(filepath.Join(dir, "outlines.geojson"))
				if err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(dir, "case.nc")
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if want == "" {
					compareMaxima(t, path)
					compareFlooded(t, path, drawn, s.Metrics)
					compareGauge(t, path, filepath.Join(dir, "gauges", "front.csv"))
					want, outlines, metrics = string(text), string(drawn), s.Metrics
				} else if string(text) != want || string(drawn) != outlines || !maps.Equal(s.Metrics, metrics) {
					t.Errorf("%d ranks: files differ, or metrics %v, want %v", ranks, s.Metrics, metrics)
				}
			}
		})
	}
}

// compareMaxima compares the extremes in the last record with those over all records.
func compareMaxima(t *testing.T, path string) {
	t.Helper()
	all := readAll(t, path)
	const dry, threshold = 1e-4, .02
	records := len(all["time"])
	n := len(all["h"]) / records
	if records != 26 {
		t.Fatalf("%d records, want one at the start and after each of 25 steps", records)
	}
	arrived, flooded := 0, 0
	for cell := range n {
		want := map[string]float64{"max_z": math.NaN(), "arrival": math.NaN(), "max_time": math.NaN()}
		for k := range records {
			at := func(name string) float64 { return all[name][k*n+cell] }
			h, z, u, v, now := at("h"), at("z"), at("u"), at("v"), all["time"][k]
			if h < dry {
				continue
			}
			if h > want["max_h"] {
				want["max_h"], want["max_time"] = h, now
			}
			if !(want["max_z"] >= z) {
				want["max_z"] = z
			}
			speed := math.Sqrt(u*u + v*v)
			want["max_speed"] = max(want["max_speed"], speed)
			want["max_flux"] = max(want["max_flux"], h*(u*u+v*v))
			want["max_hazard"] = max(want["max_hazard"], h*(speed+.5))
			if start := all["z"][cell]; math.Abs(z-start) > threshold && math.IsNaN(want["arrival"]) {
				want["arrival"] = now
				arrived++
			}
		}
		want["wet_time"] = wetTime(all, n, cell, threshold)
		if want["max_h"] > 0 && all["h"][cell] < dry {
			flooded++
		}
		for name, x := range want {
			got := all[name][(records-1)*n+cell]
			if math.Float64bits(got) != math.Float64bits(x) && !(got != got && x != x) {
				t.Errorf("%s of cell %d is %v, the frames have %v", name, cell, got, x)
			}
		}
		if got, want := all["hazard"][(records-1)*n+cell], want["max_hazard"]; (got > 0) != (want >= .75) ||
			(got > 1) != (want >= 1.25) || (got > 2) != (want >= 2) {
			t.Errorf("a hazard of %v is of class %v", want, got)
		}
	}
	if arrived < 20 || flooded < 3 {
		t.Errorf("water came to %d cells, %d of them dry: the test has too few cases", arrived, flooded)
	}
}

// wetTime adds up the times during which a cell was wet.
func wetTime(all map[string][]float64, n, cell int, threshold float64) (sum float64) {
	since, now := -1., 0.
	for k, t := range all["time"] {
		now = t
		switch isWet := all["h"][k*n+cell] > threshold; {
		case isWet && since < 0:
			since = now
		case !isWet && since >= 0:
			sum, since = sum+(now-since), -1
		}
	}
	if since >= 0 {
		sum += now - since
	}
	return sum
}

// compareGauge finds the cell whose records are the rows of a gauge, in every field.
func compareGauge(t *testing.T, path, gauge string) {
	t.Helper()
	text, err := os.ReadFile(gauge)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	all := readAll(t, path)
	n := len(all["face_x"])
	same := func(cell int) bool {
		for k, row := range rows[1:] {
			for i, name := range rows[0][1:] {
				if strconv.FormatFloat(all[name][k*n+cell], 'g', -1, 64) != row[i+1] {
					return false
				}
			}
		}
		return true
	}
	for cell := range n {
		if same(cell) {
			return
		}
	}
	t.Errorf("no cell has the rows of the gauge:\n%s", text)
}

// compareFlooded compares outlines, and metrics of the run, with the last record.
func compareFlooded(t *testing.T, path string, outlines []byte, metrics map[string]float64) {
	t.Helper()
	all := readAll(t, path)
	n := len(all["face_x"])
	first, last := func(name string) []float64 { return all[name][:n] }, func(name string) []float64 {
		return all[name][len(all[name])-n:]
	}
	const dry, threshold = 1e-4, .02
	runup, at := math.Inf(-1), -1
	for i, h := range last("max_h") {
		if h > threshold && first("h")[i] < dry && last("max_z")[i] > runup {
			runup, at = last("max_z")[i], i
		}
	}
	if at < 0 || metrics["runup"] != runup || math.Abs(metrics["runup_x"]-all["face_x"][at]) > 1e-12 ||
		math.Abs(metrics["runup_y"]-all["face_y"][at]) > 1e-12 {
		t.Errorf("metrics %v, want a runup of %v in cell %d", metrics, runup, at)
	}
	var drawn struct {
		Features []struct {
			Properties struct{ Name string }
			Geometry   struct{ Coordinates [][][][2]float64 }
		}
	}
	if err := json.Unmarshal(outlines, &drawn); err != nil || len(drawn.Features) != 2 {
		t.Fatalf("%d outlines, %v", len(drawn.Features), err)
	}
	area := 0.0
	for _, polygon := range drawn.Features[1].Geometry.Coordinates {
		for _, ring := range polygon {
			for k := 1; k < len(ring); k++ {
				area += (ring[k-1][0]*ring[k][1] - ring[k][0]*ring[k-1][1]) / 2
			}
		}
	}
	if want := metrics["flooded_area"]; drawn.Features[1].Properties.Name != "flooded" || math.Abs(area-want) > 1e-9 ||
		want == 0 {
		t.Errorf("outline %q is of %g m², want %g", drawn.Features[1].Properties.Name, area, want)
	}
}

// readAll reads all variables of a file of frames.
func readAll(t *testing.T, path string) map[string][]float64 {
	t.Helper()
	f, err := netcdf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string][]float64{}
	for _, v := range f.Vars {
		if v.Type == netcdf.Float64 {
			if all[v.Name], err = f.ReadAll(v); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

// TestMaximaSurviveARestart proves that extremes survive a restart, whether separate kernels update them or those of
// the step.
func TestMaximaSurviveARestart(t *testing.T) {
	for name, text := range map[string]string{"in steps": weather, "beside steps": forced} {
		t.Run(name, func(t *testing.T) {
			runtest.RestartsAfterKill(t, text, append([]string{"checkpoint.steps=7"}, everyStep...)...)
		})
	}
}
