package problem

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/formats/netcdf"
	"github.com/atoll-hpc/atoll/run/runtest"
)

// everyStep has a case keep what is largest, with a frame after each step.
var everyStep = []string{"output.format=['nc']", "output.every=2e-5", "maxima={threshold=0.02}",
	"output.fields=['h', 'z', 'u', 'v', 'depth', 'max_h', 'max_z', 'max_speed', 'max_flux', 'max_hazard', 'hazard', " +
		"'arrival', 'max_time', 'wet_time']"}

// TestMaximaAreThoseOfAllFrames: what is kept is what the frames of all steps hold, to the bit, on any ranks, at both
// orders and precisions, with a bed that moves.
func TestMaximaAreThoseOfAllFrames(t *testing.T) {
	for name, sets := range map[string][]string{
		"first":  {},
		"second": {"physics.order=2", "physics.lagged_step=true"},
		"narrow": {"physics.order=2", "physics.precision=float32"},
	} {
		t.Run(name, func(t *testing.T) {
			var want string
			for _, ranks := range []int{1, 3, 7} {
				dir := t.TempDir()
				if _, err := runtest.On(t, forced, ranks, 1, runtest.Local, dir, append(sets, everyStep...)...); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(dir, "case.nc")
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if want == "" {
					compareMaxima(t, path)
					want = string(text)
				} else if string(text) != want {
					t.Errorf("%d ranks write another file", ranks)
				}
			}
		})
	}
}

// compareMaxima compares the last of the records of all steps with what all of them hold.
func compareMaxima(t *testing.T, path string) {
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
	const dry, threshold = 1e-4, .02
	n, records := len(all["h"])/int(f.Records), int(f.Records)
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
			if k < records-1 && h > threshold {
				want["wet_time"] += all["time"][k+1] - now
			}
		}
		if want["max_h"] > 0 && all["h"][cell] < dry {
			flooded++
		}
		for name, x := range want {
			got := all[name][(records-1)*n+cell]
			// Times in float32 steps are sums of other numbers than the differences of times.
			near := name == "wet_time" && math.Abs(got-x) < 1e-6*x
			if math.Float64bits(got) != math.Float64bits(x) && !(got != got && x != x) && !near {
				t.Errorf("%s of cell %d is %v, the frames have %v", name, cell, got, x)
			}
		}
		if got, want := all["hazard"][(records-1)*n+cell], want["max_hazard"]; (got > 0) != (want >= .75) ||
			(got > 1) != (want >= 1.25) || (got > 2) != (want >= 2) {
			t.Errorf("a hazard of %v is of class %v", want, got)
		}
	}
	if arrived < 20 || flooded < 3 {
		t.Errorf("water came to %d cells, %d of them dry: the test sees nothing", arrived, flooded)
	}
}

// TestMaximaGoOn: a run that was killed ends with what is largest of all its steps.
func TestMaximaGoOn(t *testing.T) {
	runtest.GoesOn(t, forced, append([]string{"checkpoint.steps=7"}, everyStep...)...)
}
