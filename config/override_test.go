package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers/shallow/problem"
)

func TestOverrides(t *testing.T) {
	c := parse(t, dam, "physics.scheme=roe", "time.end = 2", "time.end=3", `boundary."east coast"=open`, "name=a",
		"title=two words", "initial.h1=x > 0 ? 1 : 2", "mesh.bounds=[0, 0, 1, 1]", `output.fields=["h2"]`,
		"gauge=[{name='g', at=[0, 0]}]", "initial.depth=6.5")
	w := c.Sections.(*problem.Sections)
	if w.Physics.Scheme != "roe" || c.Time.End != 3 || w.Boundary.Groups["east coast"] != "open" ||
		c.Name != "a" || c.Title != "two words" ||
		w.Initial[1].Expr != "x > 0 ? 1 : 2" || w.Mesh.Bounds != [4]float64{0, 0, 1, 1} || c.Output.Fields[0] != "h2" ||
		c.Gauges[0].Name != "g" || w.Initial[0].Expr != "6.5" {
		t.Errorf("%+v\n%+v", c, w)
	}
	for set, want := range map[string]string{
		"physics.scheme=rho":         `--set physics.scheme: "rho" is not known; choose roe, ir-roe or pvm-ifcp`,
		"physics.cfl=fast":           `--set physics.cfl: is a string; a number is needed`,
		"phisics.cfl=1":              `--set phisics: no such section; did you mean physics?`,
		"time.start=1":               `--set time.start: no such key`,
		"initial.depth={rastr='a'}":  `--set initial.depth: [initial] depth.rastr: no such key; did you mean raster?`,
		"initial.depth.raster=a.asc": `--set initial.depth.raster: initial.depth is no table: use --set initial.depth=VALUE`,
		"time.end":                   `--set time.end: write key=value`,
		"=1":                         `"" is not a key`,
		"a b=1":                      `"a b" is not a key`,
		"[time]\nend=1":              `is not a key`,
		"time.end=[1":                `--set time.end: [1: `,
		"time.end=\"1":               `--set time.end: "1: `,
		"title=\xff":                 `is not valid text`,
		"time.end=1\ncfl = 2":        `--set time.end: is a string; a number is needed`,
		"time=1":                     `--set time: is an integer; a table is needed: [time]`,
	} {
		_, err := config.Parse("c.toml", []byte(dam), []string{set}, solvers)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v does not say %q", set, err, want)
		}
	}
}

// TestOverrideOfTable proves that an override replaces a whole table, and that problems in the new value name the
// override.
func TestOverrideOfTable(t *testing.T) {
	_, err := config.Parse("c.toml", []byte(full), []string{"initial.depth={raster='a', positive='x'}"}, solvers)
	want := `--set initial.depth: [initial] depth.positive: "x" is not known; choose up or down`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	c := parse(t, full, "initial.depth.positive=down", "initial.depth.raster=b.asc")
	if f := c.Sections.(*problem.Sections).Initial[0]; !slices.Equal(f.Rasters, []string{"b.asc"}) ||
		f.Positive != "down" {
		t.Errorf("%+v", f)
	}
}
