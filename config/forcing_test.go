package config_test

import (
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
)

// pond is a case with one layer, without optional sections.
var pond = strings.NewReplacer("density_ratio = 0.5", "layers = 1", "h1 =", "h =", `h2 = "depth - h1"`, "").Replace(dam)

func TestForcingReadsBack(t *testing.T) {
	for _, forcing := range []string{
		"rain = 1e-6\nrain_pattern = \"x\"\nevaporation = \"1e-8*(1 + sin(t))\"\ninfiltration = { raster = \"soil.asc\" }",
		"wind_x = { series = \"a.csv\", hold = true }\nwind_y = 3\nwind_drag = 0.002\ncoriolis = 1e-4",
		"latitude = \"45 + y/111e3\"",
		"rain = { driven = \"1 mm/h\", most = \"100 mm/h\" }\nwind_x = { driven = -3, most = 3 }\nwind_y = 1",
		"rain = { series = \"a.csv\", steps = true }\ncurve_number = 80\ninitial_abstraction = 0.05",
		"green_ampt = { conductivity = \"1e-6*x*x\", suction = { raster = \"psi.asc\" }, deficit = 0.3, ponding = true }",
		"rain = 1e-6\ninitial_loss = 0.01\ncontinuing_loss = 1e-7",
		"rain_field = { raster = \"a.nc\", variable = \"tp\", unit = \"mm\", stamp = \"end\", nodata = -1, fill = 0 }\n" +
			"curve_number = 80",
		"rain_field = { list = \"a.csv\" }",
		"wind_x_field = { raster = \"a.nc\", variable = \"u10\" }\n" +
			"wind_y_field = { raster = \"a.nc\", variable = \"v10\" }\n" +
			"pressure_field = { raster = \"a.nc\", variable = \"msl\", unit = \"hPa\" }\nwater_density = 1020\n" +
			"drag_law = \"garratt\"\ndrag_most = 0.003\nair_density = 0.00125",
		"storm = { track = \"a.csv\", b = 1.5, latitude = -20, surface = 0.85, inflow = 10 }\ndrag_law = \"large-pond\"",
		"storm = { track = \"a.csv\", profile = \"holland-2010\", exponent = 0.6, ambient = 100900, translation = 0.5 }",
		"pressure = \"100*x\"\npressure_course = \"exp(-t)\"\nwater_density = 1000",
		"uplift = { raster = \"fault.asc\" }\nuplift_start = 10\nuplift_end = 70",
	} {
		c := parse(t, pond+"[forcing]\n"+forcing+"\n")
		if again := parse(t, c.String()); again.Hash() != c.Hash() || !strings.Contains(c.String(), "[forcing]") {
			t.Errorf("case\n%s\nreads back as\n%s", c, again)
		}
	}
}

func TestRefusedForcing(t *testing.T) {
	for forcing, want := range map[string]string{
		"rain = -1":                  "[forcing] rain: -1 must be a finite number, 0 or more",
		"rain = \"x\"":               "[forcing] rain: depends on x; write an expression over t only",
		"infiltration = \"t\"":       "[forcing] infiltration: depends on t",
		"wind_x = 1":                 "[forcing] wind_x: needs wind_y too",
		"rain_pattern = 1":           "[forcing] rain_pattern: needs rain too",
		"coriolis = 1\nlatitude = 1": "[forcing] latitude: cannot be combined with coriolis",
		"pressure_course = 1":        "[forcing] pressure_course: needs pressure too",
		"uplift_end = 1":             "[forcing] uplift_end: needs uplift or [[fault]] too",
		"uplift = 1\nuplift_start = 2\nuplift_end = 1":  "[forcing] uplift_end: 1 s comes before uplift_start, 2 s",
		"curve_number = 80":                             "[forcing] curve_number: needs rain too",
		"continuing_loss = 1":                           "[forcing] continuing_loss: needs initial_loss too",
		"green_ampt = 1":                                "[forcing] green_ampt: must be a table",
		"green_ampt = { suction = 1 }":                  "[forcing] green_ampt.conductivity: is required",
		"green_ampt = { rate = 1 }":                     "[forcing] green_ampt.rate: no such key",
		"rain = 1\ninitial_loss = 0\ncurve_number = 80": "[forcing] curve_number: cannot be combined with initial_loss",
		"infiltration = 0\nrain = 1\ninitial_loss = 0":  "[forcing] initial_loss: cannot be combined with infiltration",
		"snow = 1":                                             "[forcing] snow: no such key",
		"evaporation = { series = \"\" }":                      "[forcing] evaporation.series: is empty",
		"rain_field = 1":                                       "[forcing] rain_field: must be a table",
		"rain_field = { unit = \"mm\" }":                       "[forcing] rain_field: needs raster, a NetCDF file",
		"rain_field = { raster = \"a\", list = \"b\" }":        "[forcing] rain_field: needs raster, a NetCDF file",
		"rain_field = { list = \"b\", variable = \"r\" }":      "[forcing] rain_field.variable: is for NetCDF files",
		"rain_field = { raster = \"a\", stamp = \"mid\" }":     "[forcing] rain_field.stamp: ",
		"rain_field = { raster = \"a\", variables = [\"u\"] }": "[forcing] rain_field.variables: no such key",
		"rain = 1\nrain_field = { raster = \"a\" }":            "[forcing] rain_field: cannot be combined with rain",
		"rain_pattern = 1\nrain_field = { raster = \"a\" }":    "[forcing] rain_pattern: needs rain too",
		"wind_x_field = { raster = \"a\" }":                    "[forcing] wind_x_field: needs wind_y_field too",
		"pressure_field = { list = \"a\", stamp = \"end\" }":   "[forcing] pressure_field.stamp: no such key",
		"pressure = 1\npressure_field = { list = \"a\" }":      "[forcing] pressure_field: cannot be combined with pressure",
		"pressure = 1\nstorm = { track = \"a\" }":              "[forcing] storm: cannot be combined with",
		"storm = { b = 1 }":                                    "[forcing] storm.track: is required",
		"storm = { track = \"a\", exponent = 1 }":              "[forcing] storm.exponent: is for profile holland-2010",
		"drag_law = \"garratt\"":                               "[forcing] drag_law: needs wind too",

		"wind_x = 1\nwind_y = 1\nwind_x_field = { list = \"a\" }":       "[forcing] wind_x_field: cannot be combined with",
		"wind_x = 1\nwind_y = 1\ndrag_most = 1":                         "[forcing] drag_most: needs a drag_law",
		"wind_drag = 1\nwind_x = 1\nwind_y = 1\ndrag_law = \"garratt\"": "[forcing] wind_drag: is for a constant drag",
		"wind_x = 1\nwind_y = 1\ndrag_law = \"none\"":                   "[forcing] drag_law: ",

		"rain = { driven = 1 }":                        "[forcing] rain.most: is required",
		"rain = { driven = -1, most = 1 }":             "[forcing] rain.driven: -1 must be",
		"rain = { driven = 2, most = 1 }":              "[forcing] rain.most: 1 must be",
		"rain = { driven = 2, most = 3, hold = true }": "[forcing] rain.hold: no such key",
	} {
		_, err := config.Parse("c.toml", []byte(pond+"[forcing]\n"+forcing+"\n"), nil, solvers)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v does not say %q", forcing, err, want)
		}
	}
	_, err := config.Parse("c.toml", []byte(dam+"[forcing]\nrain = 1\n"), nil, solvers)
	if err == nil || !strings.Contains(err.Error(), "[forcing] rain: is for one layer") {
		t.Errorf("rain on two layers: error %v", err)
	}
}
