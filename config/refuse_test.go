package config_test

import (
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
)

// TestRefusals changes one line of the smallest case at a time and checks the message.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{`"shallow-water"`, `"shalow-water"`, `c.toml:1: solver: "shalow-water" is not known; choose shallow-water`},
		{`"shallow-water"`, `"abc"`, `"abc" is not known; choose shallow-water`},
		{`"shallow-water"`, `3`, `c.toml:1: solver: is an integer; a string is needed`},
		{`solver = "shallow-water"`, ``, `c.toml: solver: is required`},
		{"[mesh]", "name = 'a/b'\n[mesh]", `c.toml:2: name: "a/b" cannot name files`},
		{"[mesh]", "name = ''\n[mesh]", `c.toml:2: name: "" cannot name files`},
		{"[mesh]", "title = 1\n[mesh]", `title: is an integer; a string is needed`},
		{"[mesh]", "[mash]", `c.toml:2: mash: no such section; did you mean mesh?`},
		{"[time]", "[snapshot]\nevery=1\n[time]", `c.toml:12: snapshot: no such section; choose`},
		{"[mesh]", "ttle = 'a'\n[mesh]", `c.toml:2: ttle: no such key; did you mean title?`},
		{"cells = 64800", "cels = 64800", `c.toml:5: [mesh] cels: no such key; did you mean cells?`},
		{"cells = 64800", "cels = 64800", `c.toml:2: [mesh] cells: is required`},
		{"cells = 64800", "cells = 1e4", `c.toml:5: [mesh] cells: is a float; an integer is needed`},
		{"cells = 64800", "cells = 1", `c.toml:5: [mesh] cells: 1 is not between 2 and`},
		{"cells = 64800", "cells = 64800\nrefine=10", `c.toml:6: [mesh] refine: 10 refinements give more than`},
		{"cells = 64800", "cells = 64800\nrefine=-1", `refine: -1 is not between 0 and 15`},
		{"cells = 64800", "cells = 64800\nfile='a.msh'", `c.toml:3: [mesh] generate: cannot be combined with file`},
		{`generate = "rectangle"`, "file='a.msh'", `c.toml:4: [mesh] bounds: belongs to generate`},
		{`generate = "rectangle"`, "file=''", `c.toml:3: [mesh] file: is empty`},
		{`generate = "rectangle"`, `file="meshes\new.msh"`,
			`c.toml:3: [mesh] file: "meshes\new.msh" has a line end or tab, ` +
				`which \n and \t stand for: in a path write / between folders, as in meshes/new.msh`},
		{`generate = "rectangle"`, `file='data\mesh.msh'`, `[mesh] file: data\mesh.msh has backslashes: in a path write /`},
		{`generate = "rectangle"`, `file="data\\mesh.msh"`, `[mesh] file: data\mesh.msh has backslashes: in a path write /`},
		{`depth = "6"`, `depth = { raster = ["a.tif", 'b\c.tif'], positive = "up" }`, `raster: b\c.tif has backslashes`},
		{`generate = "rectangle"`, `file="C:\big\task.msh"`, `[mesh] file: "C:\big\task.msh" has a line end or tab`},
		{`generate = "rectangle"`, `file="meshes\my.msh"`,
			`c.toml:3:13: invalid escape character U+006D 'm': in a path write /`},
		{`generate = "rectangle"`, `file="C:\Users\me.msh"`,
			`invalid hexadecimal digit in unicode escape sequence: in a path`},
		{`depth = "6"`, `depth = { raster = ["a.tif", "dem\rhine.tif"], positive = "up" }`,
			`[initial] depth.raster: "dem\rhine`},
		{`depth = "6"`, `depth = { polygons = "a.shp", table = "t.csv", nodata = 1, positive = "up" }`,
			`[initial] depth.nodata: needs raster or mesh`},
		{`generate = "rectangle"`, "", `c.toml:2: [mesh]: needs file = "…" or generate = "rectangle"`},
		{`"rectangle"`, `"disc"`, `c.toml:3: [mesh] generate: "disc" is not known; choose rectangle`},
		{"5.5]", "-5.5]", `c.toml:4: [mesh] bounds: [-5 -5 5 -5.5] must be [x0, y0, x1, y1]`},
		{", 5.5]", "]", `c.toml:4: [mesh] bounds: must be a list of 4 numbers`},
		{"5.5]", "inf]", `number 4 is not one`},
		{"5.5]", "'a']", `number 4 is not one`},
		{"[physics]", "[physics]\nscheme='rho'",
			`c.toml:7: [physics] scheme: "rho" is not known; choose roe, ir-roe or pvm-ifcp`},
		{"[physics]", "[physics]\nlayers=3", `[physics] layers: 3 is not between 1 and 2`},
		{"[physics]", "[physics]\nlayers=1\nscheme='roe'", `[physics] scheme: belongs to two layers: one layer uses HLLE`},
		{"[physics]", "[physics]\nlayers=1\nentropy_fix=0", `[physics] entropy_fix: belongs to two layers: one layer`},
		{"[physics]", "[physics]\nlayers=1", `c.toml:8: [physics] density_ratio: belongs to two layers, and there is one`},
		{"[physics]", "[physics]\ncfl=1.5", `c.toml:7: [physics] cfl: 1.5 must be above 0 and at most 1`},
		{"[physics]", "[physics]\ngravity=0", `[physics] gravity: 0 must be a finite number above 0`},
		{"[physics]", "[physics]\ngravity=inf", `[physics] gravity: +Inf must be`},
		{"[physics]", "[physics]\ngravity=nan", `[physics] gravity: NaN must be`},
		{"[physics]", "[physics]\nentropy_fix=2", `entropy_fix: 2 must be between 0 and 1`},
		{"[physics]", "[physics]\nprecision='half'", `precision: "half" is not known; choose float32 or float64`},
		{"[physics]", "[physics]\nprecision='float32'\ndry_depth=1e-9",
			`c.toml:8: [physics] dry_depth: 1e-09 is too small for float32`},
		{"[physics]", "[physics]\ninterlayer_friction=1", `interlayer_friction: is an integer; true or false is needed`},
		{"[physics]", "[physics]\nmanning={raster='a', positive='up'}",
			`c.toml:7: [physics] manning.positive: is for depths and levels only`},
		{"[physics]", "physics=1", `c.toml:6`}, // a key of [mesh] then
		{"density_ratio = 0.5", "", `c.toml:6: [physics] density_ratio: is required`},
		{"density_ratio = 0.5", "density_ratio = 1.1",
			`c.toml:7: [physics] density_ratio: 1.1 must be above 0 and at most 1`},
		{"density_ratio = 0.5", "density_ratio = 0", `density_ratio: 0 must be`},
		{"density_ratio = 0.5", "density_ratio = 2025-01-01", `density_ratio: is a date or time; a number is needed`},
		{`depth = "6"`, ``, `c.toml:8: [initial] depth: is required`},
		{`depth = "6"`, `depth = "6 +* 2"`, `c.toml:9: [initial] depth: expression "6 +* 2", column 4: unexpected token`},
		{`depth = "6"`, `depth = "h3"`, `name "h3" is not known; use one of x, y, z, t, pi, depth, h1, h2, u1`},
		{`depth = "6"`, `depth = "h3"`, `; data of the mesh are { mesh = "h3" }`},
		{`depth = "6"`, `depth = "6 + t"`,
			`c.toml:9: [initial] depth: depends on t; write an expression over the position only`},
		{"[physics]", "[physics]\nmanning='t'", `c.toml:7: [physics] manning: depends on t`},
		{`depth = "6"`, `depth = true`, `c.toml:9: [initial] depth: is a boolean; a number, an expression,`},
		{`depth = "6"`, `depth = "h2"`,
			`c.toml:9: [initial] depth: the expressions depend on each other: this needs h2, which needs depth`},
		{`depth = "6"`, `depth = "depth"`, `this needs depth, which needs depth`},
		{`depth = "6"`, `depth = { raster = "a" }`, `c.toml:9: [initial] depth.positive: is required`},
		{`depth = "6"`, `depth = { raster = "a", positive = "left" }`,
			`depth.positive: "left" is not known; choose up or down`},
		{`depth = "6"`, `depth = { raster = "a", mesh = "b", positive = "up" }`,
			`[initial] depth: needs one of raster, polygons and mesh`},
		{`depth = "6"`, `depth = { rastr = "a", positive = "up" }`,
			`[initial] depth.rastr: no such key; did you mean raster?`},
		{`h1 =`, `z1 =`, `c.toml:11: [initial] h2: cannot be combined with [z1 z2]`},
		{`h1 =`, `h =`, `c.toml:10: [initial] h: no such key; did you mean h1?`},
		{"[time]", "[boundary]\ncoast='closed'\n[time]",
			`c.toml:13: [boundary] coast: "closed" is not known; choose wall, open or critical`},
		{"[time]", "[boundary]\ncoast={ level = 1 }\n[time]",
			`c.toml:13: [boundary] coast: prescribes a condition for one layer, and there are two`},
		{"[time]", "[boundary]\n'a b'=1\n[time]", `c.toml:13: [boundary] "a b": is an integer; a string is needed`},
		{"end = 0.1", "", `c.toml:12: [time] end: is required`},
		{"end = 0.1", "end = 0", `c.toml:13: [time] end: 0 must be a finite number above 0`},
		{"end = 0.1", "end = '1'", `[time] end: is a string; a number is needed`},
		{"end = 0.1", "end = 1\n[output]\nfields=['h1','q']", `c.toml:15: [output] fields: "q" is not known`},
		{"end = 0.1", "end = 1\n[output]\nfields=['h1','h1']", `[output] fields: "h1" is given twice`},
		{"end = 0.1", "end = 1\n[output]\nfields=[]", `[output] fields: is empty`},
		{"end = 0.1", "end = 1\n[output]\nfields='h1'", `[output] fields: is a string; a list of strings is needed: ["h1"]`},
		{"end = 0.1", "end = 1\n[output]\nformat='vtu, nc'",
			`[output] format: is a string; a list of strings is needed: ["vtu", "nc"]`},
		{"[-5, -5, 5, 5.5]", "'-5,-5,5,5.5'", `bounds: must be a list of 4 numbers: [-5, -5, 5, 5.5]`},
		{"end = 0.1", "end = 1\n[[gauge]]\nname='a'\nat='1 2'", `[[gauge]] at: must be a list of 2 numbers: [1, 2]`},
		{"end = 0.1", "end = 1\n[output]\nformat=['png']", `[output] format: "png" is not known; choose vtu`},
		{"end = 0.1", "end = 1\n[output]\ndir=''", `[output] dir: is empty`},
		{"end = 0.1", "end = 1\n[output]\nevery=1e-9", `every: 1e-09 gives more than 999999 frames up to t = 1`},
		{"end = 0.1", "end = 1\n[output]\nevery=-1", `[output] every: -1 must be a finite number, 0 or more`},
		{"end = 0.1", "end = 1\n[[gauge]]\nname='a'\nat=[1,2]\n[[gauge]]\nname='a'\nat=[1,2]",
			`c.toml:18: [[gauge]] name: "a" is the name of another gauge`},
		{"end = 0.1", "end = 1\n[[gauge]]\nat=[1,2]", `c.toml:14: [[gauge]] name: is required`},
		{"end = 0.1", "end = 1\n[[gauge]]\nname='a'", `c.toml:14: [[gauge]] at: is required`},
		{"end = 0.1", "end = 1\n[[gauge]]\nname='a'\nat=[1,2]\nline=[[1,2],[3,4]]",
			`[[gauge]] line: cannot be combined with at`},
		{"end = 0.1", "end = 1\n[[gauge]]\nname='a'\nline=[[1,2],[3,4]]", `[[gauge]] points: is required`},
		{"end = 0.1", "end = 1\n[[gauge]]\nname='a'\nline=[[1,2],[3]]\npoints=3", `corners of 2 finite numbers; corner 2`},
		{"end = 0.1", "end = 1\n[[gauge]]\nname='a'\nline=[[1,2],[1,2]]\npoints=3", `corner 2 equals corner 1`},
		{"end = 0.1", "end = 1\n[[gauge]]\nname='a'\nfile='a.csv'", `[[gauge]] name: can be given only with at or line`},
		{"end = 0.1", "end = 1\n[[gauge]]\nname='a'\nat=[1,2]\npoints=2", `[[gauge]] points: can be given only with line`},
		{"end = 0.1", "end = 1\n[[gauge]]\nfile='a.csv'\nmeasured='b'", `[[gauge]] measured: can be given only with at`},
		{"end = 0.1", "end = 1\n[[gauge]]\nname='a'\nat=[1,2]\nmeasured={series='b'}", `measured.column: is required`},
		{"end = 0.1", "end = 1\n[[transect]]\nname='a'\nline=[[1,2]]", `[[transect]] line: must be a list of at least two`},
		{"end = 0.1", "end = 1\n[[transect]]\nname='a'\nline=[[1,2],[2,2]]\n[[transect]]\nname='a'\nline=[[1,2],[2,2]]",
			`[[transect]] name: "a" is the name of another transect`},
		{"end = 0.1", "end = 1\n[gauge]\nname='a'", `c.toml:14: gauge: is a table; write [[gauge]]`},
		{"end = 0.1", "end = ", `c.toml:13:`},
		{"end = 0.1", "end = 1\nend = 2", `c.toml:14:`},
	} {
		if strings.Count(dam, c.old) != 1 {
			t.Fatalf("%q is not in the case once", c.old)
		}
		_, err := config.Parse("c.toml", []byte(strings.Replace(dam, c.old, c.new, 1)), nil, solvers)
		if err == nil {
			t.Errorf("%q was accepted", c.new)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error\n%v\ndoes not say\n%s", c.new, err, c.want)
		}
	}
}

func TestProblemsAreSortedByLine(t *testing.T) {
	text := strings.NewReplacer("end = 0.1", "end = -1", "cells = 64800", "cells = 0", "0.5\n[", "7\n[").Replace(dam)
	_, err := config.Parse("c.toml", []byte(text), []string{"physics.cfl=3"}, solvers)
	want := `c.toml:5: [mesh] cells: 0 is not between 2 and 536870912
c.toml:7: [physics] density_ratio: 7 must be above 0 and at most 1
c.toml:13: [time] end: -1 must be a finite number above 0
--set physics.cfl: 3 must be above 0 and at most 1`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

// TestDeepNesting proves that deeply nested values do not exhaust the stack.
func TestDeepNesting(t *testing.T) {
	deep := "a = " + strings.Repeat("[", config.MaxSize/2-8) + strings.Repeat("]", config.MaxSize/2-8)
	if _, err := config.Parse("c.toml", []byte(deep), nil, solvers); err == nil {
		t.Error("deeply nested arrays were accepted")
	}
}

// TestRefusedBoundaries proves that a boundary accepts exactly one known condition with a valid value.
func TestRefusedBoundaries(t *testing.T) {
	oneLayer := strings.NewReplacer("density_ratio = 0.5", "layers = 1", "h1 =", "h =", `h2 = "depth - h1"`,
		"").Replace(dam)
	for table, want := range map[string]string{
		"{ tide = 1 }": "[boundary] coast.tide: no such key; choose level, discharge, inflow, radiation, normal, " +
			"critical, rating, incident, ambient, depth, sheet or column",
		"{ level = 1, radiation = 0 }": "[boundary] coast.radiation: cannot be combined with level",
		"{ discharge = -1 }":           "[boundary] coast.discharge: -1 must be a finite number, 0 or more",
		"{ incident = 1 }":             "[boundary] coast.incident: needs the level of the water at rest too",
		`{ level = "x" }`:              "[boundary] coast.level: depends on x; write an expression over t only",
		`{ level = { raster = "a" } }`: "[boundary] coast level.raster: no such key; choose series, sheet, column, " +
			"formula, hold or steps",
		`{ level = { series = "a", column = "b", formula = "c" } }`: "[boundary] coast level.formula: cannot be combined " +
			"with column",
		`{ discharge = "-1" }`: "[boundary] coast.discharge: -1 must be a finite number, 0 or more",
		"{}": "[boundary] coast: has none of level, discharge, inflow, radiation, " +
			"normal, critical and rating",
		"{ normal = 0 }":                              "[boundary] coast.normal: 0 must be a finite number above 0",
		"{ level = 1, depth = 1 }":                    "coast.depth: needs discharge, in m²/s, or inflow, in m³/s, too",
		"{ inflow = 1, depth = 0 }":                   "[boundary] coast.depth: 0 must be a finite number above 0",
		`{ rating = "" }`:                             "[boundary] coast.rating: is empty; give a CSV file",
		"{ critical = false }":                        "[boundary] coast.critical: is false",
		`{ level = 1, sheet = "a" }`:                  "[boundary] coast.sheet: needs rating too",
		`{ inflow = "150 m" }`:                        "the unit is \"m\", which cannot be converted to m3/s",
		`{ inflow = { driven = 5, most = "1 l/s" } }`: "[boundary] coast inflow.most: 1 l/s must be",
	} {
		text := strings.Replace(oneLayer, "[time]", "[boundary]\ncoast = "+table+"\n[time]", 1)
		if _, err := config.Parse("c.toml", []byte(text), nil, solvers); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v does not say %q", table, err, want)
		}
	}
}
