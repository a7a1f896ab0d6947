package problem

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers/common/balance"
	"github.com/atoll-hpc/atoll/solvers/levelset"
)

// In all tests blocks move whenever they can.
func TestMain(m *testing.M) {
	balance.Eager = true
	goleak.VerifyTestMain(m)
}

// swirl is a disk in a vortex across the corner of blocks.
const swirl = `
solver = "level-set"
grid = { bounds = [0, 0, 1, 1], cells = [48, 44] }
initial = { shape = "circle(0.5, 0.7, 0.2)" }
velocity = { field = "rider-kothe", period = 2 }
method = { advect = 'semi-lagrangian', reinit = 'sweep', particles = 8, cfl = 2 }
time = { end = 2, max_steps = 20 }
output = { format = [], conservation_every = 5 }
`

// drift crosses the periodic boundaries of its grid, along x by exactly one cell a step, so that particles meet block
// boundaries and corners.
const drift = `
solver = "level-set"
grid = { bounds = [0, 0, 0, 1, 1, 1], cells = [20, 18, 16], periodic = ["x", "y", "z"] }
initial = { shape = "union(sphere(0.9, 0.9, 0.9, 0.3), sphere(-0.1, -0.1, -0.1, 0.3), sphere(0.5, 0.5, 0.5, 0.15))" }
velocity = { u = "1", v = "0.5", w = "-0.25" }
method = { particles = 4, band = 5 }
time = { end = 0.5, max_steps = 7 }
output = { format = [], conservation_every = 5 }
`

// offCentre has an interface in few blocks only.
const offCentre = `
solver = "level-set"
grid = { bounds = [0, 0, 0, 1, 1, 1], cells = [24, 24, 24] }
initial = { shape = "sphere(0.2, 0.2, 0.2, 0.15)" }
velocity = { field = "enright", period = 3 }
method = { particles = 4, band = 5 }
time = { end = 0.5, max_steps = 5 }
output = { format = [], conservation_every = 5 }
`

// configuration is a number of ranks and threads, a transport and a division into blocks with which a case is run.
type configuration struct {
	ranks, threads int
	open           func(testing.TB, int) []dist.Comm
	blocks         string
}

// configurations are those of each case. Each method has the first and every other one of the rest.
var configurations = map[string][]configuration{
	"swirl": {
		{1, 1, runtest.Local, ""}, {1, 3, runtest.Local, ""}, {2, 2, runtest.Delayed, "[1, 2]"}, {3, 1, runtest.GRPC, ""},
		{4, 2, runtest.Local, "[4, 1]"}, {8, 1, runtest.Local, "[4, 2]"}, {5, 2, runtest.Local, ""},
		{7, 1, runtest.Delayed, ""},
	},
	"drift": {
		{1, 1, runtest.Local, ""}, {1, 2, runtest.Local, ""}, {2, 1, runtest.Local, "[1, 1, 2]"},
		{3, 1, runtest.Delayed, "[3, 1, 1]"}, {4, 2, runtest.GRPC, "[2, 2, 1]"}, {8, 1, runtest.Local, "[2, 2, 2]"},
		{3, 1, runtest.GRPC, ""}, {4, 2, runtest.Delayed, ""},
	},
	"off-centre": {
		{1, 1, runtest.Local, ""}, {2, 1, runtest.Local, ""}, {3, 1, runtest.Local, ""}, {4, 1, runtest.Delayed, ""},
		{8, 1, runtest.Local, ""},
	},
}

// TestSameBits proves that state and metrics have the same bits in every configuration,
// also if a rank has no interface, and if particles cross corners and periodic boundaries.
func TestSameBits(t *testing.T) {
	methods := []string{"method.reinit='sweep'", "method.reinit='weno'", "method.precision='float32'",
		"method.particles=0", "method={advect='weno', cfl=0.5, reseed=3, sort=4, particles=5, band=5}",
		"method={particles=5}"}
	for name, text := range map[string]string{"swirl": swirl, "drift": drift, "off-centre": offCentre} {
		for k, method := range methods {
			t.Run(name+" "+method, func(t *testing.T) {
				t.Parallel()
				var first map[string]string
				for n, c := range configurations[name] {
					if n > 0 && (n+k)%2 > 0 {
						continue
					}
					sets := []string{method}
					if method != "method.particles=0" {
						sets = append(sets, "method.correct="+levelset.Corrections[n%2])
						sets = append(sets, "method.balance="+[]string{"particles", "cells"}[n%5/4])
					}
					if n%5 < 4 {
						sets = append(sets, "method.rebalance="+[]string{"1", "3"}[n%2])
					}
					if c.blocks != "" {
						sets = append(sets, "grid.blocks="+c.blocks)
					}
					got := runOutcome(t, text, c, sets)
					if first == nil {
						first = got
					}
					for key, want := range first {
						if got[key] != want {
							t.Errorf("%d ranks, %d threads, %v: %s is %s, want %s", c.ranks, c.threads, sets, key, got[key], want)
						}
					}
				}
			})
		}
	}
}

// TestBlocksMove proves that blocks follow the interface.
func TestBlocksMove(t *testing.T) {
	for name, text := range map[string]string{"swirl": swirl, "drift": drift, "off-centre": offCentre} {
		s, err := runtest.Run(t, text, 3, 1, runtest.Local, t.TempDir(), "method.rebalance=2")
		if err != nil {
			t.Fatal(err)
		}
		if s.Balance == nil || s.Balance.Moves == 0 {
			t.Errorf("%s: no block has moved", name)
		}
		for _, set := range []string{"method.rebalance=0", "method.balance=cells", "grid.blocks=[3]"} {
			if set == "grid.blocks=[3]" {
				set = "grid.blocks=[3, 1" + map[bool]string{true: "]", false: ", 1]"}[name == "swirl"]
			}
			if s, err = runtest.Run(t, text, 3, 1, runtest.Local, t.TempDir(), set); err != nil || s.Balance != nil {
				t.Errorf("%s, %s: %v, %v, want blocks that stay", name, set, s.Balance, err)
			}
		}
	}
}

func runOutcome(t *testing.T, text string, c configuration, sets []string) map[string]string {
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
	got := map[string]string{"state": s.StateSHA256, "table": string(rows)}
	for key, v := range s.Metrics {
		got[key] = fmt.Sprint(v)
	}
	return got
}

func TestHaloReachesTheSolver(t *testing.T) { runtest.HaloOptionReachesSolver(t, swirl) }

func TestMemoryIsCheckedFirst(t *testing.T) {
	for _, method := range []string{"{precision='float32', particles=0}", "{precision='float32', particles=4, sort=1}"} {
		runtest.MemoryIsCheckedFirst(t, .75, swirl, "method="+method, "time.max_steps=1")
	}
}

func TestStepsDoNotAllocate(t *testing.T) {
	for _, set := range []string{"method.particles=0", "method.particles=4", "method.reinit=weno"} {
		runtest.NothingIsAllocated(t, 5, swirl, set)
	}
}

func TestVelocitySeries(t *testing.T) {
	runtest.VelocitySeries(t, `
solver = "level-set"
grid = { bounds = [0, 0, 0, 1.5, 1.25, 1], cells = [12, 10, 8], periodic = ["x"] }
initial = { shape = "sphere(0.5, 0.6, 0.5, 0.3)" }
velocity = { u = "1", v = "0", w = "0" }
method = { particles = 3, cfl = 0.5, band = 4 }
time = { end = 1 }
output = { format = [] }
`)
}
