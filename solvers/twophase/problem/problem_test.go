package problem

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers/twophase"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// cases are small flows with all kinds of sides.
var cases = map[string]string{
	"bubble": `
solver = "two-phase"
grid = { bounds = [0, 0, 1, 2], cells = [20, 40] }
fluids = { density = [100, 1000], viscosity = [1, 10], surface_tension = 24.5, gravity = [0, -0.98] }
initial = { shape = "circle(0.5, 0.5, 0.25)" }
sides = { y_low = "no-slip", y_high = "no-slip" }
time = { end = 3, max_steps = 6 }
output = { format = [], conservation_every = 3 }
`,
	"channel": `
solver = "two-phase"
grid = { bounds = [0, 0, 2, 1], cells = [90, 45] }
fluids = { density = [1000, 1], viscosity = [1e-2, 1e-4], surface_tension = 0.1, gravity = [0, -1] }
initial = { shape = "circle(1.7, 0.5, 0.21)", u = "1 + 0.1*sin(6*y)", body_u = 1.2 }
time = { end = 3, max_steps = 5 }
output = { format = [], conservation_every = 3 }
[sides]
x_low = { kind = "inflow", velocity = [1, 0] }
x_high = "outflow"
y_low = { kind = "no-slip", velocity = [0.5, 0] }
y_high = "no-slip"
`,
	"splash": `
solver = "two-phase"
grid = { bounds = [0, 0, 1.1, 1.2], cells = [66, 72], periodic = ["x"] }
fluids = { density = [1000, 1], viscosity = [1e-2, 1e-3], surface_tension = 1, gravity = [0, -9.81] }
initial = { shape = "union(box(-1, -1, 3, 0.3), circle(0.02, 0.5, 0.12))", body_v = "y > 0.3 ? -1 : 0" }
time = { end = 3, max_steps = 5 }
output = { format = [], conservation_every = 3 }
`,
	"obstacles": `
solver = "two-phase"
grid = { bounds = [0, 0, 2, 1], cells = [90, 45] }
fluids = { density = [1000, 1], viscosity = [1e-1, 1e-4], surface_tension = 0.1, gravity = [0, -1] }
initial = { shape = "circle(0.5, 0.5, 0.21)", u = 0.5 }
solid = [{ shape = "circle(1.1, 0.45, 0.2)" }, { shape = "box(1.5, -1, 1.7, 0.2)" }]
time = { end = 3, max_steps = 5 }
output = { format = [], conservation_every = 3 }
[sides]
x_low = { kind = "inflow", u = "4*y*(1-y)", factor = "1 + 0.3*sin(9*t)", fraction = "y < 0.3 + t ? 1 : 0" }
x_high = { kind = "outflow", pressure = "2*(1-y) + t", fraction = 0 }
y_high = { kind = "outflow", pressure = 0.5 }
`,
	"pebble": `
solver = "two-phase"
grid = { bounds = [0, 0, 0, 1.4, 1.2, 1.3], cells = [14, 12, 13], periodic = ["z"] }
fluids = { density = [1000, 1], viscosity = [1, 1e-3], surface_tension = 1, gravity = [0, -9.81, 0] }
initial = { shape = "y - 0.5", w = 0.3 }
solid = [{ shape = "sphere(0.5, 0.5, 0.1, 0.35)" }]
time = { end = 3, max_steps = 7 }
output = { format = [], conservation_every = 3 }
sides = { y_high = { kind = "outflow", pressure = "x" } }
`,
	"spray": `
solver = "two-phase"
grid = { bounds = [0, 0, 2, 1], cells = [90, 45], periodic = ["x"] }
fluids = { density = [10, 1], viscosity = [1e-2, 1e-3], surface_tension = 1 }
time = { end = 3, max_steps = 7 }
output = { format = [], conservation_every = 3 }
drops = { every = 0.002 }
bubbles = { threshold = 0.1, remove_below = 0.003, remove_every = 2 }
[initial]
shape = """union(circle(0.02, 0.2, 0.11), circle(2.02, 0.2, 0.11), circle(0.7, 0.7, 0.03), circle(1.2, 0.3, 0.05),
  difference(box(0.95, 0.4, 1.85, 0.97),
    union(circle(1.4, 0.6, 0.025), circle(1.5, 0.8, 0.09), circle(1.23, 0.7, 0.07))))"""
u = 0.3
`,
	"wetting": `
solver = "two-phase"
grid = { bounds = [0, 0, 2, 1], cells = [90, 45] }
fluids = { density = [10, 1], viscosity = [1e-2, 1e-3], surface_tension = 1 }
initial = { shape = "union(circle(0.7, 0, 0.3), circle(1.95, 0.96, 0.2))", u = 0.3 }
time = { end = 3, max_steps = 5 }
output = { format = [], conservation_every = 3 }
[sides]
x_high = { kind = "slip", contact_angle = 120 }
y_low = { kind = "no-slip", velocity = [0.5, 0], contact_angle = 35 }
y_high = { kind = "no-slip", contact_angle = 70 }
`,
	"pipe": `
solver = "two-phase"
grid = { bounds = [0, 0, 1, 2], cells = [45, 90], axisymmetric = true }
fluids = { density = [1000, 1], viscosity = [1e-1, 1e-4], surface_tension = 0.1, gravity = [0, -1] }
initial = { shape = "union(circle(0, 0.5, 0.3), circle(0.6, 0.9, 0.15))", v = 0.5 }
solid = [{ shape = "circle(0, 1.5, 0.2)" }]
time = { end = 3, max_steps = 5 }
output = { format = [], conservation_every = 3 }
bubbles = { threshold = 0.1, remove_below = 1e-4, remove_every = 2 }
[sides]
x_high = { kind = "no-slip", contact_angle = 60 }
y_low = { kind = "inflow", v = "1-x^2", factor = "1 + 0.3*sin(9*t)", fraction = "x < 0.3 + t ? 1 : 0" }
y_high = { kind = "outflow", pressure = "2*(1-x) + t", fraction = 0 }
`,
	"corner": `
solver = "two-phase"
grid = { bounds = [0, 0, 0, 1.4, 1.2, 1.3], cells = [14, 12, 13], periodic = ["z"] }
fluids = { density = [10, 1], viscosity = [1e-2, 1e-3], surface_tension = 1 }
initial = { shape = "sphere(0.1, 0.1, 0.1, 0.4)", w = 0.3 }
time = { end = 3, max_steps = 7 }
output = { format = [], conservation_every = 3 }
sides = { x_low = { kind = "slip", contact_angle = 50 }, y_low = { kind = "no-slip", contact_angle = 110 } }
`,
	"drop": `
solver = "two-phase"
grid = { bounds = [0, 0, 0, 1.4, 1.2, 1.3], cells = [14, 12, 13], periodic = ["z"] }
fluids = { density = [1000, 1], viscosity = [1e-2, 1e-3], surface_tension = 1, gravity = [0, -9.81, 0] }
initial = { shape = "sphere(0.5, 0.5, 0.1, 0.3)", v = 0.1, w = 0.3 }
time = { end = 3, max_steps = 7 }
output = { format = [], conservation_every = 3 }
`,
}

// configuration is a number of ranks and threads, a transport and a division into blocks with which a case is run.
type configuration struct {
	ranks, threads int
	open           func(testing.TB, int) []dist.Comm
	blocks         string
}

// TestSameBits proves that state and table have the same bits in every configuration.
func TestSameBits(t *testing.T) {
	plane := []configuration{{1, 1, runtest.Local, ""}, {1, 3, runtest.Local, ""}, {2, 2, runtest.GRPC, "[1, 2]"},
		{3, 1, runtest.Local, ""}, {4, 1, runtest.Local, "[2, 2]"}}
	for name, text := range cases {
		plane := plane
		if name != "bubble" {
			plane = []configuration{plane[0], plane[3], plane[4]}
		}
		for _, set := range []string{"method.precision='float64'", "method.precision='float32'"} {
			if set == "method.precision='float32'" && name != "bubble" {
				continue
			}
			var first map[string]string
			for _, c := range plane {
				if strings.Contains(text, "[0, 0, 0,") && c.blocks != "" {
					c.blocks = fmt.Sprintf("[%c, %c, 1]", c.blocks[1], c.blocks[4])
				}
				sets := []string{set}
				if name == "splash" {
					sets = append(sets, "method.normal='elvira'")
				}
				if c.blocks != "" {
					sets = append(sets, "grid.blocks="+c.blocks)
				}
				got := outcome(t, text, c, sets)
				if first == nil {
					first = got
				}
				for key, want := range first {
					if got[key] != want {
						t.Errorf("%s: %d ranks, %d threads, %v: %s is %s, want %s", name, c.ranks, c.threads, sets, key, got[key], want)
					}
				}
			}
		}
	}
}

func outcome(t *testing.T, text string, c configuration, sets []string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	s, err := runtest.Run(t, text, c.ranks, c.threads, c.open, dir, sets...)
	if err != nil {
		t.Fatalf("%d ranks, %v: %v", c.ranks, sets, err)
	}
	rows, err := os.ReadFile(filepath.Join(dir, "conservation.csv"))
	if err != nil {
		t.Fatal(err)
	}
	result := map[string]string{"state": s.StateSHA256, "table": string(rows)}
	if strings.Contains(text, "drops =") {
		for _, list := range twophase.PieceNames {
			rows, err := os.ReadFile(filepath.Join(dir, list+".csv"))
			if err != nil || bytes.Count(rows, []byte("\n")) < 10 {
				t.Fatalf("%s.csv has %q, %v", list, rows, err)
			}
			result[list] = string(rows)
		}
	}
	return result
}

// TestRestarts proves that a run that continues from a checkpoint, on other ranks, ends in the same state.
func TestRestarts(t *testing.T) {
	for name, text := range cases {
		if name != "splash" {
			runtest.Restarts(t, text, []int{1, 4})
		}
	}
}

func TestMemoryIsCheckedFirst(t *testing.T) {
	runtest.MemoryIsCheckedFirst(t, .75, cases["bubble"], "time.max_steps=1")
}

func TestMemoryIsEstimated(t *testing.T) {
	for _, name := range []string{"bubble", "splash", "drop", "obstacles", "pebble", "pipe", "wetting"} {
		runtest.MemoryIsEstimated(t, 0, cases[name], "time.max_steps=1")
	}
}

func TestStepsDoNotAllocate(t *testing.T) { runtest.NothingIsAllocated(t, 3, cases["bubble"]) }

func TestHaloReachesTheSolver(t *testing.T) { runtest.HaloOptionReachesSolver(t, cases["bubble"]) }

// TestPiecesAreListed: the tables have the drops and bubbles of a case, one of them across the periodic axis, with
// their sizes and velocities, and the bubble below the given size is removed.
func TestPiecesAreListed(t *testing.T) {
	dir := t.TempDir()
	s, err := runtest.Run(t, cases["spray"], 1, 1, runtest.Local, dir)
	if err != nil {
		t.Fatal(err)
	}
	got, want := s.Metrics["removed_bubbles"], math.Pi*.025*.025
	if math.Abs(got/want-1) > .1 || s.Metrics["removed_drops"] != 0 {
		t.Errorf("bubbles of %g are removed, want %g", got, want)
	}
	for name, want := range map[string][][]float64{ // x, y and area
		"drops": {{.02, .2, math.Pi * .11 * .11}, {1.2, .3, math.Pi * .05 * .05}, {1.4, .68, math.NaN()},
			{.7, .7, math.Pi * .03 * .03}},
		"bubbles": {{math.NaN(), math.NaN(), math.NaN()}, {1.4, .6, math.Pi * .025 * .025},
			{1.23, .7, math.Pi * .07 * .07}, {1.5, .8, math.Pi * .09 * .09}},
	} {
		text, err := os.ReadFile(filepath.Join(dir, name+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil || strings.Join(rows[0], ",") != "t,id,volume,x,y,u,v" {
			t.Fatalf("%s: %v, %v", name, rows[0], err)
		}
		var first [][]float64
		for _, row := range rows[1:] {
			var v []float64
			for _, text := range row {
				x, err := strconv.ParseFloat(text, 64)
				if err != nil {
					t.Fatal(err)
				}
				v = append(v, x)
			}
			if v[0] == 0 {
				first = append(first, v)
			}
		}
		if len(first) != len(want) {
			t.Fatalf("%s: %d at the start, want %d:\n%s", name, len(first), len(want), text)
		}
		for id, v := range first {
			x := v[3] - 2*math.Round((v[3]-want[id][0])/2) // across the periodic axis
			off := math.Abs(x-want[id][0]) > .01 || math.Abs(v[4]-want[id][1]) > .01 || math.Abs(v[2]/want[id][2]-1) > .1
			if v[1] != float64(id) || off || math.Abs(v[5]-.3) > .02 || math.Abs(v[6]) > .02 {
				t.Errorf("%s: %v, want %v and 0.3", name, v, want[id])
			}
		}
	}
}
