package config_test

import (
	"math"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
)

// unitCase decodes a section with keys of several kinds and units.
func unitCase(t *testing.T, text string) (time, flow, rain, gravity float64, err error) {
	t.Helper()
	decoders := map[string]config.Decoder{"s": func(root *config.Section, c *config.Case) {
		var share float64
		var inflow *config.Series
		var rains *config.Field
		s := root.Sub("physics")
		for _, key := range []*config.Spec{
			config.Real("duration", "s", &time, config.Positive.Or(1), ""),
			config.Real("gravity", "m/s2", &gravity, config.Positive.Or(9.81), ""),
			config.Real("cfl", "", &share, config.Share.Or(1), ""),
			config.OptionalSeries("inflow", "m3/s", &inflow, config.NonNegative, ""),
			config.OptionalField("rain", "m/s", &rains, ""),
		} {
			s.Read(key)
		}
		if inflow != nil && inflow.Program != nil {
			flow, _ = inflow.Program.Eval(0, 0, 0, 0)
		}
		if rains != nil {
			if rains.Program != nil {
				rain, _ = rains.Program.Eval(0, 0, 0, 0)
			}
			if rains.Unit != "m/s" {
				t.Errorf("the unit of the field is %q", rains.Unit)
			}
		}
		s.Finish()
		c.Sections = noSections{}
		root.Know("time", "output")
	}}
	_, err = config.Parse("case.toml", []byte("solver = \"s\"\n[physics]\n"+text), nil, decoders)
	return time, flow, rain, gravity, err
}

func TestNumbersWithUnits(t *testing.T) {
	for text, want := range map[string][4]float64{
		`duration = "2 h"`:          {7200, 0, 0, 9.81},
		`duration = "1.5 days"`:     {129600, 0, 0, 9.81},
		`duration = "20min"`:        {1200, 0, 0, 9.81},
		`duration = 20`:             {20, 0, 0, 9.81},
		`inflow = "150 m3/s"`:       {1, 150, 0, 9.81},
		`inflow = "1e3 l/s"`:        {1, 1, 0, 9.81},
		`inflow = "2*3"`:            {1, 6, 0, 9.81},
		`rain = "36 mm/h"`:          {1, 0, 1e-5, 9.81},
		`rain = "36 kg m-2 h-1"`:    {1, 0, 1e-5, 9.81},
		`rain = "x > 1 ? 2 : 1e-6"`: {1, 0, 1e-6, 9.81},
		"duration = \"1 h\"\ngravity = \"980.665 cm/s^2\"": {3600, 0, 0, 9.80665},
	} {
		a, b, c, d, err := unitCase(t, text)
		got := [4]float64{a, b, c, d}
		for k := range got {
			if err != nil || !(math.Abs(got[k]-want[k]) <= 1e-14*want[k]) {
				t.Errorf("%s: %v, %v, want %v", text, got, err, want)
				break
			}
		}
	}
}

func TestWrongUnitsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`duration = "2 m"`:       `duration: "2 m": the unit is "m", which cannot be converted to s`,
		`duration = "2 fortnox"`: `duration: is a string; a number is needed, in s or with another unit, as in "20 s"`,
		`duration = "-1 h"`:      "duration: -1 h must be a finite number above 0",
		`duration = "h"`:         "a number is needed, in s",
		`inflow = "5 m"`:         `inflow: "5 m": the unit is "m", which cannot be converted to m3/s`,
		`inflow = "-5 l/s"`:      "inflow: -0.005 must be",
		`rain = "20 mm"`:         `rain: "20 mm": the unit is "mm", which cannot be converted to m/s`,
		`cfl = "0.5 m"`:          "cfl: is a string; a number is needed",
		`duration = "1e999 s"`:   "duration: ",
	} {
		if _, _, _, _, err := unitCase(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
