package config_test

import (
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
)

// TestUnitsInTables: numbers in tables that are values, in lists of tables and in lists may have a unit, and the
// effective case has them in that of the key.
func TestUnitsInTables(t *testing.T) {
	for addition, want := range map[string]string{
		"[boundary]\nleft = { inflow = \"1500 l/s\", depth = \"20 cm\" }":         `left = { inflow = "1.5", depth = "0.2" }`,
		"[boundary]\nleft = { inflow = { driven = 0, most = \"5 l/s\" } }":        "most = 0.005",
		"[[source]]\nname = 'a'\nat = ['0.001 km', 1]\ndischarge = '2 l/s'":       "at = [1, 1]\ndischarge = \"0.002\"",
		"[[culvert]]\nname = 'a'\nfrom = [0, 0]\nto = [1, 0]\ndiameter = '50 cm'": "radius = 0.25\ndiameter = 0.5\n",
		"[[pump]]\nname = 'a'\nfrom = [0, 0]\ndischarge = 1\nstart = '20 cm'":     "start = 0.2\nstop = 0.2\n",
		"[forcing]\nrain = 1\ngreen_ampt = { conductivity = '2 mm/s', suction = '11 cm', deficit = 0.3 }"://
		`{ conductivity = "0.002", suction = "0.11", deficit = "0.3" }`,
	} {
		c, err := config.Parse("case.toml", []byte(rightFlood+addition), nil, allSolvers)
		if err != nil || !strings.Contains(c.String(), want) {
			t.Errorf("%s: %v, %v, want %s", addition, c, err, want)
		}
	}
}

// TestTablesAreRefused: what a table, or one of a list of tables, does not take is refused with what to do.
func TestTablesAreRefused(t *testing.T) {
	const culvert = "[[culvert]]\nname = 'a'\nfrom = [0, 0]\nto = [1, 1]\n"
	const pump = "[[pump]]\nname = 'a'\nfrom = [0, 0]\ndischarge = 1\n"
	for addition, want := range map[string]string{
		culvert:                                       "[[culvert]]: needs either the diameter of a pipe, or",
		culvert + "diameter = 1\nwidth = 1":           "[[culvert]] width: a box has width and height",
		culvert + "width = 1":                         "[[culvert]] height: is required",
		culvert + "height = 1":                        "[[culvert]] height: needs width too",
		strings.ReplaceAll(culvert, "1", "0"):         "[[culvert]] to: is the same position as from",
		pump + "stop = 1":                             "[[pump]] stop: needs start too",
		pump + "start = 0\nstop = 1":                  "[[pump]] stop: 1 m is above start, 0 m",
		"manning = { raster = 'a', column = 'n' }":    "manning.column: needs table",
		"manning = { raster = 'a', class = 'n' }":     "manning.class: needs polygons and table",
		"manning = { mesh = 'a', reach = 1 }":         "manning.reach: is for rasters",
		"[forcing]\nrain = 1\ngreen_ampt = 3":         "green_ampt: must be a table: { conductivity = 3e-6,",
		"[forcing]\nrain = 1\ngreen_ampt = { }":       "green_ampt.suction: is required",
		"[forcing]\nrain = { series = '' }":           "rain.series: is empty",
		"[forcing]\nrain = { driven = 0, hold = 1 }":  "rain.hold: no such key; choose driven or most",
		"[[source]]\nname = 'rain'\nat = [0, 0]":      "[[source]] name: \"rain\" is the name of a column",
		"[[source]]\nname = 'a'\nat = [0, true]":      "at: must be a list of 2 finite numbers; number 2 is not",
		"[[source]]\nname = 'a'\nat = ['0 s', 0]":     "the unit is \"s\", which cannot be converted to m",
		"[boundary]\nleft = { level = { sheet = 1 }}": "left level.series: is required",
	} {
		_, err := config.Parse("case.toml", []byte(rightFlood+addition), nil, allSolvers)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", addition, err, want)
		}
	}
}
