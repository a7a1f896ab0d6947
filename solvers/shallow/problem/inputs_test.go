package problem

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers/shallow/coordinates"
)

// pond is a basin of 100 m x 100 m. BED and FORCING stand for what is tried.
const pond = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [0, 0, 100, 100], cells = 50 }
physics = { layers = 1, dry_depth = 1e-3 }
initial = { depth = BED, z = 0 }
time = { end = 10, epoch = "2026-01-31T12:00:00Z" }
output = { format = [] }
`

// grid returns an ASCII grid of the basin with a value, and a hole with another one.
func grid(header string, value, hole float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ncols 12\nnrows 12\nxllcorner -10\nyllcorner -10\ncellsize 10\n%s", header)
	for row := range 12 {
		for column := range 12 {
			v := value
			if row == 5 && column == 5 {
				v = hole
			}
			fmt.Fprintf(&b, "%v ", v)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// vertexAt returns the basin as a mesh of 200 triangles at a height of -10 m, but one vertex.
func vertexAt(other float64) string {
	var b strings.Builder
	b.WriteString("MESH2D\n")
	for i := range 100 {
		at := i/10*11 + i%10 + 1
		fmt.Fprintf(&b, "E3T %d %d %d %d 1\nE3T %d %d %d %d 1\n", 2*i+1, at, at+1, at+12, 2*i+2, at, at+12, at+11)
	}
	for i := range 121 {
		z := -10.
		if i == 49 {
			z = other
		}
		fmt.Fprintf(&b, "ND %d %d %d %v\n", i+1, i%11*10, i/11*10, z)
	}
	return b.String()
}

// TestInputsMeanWhatTheySay: files give the volume of water at the end that they mean, or the run is refused, on any
// number of ranks.
func TestInputsMeanWhatTheySay(t *testing.T) {
	const least = -3.4028234663852886e38
	for _, c := range []struct {
		name, file string // name and content of a file
		bed, more  string // field of the bed, and further sections
		mass       float64
		err, note  string
	}{
		{"a.asc", grid("", -10, -10), `{ raster = "FILE", positive = "up" }`, "", 1e5, "", ""},
		{"a.asc", grid("NODATA_value -3.40282346639e+38\n", -10, least), `{ raster = "FILE", positive = "up" }`, "", 0,
			"the raster has no data at point", ""},
		{"a.asc", grid("NODATA_value 0\n", -10, -9999), `{ raster = "FILE", positive = "up" }`, "", 0,
			"depth: FILE has the value -9999 at (45, 55), the others are from -10 to -10", ""},
		{"a.asc", grid("NODATA_value 0\n", -10, -9999), `{ raster = "FILE", positive = "up", nodata = -9999 }`, "", 0,
			"the raster has no data at point", ""},
		{"a.asc", grid("NODATA_value 0\n", 10, -32768), `{ raster = "FILE", positive = "down" }`, "", 0, "the value -32768",
			""},
		{"a.asc", grid("", -10, 1e20), `{ raster = "FILE", positive = "up" }`, "", 0, "has no data at point", ""},
		{"a.asc", grid("NODATA_value 0\n", -10, -12), `{ raster = "FILE", positive = "up" }`, "crs = 'EPSG:4326'", 0,
			"by crs = \"EPSG:4326\" these are a longitude and a latitude in degrees", ""},
		{"a.asc", grid("", -10, -10), `{ raster = "FILE", positive = "up" }`, "crs = 'EPSG:2263'", 1e5, "",
			"crs: the unit of coordinates in EPSG:2263 is US survey foot"},
		{"a.asc", grid("", -10, -10), `{ raster = "FILE", positive = "up" }`, "crs = 'EPSG:3857'", 1e5, "",
			"crs: EPSG:3857 stretches lengths by 1/cos(latitude)"},
		{"a.asc", grid("", -10, -10), `{ raster = "FILE", positive = "up" }`, "crs = 'EPSG:5703'", 0,
			"crs: EPSG:5703 is a vertical system, of heights alone", ""},
		{"a.asc", grid("", -10, -10), `{ raster = "FILE", positive = "up" }`, "crs = 'EPSG:4978'", 0,
			"crs: coordinates in EPSG:4978 are positions from the centre of the earth", ""},
		{"a.asc", grid("", -10, 255), `{ raster = "FILE", positive = "up", nodata = 255 }`, "", 0,
			"has no data at point", ""},
		{"a.asc", grid("", -10, -88888), `{ raster = "FILE", positive = "up" }`, "", 0,
			"depth: FILE: the value -88888 of 1 cell, such as at (45, 55), is far from the others", ""},
		{"a.asc", grid("NODATA_value 0\n", -10, -1e10), `{ raster = "FILE", positive = "up" }`, "", 0,
			"the value -1e+10", ""},
		{"n.asc", grid("NODATA_value 0\n", .03, .04), "10", `physics.manning = { raster = "FILE" }`, 1e5, "", ""},
		{"n.asc", grid("NODATA_value 0\n", 35, 30), "10", `physics.manning = { raster = "FILE" }`, 1e5, "",
			"n = 35 s/m^(1/3), surfaces have 0.008 to 0.5"},
		{"a.2dm", vertexAt(-10), `{ mesh = "z", positive = "up" }`, "mesh.file = 'FILE'", 1e5, "", ""},
		{"a.2dm", vertexAt(-9999), `{ mesh = "z", positive = "up" }`, "mesh.file = 'FILE'", 0,
			`the mesh's field "z" has the value -9999`, ""},
		{"a.2dm", vertexAt(-9999), `{ mesh = "z", positive = "up", nodata = -9999 }`, "mesh.file = 'FILE'", 0,
			`the mesh's field "z" is -9999`, ""},
		{"a.2dm", vertexAt(-110), `{ mesh = "z", positive = "up", nodata = 1 }`, "mesh.file = 'FILE'", 1.1e5, "", ""},
		{"a.2dm", vertexAt(-1e10), `{ mesh = "z", positive = "up" }`, "mesh.file = 'FILE'", 0,
			`the mesh's field "z": the value -1e+10 of 6 cells`, ""},
		{"a.2dm", vertexAt(1e30), `{ mesh = "z", positive = "up" }`, "mesh.file = 'FILE'", 0,
			`the mesh's field "z" is 1e+30`, ""},
		{"a.2dm", vertexAt(-310), `{ mesh = "z", positive = "up" }`, "mesh.file = 'FILE'", 1.3e5, "",
			`the mesh's field "z": the value -310 of 6 cells, such as at (`},
		{"r.csv", "t,rain\n0,0.01\n10,0.01\n", "10", `forcing.rain = { series = "FILE" }`, 1e5 + 1000, "",
			"has 0.01 m/s at t = 0 s, which are 36000 mm/h"},
		{"r.csv", "t;rain [mm/h]\n0;0\n10;3600\n", "10", `forcing.rain = { series = "FILE" }`, 1e5 + 50, "", "mm/h to m/s"},
		{"r.csv", "t,rain\n2026-01-31T12:00Z,0\n2026-01-31T12:00:10Z,0.001\n", "10", `forcing.rain = { series = "FILE" }`,
			1e5 + 50, "", ""},
		{"r.csv", "t,rain\n0,0\n5,-9999\n10,0.001\n", "10", `forcing.rain = { series = "FILE" }`, 0,
			"FILE:3: the value at 5 s, -9999, marks a missing one", ""},
		{"r.csv", "t,rain\n0,0\n5,\n10,0.001\n", "10", `forcing.rain = { series = "FILE" }`, 0,
			"FILE:3: the value at 5 s is", ""},
		{"r.csv", "t,rain [mm]\n0,0\n10,1\n", "10", `forcing.rain = { series = "FILE" }`, 0, "cannot be converted to m/s",
			""},
		{"z.csv", "t,z (ft)\n0,0\n10,0\n", "10", `boundary.left = { level = { series = "FILE" } }`, 1e5, "", "from ft to m"},
		{"q.csv", "t,q [m3/s]\n0,0\n10,0\n", "10", `boundary.left = { discharge = { series = "FILE" } }`, 0,
			"cannot be converted to m2/s", ""},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, []byte(c.file), 0o666); err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(pond, "BED", c.bed, 1)
		if strings.HasPrefix(c.more, "mesh") {
			text = regexp.MustCompile("(?m)^mesh = .*").ReplaceAllString(text, "")
		}
		if strings.HasPrefix(c.more, "physics") {
			text = regexp.MustCompile("(?m)^physics = .*").ReplaceAllString(text, "physics.layers = 1")
		}
		text = strings.ReplaceAll(c.more+"\n"+text, "FILE", path)
		for _, ranks := range []int{1, 3} {
			s, err := runtest.Run(t, text, ranks, 1, runtest.Local, t.TempDir())
			switch {
			case c.err != "" && (err == nil || !strings.Contains(err.Error(), strings.ReplaceAll(c.err, "FILE", path))):
				t.Errorf("%s on %d ranks: %v, want %q", text, ranks, err, c.err)
			case c.err == "" && err != nil:
				t.Errorf("%s on %d ranks: %v", text, ranks, err)
			case c.err == "" && math.Abs(s.Metrics["mass"]-c.mass) > 1e-9*c.mass:
				t.Errorf("%s on %d ranks: mass %v, want %v", text, ranks, s.Metrics["mass"], c.mass)
			}
		}
		if c.err != "" {
			continue
		}
		parsed := runtest.Parse(t, text)
		notes, err := coordinates.Check(parsed)
		if err != nil {
			t.Error(err)
		}
		for _, err := range runtest.RunEach(t, parsed, runtest.Local(t, 1), onCPU) {
			if err != nil {
				t.Error(err)
			}
		}
		got := strings.Join(append(notes, parsed.Notes()...), "; ")
		if !strings.Contains(got, c.note) || (got == "") != (c.note == "") {
			t.Errorf("%s: notes %q, want %q", text, got, c.note)
		}
	}
}
