package relief

import (
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/mesh/sphere"
)

// TestMapsOfTheEarth: slopes of the ground have lengths in m on maps of longitudes and latitudes too, and others stay
// as they are.
func TestMapsOfTheEarth(t *testing.T) {
	c := &config.Case{CRS: "EPSG:4326"}
	x, y := InMetres(c, []float64{10, 11}, []float64{59, 61})
	if got, want := x[1]-x[0], sphere.Distance(10, 60, 11, 60); math.Abs(got-want) > 1e-4*want {
		t.Errorf("a degree to the east is %g m, want %g", got, want)
	}
	if got, want := y[1]-y[0], sphere.Distance(10, 59, 10, 61); math.Abs(got-want) > 1e-9*want {
		t.Errorf("two degrees to the north are %g m, want %g", got, want)
	}
	c.CRS = "EPSG:25832"
	if x, _ := InMetres(c, []float64{10}, []float64{59}); x[0] != 10 {
		t.Errorf("10 m are %g m", x[0])
	}
}
