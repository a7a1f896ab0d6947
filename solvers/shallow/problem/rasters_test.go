package problem

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/formats/geotiff"
	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestRastersOfDryGround: levels and velocities have no data on an island, where the thickness is 0, and hazards none
// where it was at most the threshold of maps.
func TestRastersOfDryGround(t *testing.T) {
	const text = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [-5, -5, 5, 5], cells = 450 }
physics = { layers = 1 }
initial = { depth = "1 - 2*exp(-(x*x + y*y)/2)", z = 0 }
time = { end = 0.1 }
maxima = {}
output = { format = [], fields = ["z", "h", "u", "hazard", "max_h", "depth"], raster = 0.5 }
`
	dir := t.TempDir()
	if _, err := runtest.Run(t, text, 2, 1, runtest.Local, dir); err != nil {
		t.Fatal(err)
	}
	values := map[string][]float64{}
	for _, name := range []string{"z", "h", "u", "hazard", "max_h", "depth"} {
		f, err := geotiff.Open(filepath.Join(dir, "raster", name+".tif"))
		if err != nil {
			t.Fatal(err)
		}
		if values[name], err = f.Read(geotiff.Window{Columns: f.Columns, Rows: f.Rows}); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	dry := 0
	for i, h := range values["h"] {
		for name, dry := range map[string]bool{"z": h == 0, "u": h == 0, "hazard": values["max_h"][i] <= .01} {
			if missing := math.IsNaN(values[name][i]); missing != dry {
				t.Errorf("pixel %d: %s is %g where h is %g m", i, name, values[name][i], h)
			}
		}
		if h == 0 {
			dry++
		}
		if math.IsNaN(h) || math.IsNaN(values["depth"][i]) || math.IsNaN(values["max_h"][i]) {
			t.Errorf("pixel %d: a thickness or the depth of the bed is missing", i)
		}
	}
	if dry < 4 || dry > 60 {
		t.Errorf("%d of %d pixels are dry", dry, len(values["h"]))
	}
}
