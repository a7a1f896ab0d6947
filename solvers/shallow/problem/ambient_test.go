package problem

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/run/summary"
)

const bathtub = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [-5, -5, 5, 5], cells = 450 }
physics = { layers = 1 }
output = { format = [] }
`

func runs(t *testing.T, text string, ranks int, sets ...string) *summary.Summary {
	t.Helper()
	s, err := runtest.Run(t, text, ranks, 1, runtest.Local, t.TempDir(), sets...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestLevelsUnderPressure: water whose surface is in balance with a slope of the pressure stays nearly at rest if the
// levels at its sides rise as the pressure falls, and flows if they do not.
func TestLevelsUnderPressure(t *testing.T) {
	const text = bathtub + `
initial = { depth = 2, z = "(101000 - 100000 - 4*x)/(1025*9.81)" }
forcing = { pressure = "100000 + 4*x" }
time = { end = 5 }
`
	for _, kind := range []string{"level", "radiation"} {
		for _, order := range []string{"1", "2"} {
			for ambient, bounds := range map[string][2]float64{`, ambient = "1010 hPa"`: {0, 1e-3}, "": {.005, 1}} {
				var sets []string
				for _, side := range []string{"left", "right", "bottom", "top"} {
					sets = append(sets, fmt.Sprintf("boundary.%s={%s = 0%s}", side, kind, ambient))
				}
				s := runs(t, text, 1, append(sets, "physics.order="+order)...)
				if v := s.Metrics["speed_max"]; v < bounds[0] || v > bounds[1] {
					t.Errorf("%s, order %s%s: the water has %g m/s, want %v", kind, order, ambient, v, bounds)
				}
			}
		}
	}
}

// TestLevelsUnderFallingPressure: the water rises as the pressure falls, by 3000 Pa in a minute.
func TestLevelsUnderFallingPressure(t *testing.T) {
	field := rasters(t, 7, 10, func(k, _, _ int) float64 { return 101300 - 500*float64(k) })
	text := bathtub + "initial = { depth = 2, z = 0 }\nforcing = { pressure_field = " + field[:len(field)-2] +
		", unit = \"Pa\" } }\ntime = { end = 60 }\nboundary = { left = { level = \"0.001*t\", ambient = 101300 } }\n"
	for _, order := range []string{"1", "2"} {
		s := runs(t, text, 1, "physics.order="+order)
		if rise, want := s.Metrics["mass"]/100-2, .06+3000/(1025*9.81); math.Abs(rise/want-1) > .02 {
			t.Errorf("order %s: the water has risen by %g m, want %g", order, rise, want)
		}
		if drift := s.Metrics["mass_drift"]; math.Abs(drift) > 1e-13 || s.Metrics["mass_from_left"] < 30 {
			t.Errorf("order %s: drift %g, %g m³ from the left", order, drift, s.Metrics["mass_from_left"])
		}
	}
}

// TestLevelsUnderPressureOnRanks: levels that rise as the pressure falls have the same bits on any number of ranks and
// after restarts.
func TestLevelsUnderPressureOnRanks(t *testing.T) {
	moving := windy(weather, moved(t)) + "\n"
	storm := windy(weather, cyclone(t)) + "\n"
	for name, text := range map[string]string{"field": moving, "storm": storm} {
		ambient := map[string]string{"field": "1", "storm": "'1013 hPa'"}[name]
		sets := []string{"boundary={left={level='0.1*sin(3*t)', ambient=" + ambient + "}, " +
			"right={radiation=0, incident='0.1*sin(9*t)', ambient=" + ambient + "}, top='open'}"}
		for _, more := range []string{"physics.order=1", "physics.order=2", "physics.precision=float32"} {
			all := append(sets, more)
			one, three, seven := runs(t, text, 1, all...), runs(t, text, 3, all...), runs(t, text, 7, all...)
			if one.StateSHA256 != three.StateSHA256 || one.StateSHA256 != seven.StateSHA256 {
				t.Errorf("%s, %s: the states of 1, 3 and 7 ranks differ", name, more)
			}
			without := strings.ReplaceAll(sets[0], ", ambient="+ambient, "")
			if runs(t, text, 1, without, more).StateSHA256 == one.StateSHA256 {
				t.Errorf("%s, %s: the pressure has no effect on levels", name, more)
			}
		}
		runtest.Restarts(t, text, []int{1, 6}, append(sets, "physics.order=2")...)
	}
}

func TestAmbientIsRefused(t *testing.T) {
	for _, c := range [][3]string{
		{"boundary.left={level=0, ambient=101300}", "forcing={}", "ambient needs a pressure of the air"},
		{"boundary.left={level=0, ambient=101300}", "forcing={pressure='x', pressure_course='t'}",
			"combined with pressure_course"},
		{"boundary.left={discharge=1, ambient=101300}", "forcing={pressure='x'}", "needs level or radiation too"},
		{"boundary.left={ambient=101300}", "forcing={pressure='x'}", "needs level or radiation too"},
	} {
		_, err := config.Parse("case.toml", []byte(bathtub+"initial = { depth = 2, z = 0 }\ntime = { end = 1 }\n"), c[:2],
			map[string]config.Decoder{"shallow-water": Decode})
		if err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: got error %v", c[:2], err)
		}
	}
}
