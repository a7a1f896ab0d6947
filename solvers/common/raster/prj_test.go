package raster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPRJ: the coordinate reference system of text files is that of the file .prj beside them: another one than that of
// the case is refused, one that is not in m is noted, one that is not understood is noted.
func TestPRJ(t *testing.T) {
	const (
		utm    = `PROJCS["u",GEOGCS["g",UNIT["degree",0.0174532925199433]],UNIT["metre",1],AUTHORITY["EPSG","25832"]]`
		esri   = `PROJCS["u",GEOGCS["g",UNIT["Degree",0.0174532925199433]],UNIT["Meter",1.0]]`
		feet   = `PROJCS["u",GEOGCS["g",UNIT["Degree",0.0174532925199433]],UNIT["Foot_US",0.3048006096012192]]`
		geo    = `GEOGCS["GCS_WGS_1984",PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]`
		lines  = "Projection GEOGRAPHIC\nUnits DD\n"
		broken = "PROJCS["
	)
	for i, c := range []struct {
		file, prj, text string
		epsg            int
		note, refusal   string
	}{
		{"a.asc", "a.prj", utm, 0, "", ""},
		{"a.asc", "a.prj", utm, 25832, "", ""},
		{"a.asc", "a.prj", utm, 25833, "", "a.asc has coordinates in EPSG:25832, the case has EPSG:25833"},
		{"a.asc", "a.PRJ", esri, 25832, "", ""},
		{"a.grd", "a.prj", feet, 0, "a.grd: the unit of its coordinates is US survey foot, but they are taken as m", ""},
		{"a.asc", "a.prj", geo, 0, "a.asc: the unit of its coordinates is degree", ""},
		{"a.b.asc", "a.b.prj", geo, 25832, "", "a.b.asc has coordinates in degrees, the case has EPSG:25832"},
		{"a.asc", "a.asc.prj", lines, 0, "a.asc: the unit of its coordinates is degree", ""},
		{"a.xyz", "a.prj", geo, 0, "a.xyz: the unit of its coordinates is degree", ""},
		{"a.asc", "a.prj", broken, 0, "a.prj is not understood", ""},
		{"a.asc", "a.prj", "", 25832, "a.prj is not understood", ""},
		{"a.asc", "b.prj", geo, 0, "", ""},
	} {
		dir := t.TempDir()
		text := sample
		if strings.HasSuffix(c.file, ".xyz") {
			text = "0 0 1\n1 0 2\n0 1 3\n1 1 4\n"
		}
		for name, text := range map[string]string{c.file: text, c.prj: c.text} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		g, err := Open(filepath.Join(dir, c.file), Options{Box: Everywhere})
		if err != nil {
			t.Fatal(err)
		}
		notes, err := Stack{g}.Convert(Wanted{EPSG: c.epsg, Unit: "m", Positive: "up"})
		if c.refusal != "" && (err == nil || !strings.Contains(err.Error(), c.refusal)) || c.refusal == "" && err != nil {
			t.Errorf("%d: error %v, want %q", i, err, c.refusal)
		}
		if got := strings.Join(notes, "\n"); !strings.Contains(got, c.note) || c.note == "" && got != "" {
			t.Errorf("%d: notes %q, want %q", i, got, c.note)
		}
	}
}

// TestDegreesWithoutSystem: elevations at coordinates that must be degrees are noted if nothing tells their system.
func TestDegreesWithoutSystem(t *testing.T) {
	header := func(west, south, step, values string) string {
		return "ncols 3\nnrows 2\nxllcorner " + west + "\nyllcorner " + south + "\ncellsize " + step + "\n" + values + "\n"
	}
	for name, c := range map[string]struct {
		text, positive string
		epsg           int
		noted          bool
	}{
		"SRTM":              {header("8.05", "54.1", "0.000277777778", "1 2 3 4 5 6"), "up", 0, true},
		"west":              {header("-122.5", "37.1", "0.000833", "-30 200 3 4 5 6"), "up", 0, true},
		"GEBCO":             {header("170", "-30", ".0041666667", "-4000 -2000 3 4 5 6"), "down", 0, true},
		"0 to 360":          {header("250", "-60", "1", "-4000 -2000 3 4 5 6"), "up", 0, true},
		"the case tells":    {header("8.05", "54.1", "0.000277777778", "1 2 3 4 5 6"), "up", 4326, false},
		"UTM":               {header("500000", "5000000", "10", "1 2 3 4 5 600"), "up", 0, false},
		"a flume":           {header("0", "0", "0.1", "0 .01 .02 .03 .02 .05"), "up", 0, false},
		"a flume above sea": {header("0", "0", "0.5", "121.1 121.2 121.1 121.3 121.4 121.1"), "up", 0, false},
		"rain":              {header("0", "0", "0.5", "1 20 300 4 5 6"), "", 0, false},
		"with a marker":     {header("0", "0", "0.1", "0 .01 -9999 .03 .02 .05"), "up", 0, false},
	} {
		path := filepath.Join(t.TempDir(), "a.asc")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		g, err := Open(path, Options{Box: Everywhere})
		if err != nil {
			t.Fatal(name, err)
		}
		notes, err := Stack{g}.Convert(Wanted{EPSG: c.epsg, Positive: c.positive})
		if noted := strings.Contains(strings.Join(notes, "\n"), "seem to be degrees"); err != nil || noted != c.noted {
			t.Errorf("%s: %v, notes %q", name, err, notes)
		}
	}
}
