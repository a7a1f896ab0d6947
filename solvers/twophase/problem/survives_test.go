package problem

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/run/checkpoint"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers"
)

// survivor is a bubble with frames, tables and gauges that saves its state every two steps.
const survivor = `
solver = "two-phase"
grid = { bounds = [0, 0, 1, 2], cells = [16, 32] }
fluids = { density = [100, 1000], viscosity = [1, 10], surface_tension = 24.5, gravity = [0, -0.98] }
initial = { shape = "circle(0.5, 0.5, 0.25)" }
sides = { y_low = "no-slip", y_high = "no-slip" }
time = { end = 3, max_steps = 9 }
[output]
format = ["vti", "vtp", "plic"]
fields = ["f", "p", "velocity", "curvature"]
every = 0.02
conservation_every = 1
[checkpoint]
every = 0
steps = 2
[[gauge]]
name = "top"
at = [0.5, 0.75]
`

// TestContinuesAfterKill proves that a run that was killed continues from its checkpoint, with gauges and frames.
func TestContinuesAfterKill(t *testing.T) { runtest.RestartsAfterKill(t, survivor) }

func TestMeasurementsChangeNothing(t *testing.T) {
	runtest.OutputChangesNothing(t, survivor, 0.02)
}

// shore is a body of water that wets walls and a solid, and loses small bubbles.
const shore = `
solver = "two-phase"
grid = { bounds = [0, 0, 2.4, 7], cells = [24, 70] }
fluids = { density = [1000, 1.2], viscosity = 0, surface_tension = 10, gravity = [0, -9.81] }
solid = [{ shape = "circle(0.96, 4.2, 0.84)" }]
bubbles = { remove_below = 0.02, remove_every = 2 }
time = { end = 3, max_steps = 9 }
[initial]
shape = "union(circle(0.24, 3.5, 0.72), box(0.72, 1.4, 2.16, 4.9))"
u = "0.3*sin(5*y + x)"
v = "0.3*sin(5*y + x)"
[sides]
x_low = { kind = "slip", contact_angle = 40 }
x_high = { kind = "slip", contact_angle = 40 }
y_low = "no-slip"
y_high = "no-slip"
[method]
tolerance = 1e-3
`

// TestInterfacesChangeNothing proves that output of the interface in each step, for which volume fractions are
// continued into solids and beyond walls, changes neither the state nor what is measured.
func TestInterfacesChangeNothing(t *testing.T) {
	for name, text := range map[string]string{"obstacles": cases["obstacles"], "drop": cases["drop"],
		"pipe": cases["pipe"], "shore": shore} {
		var want map[string]string
		for _, formats := range []string{`[]`, `["vtp"]`, `["plic"]`, `["vti"]`} {
			got := outcome(t, text, configuration{2, 1, runtest.Local, ""}, []string{"output.conservation_every=1",
				"output.format=" + formats, "output.fields=['f', 'curvature']", "output.every=1e-5"})
			if want == nil {
				want = got
			}
			for key := range want {
				if got[key] != want[key] {
					t.Errorf("%s: %s is %s with frames, %s without", name, key, got[key], want[key])
				}
			}
		}
	}
}

// TestSurvivesPowerFailures proves that no output is lost when the machine loses power.
func TestSurvivesPowerFailures(t *testing.T) { runtest.SurvivesPowerFailures(t, survivor) }

// TestSurvivesFaults proves that a run whose files could not be written continues from its last checkpoint.
func TestSurvivesFaults(t *testing.T) { runtest.SurvivesFaults(t, survivor) }

// TestSurvivesDamage proves that damaged files of a run are made again or reported.
func TestSurvivesDamage(t *testing.T) { runtest.SurvivesDamage(t, survivor) }

// TestFindsDamageWhenPublished proves that checksums of files are computed as they are written.
func TestFindsDamageWhenPublished(t *testing.T) { runtest.FindsDamageWhenPublished(t, survivor) }

// TestInvalidStateIsNotSaved proves that a velocity that is not finite ends the run with an error that names it, at the
// next row or checkpoint: no checkpoint has it.
func TestInvalidStateIsNotSaved(t *testing.T) {
	for where, set := range map[string]string{
		"step 1: u is NaN in {u: NaN, v: NaN}": "output.conservation_every=1",
		"step 2: f is NaN in {f: NaN}":         "output.conservation_every=1000",
	} {
		for name, open := range map[string]runtest.Open{"local": runtest.Local, "grpc": runtest.GRPC} {
			dir := filepath.Join(t.TempDir(), "out")
			_, err := runtest.Run(t, survivor, 2, 1, open, dir, "fluids.gravity=[0, -1e300]", set, "output.every=1")
			if err == nil || !errors.As(err, new(*solvers.InvalidState)) || !strings.Contains(err.Error(), where) {
				t.Errorf("%s, %s: got error %v, want one of %q", name, set, err, where)
			}
			if saved, err := checkpoint.List(dir); err != nil || len(saved) > 0 {
				t.Errorf("%s, %s: checkpoints %v, %v", name, set, saved, err)
			}
			if info, err := folder.Read(dir); err != nil || info.State != folder.Failed {
				t.Errorf("%s, %s: the run is recorded as %s, %v", name, set, info.State, err)
			}
		}
	}
}
