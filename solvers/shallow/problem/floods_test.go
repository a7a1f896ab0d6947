package problem

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// wanted is what a metric must be: within a share of a value, or within the share in one precision.
type wanted struct {
	metric    string
	value     float64
	tolerance float64 // relative; of a value of 0, and of atMost, absolute
	single    float64 // the same in float32; 0 for as much
	atMost    bool
}

func (w *wanted) met(got float64, precision string) bool {
	tolerance := w.tolerance
	if precision == "float32" && w.single > 0 {
		tolerance = w.single
	}
	switch {
	case w.atMost:
		return got <= w.value+tolerance
	case w.value == 0:
		return math.Abs(got) <= tolerance
	}
	return math.Abs(got/w.value-1) <= tolerance
}

// dailyFlood is a case of a kind in which solvers of shallow water go wrong: dry starts, outlets, thin flow, series of
// short events, rough beds, rotation, shocks, fronts on dry ground.
type dailyFlood struct {
	name   string
	text   string
	first  bool // for first order too, which is not for thin flow on slopes
	want   []wanted
	series string // content of the file that stands for SERIES
}

// long is a channel of 1 km that falls to an open outlet.
const long = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [0, 0, 1000, 100], cells = 100 }
physics = { layers = 1, manning = 0.03, dry_depth = 1e-3 }
output = { format = [] }
`

// hill is a plane or a rough bed of 100 m or less, on which it may rain.
const hill = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [0, 0, 100, 10], cells = 100 }
output = { format = [] }
`

// kinematicMass returns the volume on a plane of 100 m × 10 m in steady rain r with Manning's n and a slope: the depth
// is (n r x/√slope)^(3/5).
func kinematicMass(r, n, slope float64) float64 {
	return 10 * math.Pow(n*r/math.Sqrt(slope), .6) * math.Pow(100, 1.6) / 1.6
}

// dailyFloods returns the cases. Volumes that series bring are exact; in float32 they are rounded as the state is.
func dailyFloods() []dailyFlood {
	const g = 9.81
	volume := func(metric string, v float64) wanted {
		return wanted{metric: metric, value: v, tolerance: 1e-9, single: 5e-5}
	}
	near := func(metric string, v, tolerance float64) wanted {
		return wanted{metric: metric, value: v, tolerance: tolerance}
	}
	most := func(metric string, v float64) wanted { return wanted{metric: metric, value: v, atMost: true} }
	critical := math.Cbrt(1.53 * 1.53 / g)
	decaying := critical * (1 + 2.0/3*25/100/2/math.Sqrt(g*critical)) // mean in front of an overfall after 100 s
	return []dailyFlood{
		{"A, a hydrograph from dry ground", long + `initial = { depth = "0.002*x", h = 0 }
boundary = { left = { discharge = { series = "SERIES" } }, right = "open" }
time.end = 1200`, true, []wanted{volume("mass_from_left", 300000), most("h_max", 3)}, "t,q\n0,0\n600,5\n1200,0\n"},
		{"A, a pulse from dry ground", long + `initial = { depth = "0.002*x", h = 0 }
boundary = { left = { discharge = { series = "SERIES" } }, right = "open" }
time.end = 100`, true, []wanted{volume("mass_from_left", 500)}, "t,q\n0,0\n40,0\n41,5\n42,0\n100,0\n"},
		{"A, a tide from below the bed", long + `initial = { depth = "1 - 0.002*x", h = 0 }
boundary = { left = { level = { series = "SERIES" } } }
time.end = 3600`, true, []wanted{near("h_max", 1.96, .03)}, "t,z\n0,-3\n1800,-3\n3600,1\n"},
		{"A, a dam break down a slope", hill + `physics.layers = 1
initial = { depth = "0.3*(x - 20)", h = "x < 20 ? 1 : 0" }
boundary = { left = "open", right = "open" }
time.end = 5`, true, []wanted{most("speed_max", 2*math.Sqrt(g)+g*.3*5)}, ""},
		{"A, a dam break over a rough bed", hill + `physics.layers = 1
initial = { depth = "2*sin(3*x)*cos(5*y + x)", h = "x < 8 ? 3 : 0" }
boundary.right = "open"
time.end = 12`, true, []wanted{most("speed_max", 2*math.Sqrt(g*7))}, ""},
		{"B, uniform flow leaves", `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [0, 0, 1000, 40], cells = 100 }
physics = { layers = 1, manning = 0.03, dry_depth = 1e-4 }
initial = { depth = "0.001*x", h = 0.968886, u = 1.032113 }
boundary = { left = { discharge = 1 }, right = "open" }
time.end = 1500
output = { format = [] }
`, false, []wanted{near("h_max", .969, .005), near("h_min", .969, .005)}, ""},
		{"B, rain leaves", hill + `physics = { layers = 1, manning = 0.03, dry_depth = 1e-5 }
initial = { depth = "0.01*x", h = 0 }
boundary.right = "open"
forcing.rain = 2.7778e-5
time.end = 1200`, false, []wanted{near("mass", kinematicMass(2.7778e-5, .03, .01), .02)}, ""},
		{"C, rain on a slope", hill + `physics = { layers = 1, manning = 0.03, dry_depth = 1e-5 }
initial = { depth = "0.1*x", h = 0 }
boundary.right = "open"
forcing.rain = 2.7778e-5
time.end = 600`, false, []wanted{near("mass", kinematicMass(2.7778e-5, .03, .1), .01)}, ""},
		{"C, rain on a steep slope", hill + `physics = { layers = 1, manning = 0.03, dry_depth = 1e-5 }
initial = { depth = "x", h = 0 }
boundary.right = "open"
forcing.rain = 2.7778e-5
time.end = 300`, false, []wanted{near("mass", kinematicMass(2.7778e-5, .03, 1), .01)}, ""},
		{"D, a free overfall", `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [0, 0, 25, 1], cells = 100 }
physics = { layers = 1, dry_depth = 1e-4 }
initial = { depth = 0, h = 0.8 }
boundary = { left = { discharge = 1.53 }, right = { level = 0.1 } }
time.end = 100
output = { format = [] }
`, true, []wanted{near("mass", 25*decaying, .01), near("h_min", critical, .01)}, ""},
		{"E, rain without friction", `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [0, 0, 50, 50], cells = 50 }
physics = { layers = 1, dry_depth = 1e-4 }
initial = { depth = "0.1*x", h = 0 }
boundary.right = "open"
forcing.rain = 2.8e-5
time.end = 300
output = { format = [] }
`, true, []wanted{volume("mass_from_rain", 21), most("speed_max", math.Sqrt(2*g*5))}, ""},
		{"F, rain on a rough bed", `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [0, 0, 50, 50], cells = 50 }
physics = { layers = 1, dry_depth = 1e-4 }
initial = { depth = "20*sin(x*y)", h = 0 }
boundary.right = "open"
forcing.rain = 2.8e-5
time.end = 120
output = { format = [] }
`, true, []wanted{most("speed_max", math.Sqrt(2*g*40))}, ""},
		{"G, a burst of rain", hill + `physics = { layers = 1, manning = 0.03, dry_depth = 1e-4 }
initial = { depth = 0, h = 0 }
forcing.rain = { series = "SERIES" }
time.end = 400`, true, []wanted{volume("mass_from_rain", 10), volume("mass", 10)},
			"t,r\n0,0\n100,0\n110,1e-3\n120,0\n400,0\n"},
		{"G, a burst between steps", hill + `physics.layers = 1
initial = { depth = 10, z = 0 }
forcing.rain = { series = "SERIES" }
time.end = 60`, true, []wanted{volume("mass_from_rain", .999)},
			"t,r\n0,0\n31,0\n31.001,1e-3\n31.999,1e-3\n32,0\n60,0\n"},
		{"L, evaporation takes the last film", hill + `physics = { layers = 1, dry_depth = 1e-4 }
initial = { depth = 1, h = 0.01 }
forcing.evaporation = 1e-3
time.end = 20`, true, []wanted{near("mass", 0, 0), volume("mass_from_evaporation", -10)}, ""},
		{"M, a disturbed lake", `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [-5, -5, 5, 5], cells = 300 }
physics = { layers = 1, dry_depth = 1e-3 }
initial = { depth = "2 - 4*exp(-x*x - y*y) + 0.5*sin(37*x)*sin(41*y)", z = "1e-8*sin(13*x + 7*y)" }
time = { end = 20, max_steps = 300 }
output = { format = [] }
`, true, []wanted{{metric: "speed_max", value: 1e-6, single: 1e-4, atMost: true}}, ""},
		{"N, a basin that turns, after the wind", `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [0, 0, 400000, 400000], cells = 200 }
physics = { layers = 1, manning = 0.025 }
initial = { depth = 100, z = 0 }
forcing = { latitude = 45, wind_x = "t < 86400 ? 15 : 0", wind_y = 0 }
time.end = 691200
output = { format = [] }
`, true, []wanted{most("speed_max", .022)}, ""},
		{"O, a bore", `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [0, 0, 50, 2], cells = 1000 }
physics.layers = 1
initial = { depth = 0, h = "x < 10 ? 1 : 0.1", u = "x < 10 ? 2.5 : 0" }
boundary = { left = "open", right = "open" }
time.end = 3
output = { format = [] }
`, true, []wanted{near("speed_max", 3.865, .03)}, ""},
		{"P, a front on dry ground", `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [-5, 0, 5, 0.1], cells = 1600 }
physics.layers = 1
initial = { depth = 0, h = "x < 0 ? 1 : 0" }
maxima.threshold = 1e-3
time.end = 0.7
output = { format = [], fields = ["max_h"] }
`, false, []wanted{near("flooded_area", .1*4.168, .05)}, ""},
	}
}

// TestDailyFloods: floods have their right values at both orders, where they are meant for both, and in both
// precisions; and each has one state on any number of ranks: on 3 or on 7, alternately.
func TestDailyFloods(t *testing.T) {
	for _, c := range dailyFloods() {
		for order := 1; order <= 2; order++ {
			if order == 1 && !c.first {
				continue
			}
			for k, precision := range []string{"float64", "float32"} {
				t.Run(fmt.Sprintf("%s, order %d, %s", c.name, order, precision), func(t *testing.T) {
					path := filepath.Join(t.TempDir(), "series.csv")
					if err := os.WriteFile(path, []byte(c.series), 0o666); err != nil {
						t.Fatal(err)
					}
					text := strings.ReplaceAll(c.text, "SERIES", path)
					var hash string
					for _, ranks := range []int{1, []int{3, 7}[(order+k)%2]} {
						s, err := runtest.Run(t, text, ranks, 1, runtest.Local, t.TempDir(),
							fmt.Sprint("physics.order=", order), fmt.Sprintf("physics.precision=%q", precision))
						if err != nil {
							t.Fatal(err)
						}
						if hash == "" {
							hash = s.StateSHA256
						} else if s.StateSHA256 != hash {
							t.Errorf("the state on %d ranks differs", ranks)
						}
						for _, w := range c.want {
							if got := s.Metrics[w.metric]; !w.met(got, precision) {
								t.Errorf("%d ranks, %d steps: %s is %v, want %+v", ranks, s.Steps, w.metric, got, w)
							}
						}
					}
				})
			}
		}
	}
}
