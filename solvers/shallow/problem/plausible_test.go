package problem_test

import (
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers/shallow/problem"
)

// TestImplausibleValuesAreNoted: constants that are hardly possible in the units of their keys, and only these.
func TestImplausibleValuesAreNoted(t *testing.T) {
	for set, want := range map[string]string{
		"forcing.rain=20":              `rain: 20 m/s are 7.2e+07 mm/h, more than 1 m/h: write "20 mm/h" if that is meant`,
		"forcing.rain='20 mm/h'":       "",
		"forcing.rain='2 m/h'":         "more than 1 m/h",
		"forcing.rain='t < 9 ? 5 : 0'": "",
		"physics.manning=35":           "manning: n = 35 s/m^(1/3), surfaces have 0.008 to 0.5",
		"physics.manning=0.03":         "",
		"physics.manning=0":            "",
		"physics.manning=1e-3":         "surfaces have",
		"forcing.latitude=123":         "latitude: 123 degrees are beyond the poles",
		"forcing.latitude=-89":         "",
		"forcing.infiltration=5":       "infiltration: 5 m/s are 1.8e+07 mm/h, more than 1 m/h",
		"forcing.infiltration=1e-5":    "",

		"forcing.green_ampt={conductivity=1e-6, suction=110, deficit=0.3}":      "suction: 110 m, and clay has .3 m",
		"forcing.green_ampt={conductivity=1e-6, suction='110 mm', deficit=0.3}": "",

		"boundary={default='open', left={inflow=3}}":  `sides beside "left" are open`,
		"boundary={default='open', left={level=3}}":   "",
		"boundary={right='open', left={discharge=3}}": "",
	} {
		text := "[mesh]\ngenerate = 'rectangle'\nbounds = [0, 0, 1, 1]\ncells = 10\n[physics]\nlayers = 1\n" +
			"[initial]\ndepth = 1\nz = 0\n[time]\nend = '1 min'\n"
		c, err := config.Parse("case.toml", []byte("solver = 'shallow-water'\n"+text), []string{set},
			map[string]config.Decoder{"shallow-water": problem.Decode})
		if err != nil {
			t.Errorf("%s: %v", set, err)
			continue
		}
		notes := strings.Join(c.Notes(), "\n")
		if !strings.Contains(notes, want) || want == "" && notes != "" {
			t.Errorf("%s: notes %q, want %q", set, notes, want)
		}
		if c.Time.End != 60 {
			t.Errorf("the end of the run is %g s", c.Time.End)
		}
	}
}

// TestThinFlowIsNotedWhereItIsWrong: rain or a dry bed on slopes, at first order.
func TestThinFlowIsNotedWhereItIsWrong(t *testing.T) {
	for _, c := range []struct{ physics, initial, forcing, want string }{
		{"layers = 1\norder = 1", "depth = '0.1*x'\nh = 0.5", "rain = 1e-5", "order: at first order, water thinner"},
		{"layers = 1\norder = 1", "depth = '0.1*x'\nh = 0", "", "order: at first order, water thinner"},
		{"layers = 1\norder = 1", "depth = '0.1*x'\nh = 0.5", "", ""},
		{"layers = 1\norder = 1", "depth = 0\nh = 0", "rain = 1e-5", ""},
		{"layers = 1\norder = 2", "depth = '0.1*x'\nh = 0", "rain = 1e-5", ""},
	} {
		text := "[mesh]\ngenerate = 'rectangle'\nbounds = [0, 0, 1, 1]\ncells = 10\n[physics]\n" + c.physics +
			"\n[initial]\n" + c.initial + "\n[forcing]\n" + c.forcing + "\n[time]\nend = '1 min'\n"
		parsed, err := config.Parse("case.toml", []byte("solver = 'shallow-water'\n"+text), nil,
			map[string]config.Decoder{"shallow-water": problem.Decode})
		if err != nil {
			t.Errorf("%v: %v", c, err)
			continue
		}
		if notes := strings.Join(parsed.Notes(), "\n"); !strings.Contains(notes, c.want) || c.want == "" && notes != "" {
			t.Errorf("%v: notes %q, want %q", c, notes, c.want)
		}
	}
}
