package problem

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/sphere"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
)

// ocean is a part of an ocean across the 180th meridian with an island, an earthquake, a source, a level on one side
// and a radiation on another one.
const ocean = `
solver = "shallow-water"
crs = "EPSG:4326"
mesh = { generate = "rectangle", bounds = [165, -40, 195, -10], cells = 450 }
physics = { order = 2, layers = 1, manning = 0.02 }
initial = { depth = "4000 - 5000*exp(-((x - 185)^2 + (y + 30)^2)/4)", z = 0 }
boundary = { left = { level = "0.1*sin(t/500)" }, top = { radiation = 0 } }
forcing = { pressure = "100000 - 3000*exp(-((x - 175)^2 + (y + 25)^2)/30)" }
time = { end = 10000, max_steps = 25 }
output = { format = [], conservation_every = 5 }

[[fault]]
at = [-175, -20]
depth = "20 km"
length = "300 km"
width = "100 km"
strike = 200
dip = 15
rake = 90
slip = 5
[[transect]]
name = "through"
line = [[170, -12], [178, -35]]
`

// oceanOfTwo is two layers of it, at first order.
const oceanOfTwo = `
solver = "shallow-water"
crs = "EPSG:4326"
mesh = { generate = "rectangle", bounds = [165, -40, 195, -10], cells = 450 }
physics = { order = 1, density_ratio = 0.98 }
initial = { depth = "4000 - 5000*exp(-((x - 185)^2 + (y + 30)^2)/4)", z1 = "x > 180 ? 1 : 0", z2 = -1000 }
time = { end = 10000, max_steps = 25 }
output = { format = [], conservation_every = 5 }
`

// TestVolumesOnTheEarth: the volume of an ocean of one depth is that over the exact area of the sector.
func TestVolumesOnTheEarth(t *testing.T) {
	s, err := runtest.Run(t, `
solver = "shallow-water"
crs = "EPSG:4326"
mesh = { generate = "rectangle", bounds = [-20, 10, 40, 75], cells = 300 }
physics = { layers = 1 }
initial = { depth = 1000, z = 0 }
time = { end = 1000 }
output = { format = [] }
`, 1, 1, runtest.Local, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const degree = math.Pi / 180
	want := 1000 * sphere.Radius * sphere.Radius * 60 * degree * (math.Sin(75*degree) - math.Sin(10*degree))
	if got := s.Metrics["mass"]; math.Abs(got/want-1) > 1e-14 || s.Metrics["speed_max"] != 0 {
		t.Errorf("the volume is %.17g m³, want %.17g; the speed %g m/s, want 0", got, want, s.Metrics["speed_max"])
	}
}

// TestCirclesDoNotMatter: what a run measures is the same, but for rounding, if the mesh, or a raster, is a circle to
// the east, and nearly if all is moved by some degrees.
func TestCirclesDoNotMatter(t *testing.T) {
	run := func(text string) map[string]float64 {
		s, err := runtest.Run(t, text, 2, 1, runtest.Local, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return s.Metrics
	}
	moved := func(by float64) string {
		r := strings.NewReplacer("[165, -40, 195", fmt.Sprintf("[%g, -40, %g", 165+by, 195+by), "x - 185",
			fmt.Sprintf("x - %g", 185+by), "x - 175", fmt.Sprintf("x - %g", 175+by), "[170,", fmt.Sprintf("[%g,", 170+by),
			"[178,", fmt.Sprintf("[%g,", 178+by), "[-175,", fmt.Sprintf("[%g,", -175+math.Mod(by, 360)))
		return strings.ReplaceAll(r.Replace(ocean), "x - -", "x + ")
	}
	want := run(ocean)
	for _, by := range []float64{-360, 360, -128, 17} {
		for key, v := range run(moved(by)) {
			if math.Abs(v-want[key]) > 1e-7*math.Abs(want[key])+1e-9 && !strings.HasPrefix(key, "mass_") {
				t.Errorf("%s is %v with the ocean at another longitude, by %g, want %v", key, v, by, want[key])
			}
		}
	}
	rows, at := 41, func(longitude, latitude float64) float64 {
		return -3000 - 500*math.Sin(longitude*math.Pi/180) - 10*latitude
	}
	var volumes [2]float64
	for k, west := range []float64{-180, 0} {
		text := fmt.Sprintf("ncols 360\nnrows %d\nxllcorner %g\nyllcorner -45\ncellsize 1\n", rows, west)
		for row := range rows {
			for column := range 360 {
				text += fmt.Sprintf("%.10g ", at(west+float64(column)+.5, float64(rows-row)-45.5))
			}
			text += "\n"
		}
		path := filepath.Join(t.TempDir(), "bed.asc")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		one := strings.ReplaceAll(ocean, `"4000 - 5000*exp(-((x - 185)^2 + (y + 30)^2)/4)"`,
			fmt.Sprintf(`{ raster = %q, positive = "up", sample = "centroid" }`, path))
		volumes[k] = run(strings.Replace(one, "end = 10000", "end = 10", 1))["mass"]
	}
	// Beyond the outermost centres, half a degree, the first raster is constant.
	if math.Abs(volumes[0]/volumes[1]-1) > 2e-5 {
		t.Errorf("the volume is %v over a raster from -180° to 180°, and %v over one from 0° to 360°", volumes[0], volumes[1])
	}
}

// TestTheEarthTurns: the Coriolis parameter is by default that of the latitude.
func TestTheEarthTurns(t *testing.T) {
	c := runtest.Parse(t, ocean)
	if f := c.Sections.(*Sections).Forcing.Coefficients[coefficients.Latitude]; f == nil || f.Expr != "y" {
		t.Errorf("the latitude is %v, want y", f)
	}
	c = runtest.Parse(t, strings.Replace(ocean, "forcing = {", "forcing = { coriolis = 0,", 1))
	if f := c.Sections.(*Sections).Forcing.Coefficients[coefficients.Latitude]; f != nil {
		t.Errorf("with a Coriolis parameter there is a latitude, %v", f)
	}
}

// TestWhatIsNotOnTheEarth: what cannot be a longitude and a latitude is refused, or noted if the case does not say that
// it is.
func TestWhatIsNotOnTheEarth(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"track.csv": "t,x,y,pressure,radius,b\n0,170,-20,95000,30000,1.5\n10000,171,-20,95000,30000,1.5\n",
		"metres.asc": "ncols 40\nnrows 40\nxllcorner 160\nyllcorner -45\ncellsize 1\n" +
			strings.Repeat(strings.Repeat("-4000 ", 40)+"\n", 40),
		"metres.prj": `PROJCS["a",UNIT["metre",1]]`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ from, to, want string }{
		{"-40, 195, -10", "60, 195, 91", "latitudes are between -89.9 and 89.9"},
		{"[165, -40, 195", "[1650, -40, 1950", "a mesh in m needs a crs in m, or none"},
		{"cells = 450", "cells = 2", ""},
		{"pressure = \"100000 - 3000*exp(-((x - 175)^2 + (y + 25)^2)/30)\"", "storm = { track = '" + dir + "/track.csv' }",
			"it needs the columns lon and lat"},
		{`"4000 - 5000*exp(-((x - 185)^2 + (y + 30)^2)/4)"`, "{ raster = '" + dir + "/metres.asc', positive = 'up' }",
			"convert it by gdalwarp -t_srs EPSG:4326"},
	} {
		_, err := runtest.Run(t, strings.Replace(ocean, c.from, c.to, 1), 2, 1, runtest.Local, t.TempDir())
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.to, err, c.want)
		}
	}
	adapt := strings.Replace(ocean, "[[fault]]", "[adapt]\nsteps = 5\nerror = 0.1\nhmin = 1000\n[[fault]]", 1)
	_, err := solvers.Parse("case.toml", []byte(adapt), nil)
	if err == nil || !strings.Contains(err.Error(), "needs a projected system") {
		t.Errorf("a mesh that changes: %v", err)
	}
	plane := runtest.Parse(t, strings.Replace(ocean, `crs = "EPSG:4326"`, "", 1))
	for _, err := range runtest.RunEach(t, plane, runtest.Local(t, 2), onCPU) {
		if err != nil {
			t.Error(err)
		}
	}
	if notes := strings.Join(plane.Notes(), "; "); !strings.Contains(notes, `the case needs crs = "EPSG:4326"`) {
		t.Errorf("notes of a mesh in degrees without a crs: %s", notes)
	}
}
