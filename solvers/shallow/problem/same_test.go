package problem

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/run/summary"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// wet is test 2 of de la Asunción, Mantas and Castro (CMMSE 2012) on a small mesh: two layers over a bump, moving
// everywhere.
const wet = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [-5, -5, 5, 5], cells = 450 }
physics = { order = 1, scheme = "pvm-ifcp", density_ratio = 0.98 }
initial = { depth = "1 - 1.5*exp(-x*x - y*y)", h1 = "x >= 0 ? 4.0 : 0.5", h2 = "4.5 - h1" }
time = { end = 10, max_steps = 12 }
output = { format = [], conservation_every = 5 }
`

// dry is a wave that runs up an island, which rises out of both layers, with an open side, bed friction and friction
// between the layers.
const dry = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [-5, -5, 5, 5], cells = 450 }
physics = { order = 1, density_ratio = 0.9, dry_depth = 1e-3, manning = 0.02, interlayer_friction = true }
initial = { depth = "1 - 2.5*exp(-(x*x + y*y)/2)", z1 = "x < -2 ? 0.6 : 0.1", z2 = "-0.3" }
boundary = { right = "open" }
time = { end = 10, max_steps = 25 }
output = { format = [], conservation_every = 5 }
`

// given is one layer around an island, with a discharge, a varying level, an incoming wave and an open side as
// boundary conditions.
const given = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [-5, -5, 5, 5], cells = 450 }
physics = { order = 2, layers = 1, manning = 0.02 }
initial = { depth = "1 - 2.5*exp(-(x*x + y*y)/2)", z = "x < -2 ? 0.3 : 0" }

[boundary]
left = { discharge = 0.5 }
right = { level = "-0.05 + 0.1*sin(9*t)" }
top = { radiation = 0, incident = "0.1*(1 - cos(5*t))" }
bottom = "open"

[time]
end = 10
max_steps = 25
[output]
format = []
conservation_every = 5
`

// forced is one layer, partly a lake and partly dry ground, with rain, wind, rotation, evaporation, infiltration, air
// pressure and a rising bed.
const forced = weather + `uplift = "0.2*exp(-x*x)"
uplift_start = 0.05
uplift_end = 0.3
`

// weather is forced without the rise of the bed.
const weather = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [-5, -5, 5, 5], cells = 450 }
physics = { order = 1, layers = 1, manning = 0.02, dry_depth = 1e-4, manning_shallow = 0.1, depth_deep = "0.3 + x/99" }
initial = { depth = "1 - 2.5*exp(-(x*x + y*y)/2)", z = "x < -2 ? 0.3 : -2" }
boundary = { right = { level = "0.1*t" } }
time = { end = 10, max_steps = 25 }
output = { format = [], conservation_every = 5 }

[forcing]
rain = "0.01*(1 + sin(3*t))"
rain_pattern = "x > 0 ? 1 : 0.5"
evaporation = 0.001
infiltration = "0.005*(1 + y/10)"
coriolis = "0.3 + 0.01*y"
wind_x = "10 - t"
wind_y = 3
pressure = "200*x*y"
pressure_course = "1 + t"
`

// twoLayersForced is two layers around an island, at second order, with wind, rotation, air pressure, a rising bed and
// lagged steps.
const twoLayersForced = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [-5, -5, 5, 5], cells = 450 }
initial = { depth = "1 - 2.5*exp(-(x*x + y*y)/2)", z1 = "x < -2 ? 0.4 : 0.1", z2 = "-0.3" }
boundary = { right = "open" }
time = { end = 10, max_steps = 25 }
output = { format = [], conservation_every = 5 }

[physics]
order = 2
density_ratio = 0.9
manning = "0.02 + 0.002*x"
lagged_step = true

[forcing]
coriolis = "0.3 + 0.01*y"
wind_x = "10 - t"
wind_y = 3
pressure = "200*x*y"
uplift = "0.2*exp(-x*x)"
uplift_start = 0.05
uplift_end = 0.3
`

// works is two ponds with a spring, a well that is emptied, two culverts that share a cell, a bridge, a breach, and two
// pumps, of which one pumps out of the domain.
const works = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [-5, -5, 5, 5], cells = 450 }
physics = { order = 1, layers = 1, manning = 0.02 }
initial = { depth = "abs(x) < 1 ? -3 : 0.1*y", z = "x < 0 ? 1 : 0.2" }
time = { end = 10, max_steps = 25 }
output = { format = [], conservation_every = 5 }
[[source]]
name = "spring"
at = [-3, -2]
discharge = "0.5 + 2*t"
radius = 0.7
[[source]]
name = "well"
at = [3, 3]
discharge = "-5*t"
[[culvert]]
name = "pipe"
from = [-2, 0]
to = [2, 0]
diameter = 0.5
[[culvert]]
name = "box"
from = [-2, 0]
to = [4, 1]
width = 1
height = 0.4
barrels = 2
one_way = true
radius = 1
opening = "min(1, 10*t)"
[[bridge]]
name = "road"
from = [-3, -2]
to = [3, -1]
width = 1
invert = 0
soffit = 0.4
deck = 0.7
crest = 2
[[breach]]
name = "gap"
from = [-2, 3]
to = [2, 3]
radius = 0.8
crest = "0.9 - 5*t"
length = "10*t"
[[breach]]
name = "levee"
from = [-3, -4]
to = [3, -4]
radius = 0.8
start = 1.0004
crest = "1 - 9*t"
length = "1 + 9*t"
[[pump]]
name = "lift"
from = [3, -3]
to = [-4, 4]
discharge = 1
start = 0.21
stop = 0.15
[[pump]]
name = "out"
from = [4, 1]
discharge = 0.3
`

// setting is a configuration in which a case is run.
type setting struct {
	ranks, threads           int
	cut, order, scheme, prec string // partition, order of cells, scheme and precision, as in case files
	open                     runtest.Open
	transport                string // name of the transport that open makes
}

func (s setting) String() string {
	return fmt.Sprintf("%d ranks over %s, %s parts, %s order, %d threads", s.ranks, s.transport, s.cut, s.order, s.threads)
}

// run runs the case and returns rank 0's summary.
func (s setting) run(t testing.TB, text string) *summary.Summary {
	t.Helper()
	sets := []string{"mesh.order=" + s.order, "mesh.partition=" + s.cut, "physics.precision=" + s.prec}
	if !strings.Contains(text, "layers = 1") {
		sets = append(sets, "physics.scheme="+s.scheme)
	}
	sum, err := runtest.Run(t, text, s.ranks, s.threads, s.open, t.TempDir(), sets...)
	if err != nil {
		t.Fatalf("%v: %v", s, err)
	}
	return sum
}

// TestSameBits proves that a case has the same bits in every configuration. The combinations of 2, 3 and 7 ranks,
// partitions, transports and threads are distributed over the cases, schemes and precisions: see settingsFor.
func TestSameBits(t *testing.T) {
	second := strings.NewReplacer("order = 1", "order = 2")
	horton := strings.NewReplacer(`infiltration = "0.005*(1 + y/10)"`,
		`horton = { initial_rate = "0.02*(1 + y/10)", final_rate = 0.001, decay = 2 }`)
	local := strings.NewReplacer("order = 1", "order = 1, local_steps = 4", "order = 2", "order = 2, local_steps = 3")
	texts := map[string]string{
		"weather local": local.Replace(weather), "weather local second": local.Replace(horton.Replace(second.Replace(
			weather))),
		"given local second": local.Replace(given), "works local second": local.Replace(second.Replace(works)),
		"dry local": local.Replace(dry), "dry local second": local.Replace(second.Replace(dry)),
		"wet": wet, "dry": dry, "forced": forced, "given second": given, "wet second": second.Replace(wet),
		"works second": second.Replace(works),
		"dry second":   second.Replace(dry), "forced second": horton.Replace(second.Replace(forced)),
		"two layers forced, second": twoLayersForced, "earth second": ocean, "earth": oceanOfTwo,
	}
	for i, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		for k, scheme := range []string{"roe", "ir-roe", "pvm-ifcp"} {
			for n, prec := range []string{"float64", "float32"} {
				few := strings.HasSuffix(name, "second") || strings.HasSuffix(name, "local") || name == "forced"
				if few && (scheme == "ir-roe") != (prec == "float32") {
					continue // other cases cover schemes and precisions
				}
				t.Run(name+"/"+scheme+"/"+prec, func(t *testing.T) {
					t.Parallel()
					plain := setting{1, 1, "hilbert", "natural", scheme, prec, runtest.Local, "local"}
					want := plain.run(t, text)
					for _, setting := range settingsFor(i, k, n) {
						setting.scheme, setting.prec = scheme, prec
						got := setting.run(t, text)
						if got.StateSHA256 != want.StateSHA256 {
							t.Errorf("%v: state %.12s…, on one rank %.12s…", setting, got.StateSHA256, want.StateSHA256)
						}
						for key, v := range want.Metrics {
							if got.Metrics[key] != v {
								t.Errorf("%v: %s = %v, on one rank %v", setting, key, got.Metrics[key], v)
							}
						}
					}
				})
			}
		}
	}
}

// settingsFor returns the configurations for the i-th case, the k-th of three schemes and the n-th of two precisions:
// one of two that each case has, and every 18th of all combinations of ranks, partitions, threads and transports. So
// each case has each number of ranks, partition, number of threads and transport, and each combination has at least two
// cases. The orders of cells alternate.
func settingsFor(i, k, n int) []setting {
	cuts, orders := []string{"hilbert", "rcb", "random"}, []string{"natural", "rcm", "gps", "hilbert", "random"}
	list := []setting{{ranks: 4, threads: 1, cut: "random", order: "rcm", open: runtest.Delayed,
		transport: "delayed local"}}
	if (i+k)%2 == 0 {
		list[0] = setting{ranks: 1, threads: 2, cut: "hilbert", order: orders[1+(k+n)%4], open: runtest.Local,
			transport: "local"}
	}
	every := 0
	for _, ranks := range []int{2, 3, 7} {
		for _, cut := range cuts {
			for _, threads := range []int{1, 2} {
				for _, over := range []string{"local", "grpc"} {
					if every++; every%18 != (i+k+6*n+1)%18 {
						continue
					}
					open := runtest.Local
					if over == "grpc" {
						open = runtest.GRPC
					}
					list = append(list, setting{ranks: ranks, threads: threads, cut: cut,
						order: orders[(every/3+every+n)%len(orders)], open: open, transport: over})
				}
			}
		}
	}
	return list
}

// TestDryCoversTheShore makes sure that the case dry has a moving shoreline.
func TestDryCoversTheShore(t *testing.T) {
	s := setting{1, 1, "hilbert", "rcm", "pvm-ifcp", "float64", runtest.Local, "local"}.run(t, dry)
	if s.Metrics["h1_min"] != 0 || s.Metrics["h2_min"] != 0 || s.Metrics["limited_fluxes"] == 0 {
		t.Errorf("no shore: metrics %v", s.Metrics)
	}
}

// TestLocalStepsDiffer makes sure that cells of the cases with local time steps take steps of several lengths.
func TestLocalStepsDiffer(t *testing.T) {
	for _, order := range []string{"1", "2"} {
		equal := setting{1, 1, "hilbert", "rcm", "", "float64", runtest.Local, "local"}
		text := strings.Replace(weather, "order = 1", "order = "+order, 1)
		want := equal.run(t, strings.Replace(text, "max_steps = 25", "max_steps = 100", 1))
		got := equal.run(t, strings.Replace(text, "order = "+order, "local_steps = 3, order = "+order, 1))
		if got.StateSHA256 == want.StateSHA256 {
			t.Errorf("order %s: local time steps change nothing", order)
		}
	}
}
