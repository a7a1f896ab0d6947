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

// TestInterfacesChangeNothing proves that output of the interface, for which volume fractions are continued into solids
// and beyond walls, changes no state.
func TestInterfacesChangeNothing(t *testing.T) {
	for _, name := range []string{"obstacles", "wetting", "drop", "pipe"} {
		var want string
		for _, formats := range []string{`[]`, `["plic", "vtp", "stl", "vti"]`} {
			if formats != `[]` && !strings.Contains(cases[name], "[0, 0, 0,") {
				formats = `["plic", "vtp", "vti"]`
			}
			s, err := runtest.Run(t, cases[name], 2, 1, runtest.Local, t.TempDir(), "output.format="+formats,
				"output.fields=['f', 'curvature']")
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if want == "" {
				want = s.StateSHA256
			} else if s.StateSHA256 != want {
				t.Errorf("%s: the state is %s with frames, %s without", name, s.StateSHA256, want)
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
