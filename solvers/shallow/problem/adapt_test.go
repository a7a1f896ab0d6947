package problem

import (
	"math"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers"
)

// following makes the mesh of a case change at each look.
const following = `
[adapt]
steps = 6
share = 0
error = 0.03
hmin = 0.3
shore = 0.5
size = "x + y > 3 ? 0.6 : 2"
`

// TestSameBitsOnChangingMeshes proves that runs whose mesh changes have the same bits and metrics on any number of
// ranks and threads and over any transport, and that volumes are kept: of one layer and of two, with structures, open
// sides, rain, losses, a rising bed and extremes, and with rain, wind and pressure over time.
func TestSameBitsOnChangingMeshes(t *testing.T) {
	second := strings.NewReplacer("order = 1", "order = 2")
	for name, text := range map[string]string{
		"wet": wet, "forced": forced + "[maxima]\n", "given": given, "works": second.Replace(works),
		"two layers": twoLayersForced, "over time": windy(moving(t), moved(t)),
	} {
		for precision, drift := range map[string]float64{"float64": 1e-12, "float32": 1e-5} {
			t.Run(name+"/"+precision, func(t *testing.T) {
				t.Parallel()
				at := setting{1, 1, "hilbert", "rcm", "pvm-ifcp", precision, runtest.Local, "local"}
				want := at.run(t, text+following)
				if want.Metrics["mesh_changes"] < 1 {
					t.Errorf("the mesh has changed %v times", want.Metrics["mesh_changes"])
				}
				for total, change := range want.Conservation {
					if math.Abs(change) > drift {
						t.Errorf("%s changes by %g", total, change)
					}
				}
				other := setting{2, 2, "rcb", "natural", "pvm-ifcp", precision, runtest.GRPC, "grpc"}
				if precision == "float32" {
					other = setting{5, 1, "random", "hilbert", "pvm-ifcp", precision, runtest.Delayed, "delayed local"}
				}
				got := other.run(t, text+following)
				if got.StateSHA256 != want.StateSHA256 {
					t.Errorf("%v: state %.12s…, on one rank %.12s…", other, got.StateSHA256, want.StateSHA256)
				}
				for key, v := range want.Metrics {
					if got.Metrics[key] != v {
						t.Errorf("%v: %s = %v, on one rank %v", other, key, got.Metrics[key], v)
					}
				}
			})
		}
	}
}

// TestRestartsOnChangingMeshes proves that a run whose mesh changes continues from its state on any number of ranks,
// with gauges, a transect, frames and a budget.
func TestRestartsOnChangingMeshes(t *testing.T) {
	runtest.Restarts(t, forced+following, []int{6, 9})
	runtest.RestartsAfterKill(t, forced+gauges+following, "checkpoint.steps=7", "output.every=0.05",
		"output.format=['vtu']", "output.fields=['h', 'z', 'u', 'max_h', 'wet_time', 'arrival']",
		"output.conservation_every=3")
}

// TestOutputChangesNoMesh proves that what is written does not change when the mesh changes.
func TestOutputChangesNoMesh(t *testing.T) {
	runtest.OutputChangesNothing(t, forced+following, 0.1, "time={end=0.5}", "output.format=['vtu']")
}

// TestAdaptIsChecked proves that wrong keys of the section are refused.
func TestAdaptIsChecked(t *testing.T) {
	for set, want := range map[string]string{
		"adapt.every=1":                  "one of them",
		"adapt.target=100":               "one of them",
		"adapt.hmax=0.1":                 "less than hmin",
		"adapt.shore=0.1":                "less than hmin",
		"output.format=['nc']":           "use format = \"vtu\"",
		"adapt.size={raster='size.tif'}": "must be an expression",
		"adapt.growth=-1":                "growth",
	} {
		if _, err := solvers.Parse("case.toml", []byte(wet+following), []string{set}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", set, err, want)
		}
	}
	if _, err := solvers.Parse("case.toml", []byte(wet+"[adapt]\nsteps = 5\nerror = 1\n"), nil); err == nil ||
		!strings.Contains(err.Error(), "hmin: is required") {
		t.Errorf("without hmin: %v", err)
	}
}
