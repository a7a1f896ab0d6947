package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// deepGhosts is a case whose blocks on three ranks have deep ghosts.
const deepGhosts = `
solver = "vof"
grid = { bounds = [0, 0, 3, 1], cells = [240, 80] }
initial = { shape = "circle(1, 0.5, 0.2)" }
velocity = { u = "1", v = "0.3", period = 8 }
method = { exchange = "steps" }
time = { end = 1, max_steps = 40 }
output = { format = [] }
`

// TestRestarts proves that a run continues from its volume fractions and clock on any number of ranks, also in the
// middle of a cycle.
func TestRestarts(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		sets []string
	}{
		"plane": {swirl, nil},
		"tiles": {swirl, []string{"method.sweep=tiles", "method.precision=float32"}},
		"deep":  {deepGhosts, nil},
		"space": {shearedBody, []string{"method.normal=elvira"}},
	} {
		t.Run(name, func(t *testing.T) { runtest.Restarts(t, c.text, []int{7}, c.sets...) })
	}
}

const gauge = `
[[gauge]]
name = "edge"
at = [0.5, 0.6]
`

// TestContinuesAfterKill proves that a run that was killed continues from its checkpoint, with gauges and frames of
// cells and planes.
func TestContinuesAfterKill(t *testing.T) {
	runtest.RestartsAfterKill(t, swirl+gauge, "checkpoint.steps=6", "output.format=['vti', 'vtp']", "output.every=0.1")
}

func TestMeasurementsChangeNothing(t *testing.T) {
	runtest.OutputChangesNothing(t, swirl, 0.2, "time={end=1}", "output.format=['vti']")
}

// TestSurvivesPowerFailures proves that no output is lost when the machine loses power: frames as VTI and VTP, and
// tables.
func TestSurvivesPowerFailures(t *testing.T) {
	runtest.SurvivesPowerFailures(t, swirl+gauge, "checkpoint.steps=6", "output.format=['vti', 'vtp']", "output.every=0.1")
}

// TestSurvivesFaults proves that a run whose files could not be written continues from its last checkpoint.
func TestSurvivesFaults(t *testing.T) {
	runtest.SurvivesFaults(t, swirl+gauge, "checkpoint.steps=6", "output.format=['vti', 'vtp']", "output.every=0.1")
}

// TestSurvivesDamage proves that damaged files of a run are made again or reported.
func TestSurvivesDamage(t *testing.T) {
	runtest.SurvivesDamage(t, swirl+gauge, "checkpoint.steps=6", "output.format=['vti', 'vtp', 'plic']",
		"output.every=0.1", "output.compress=true")
}

// TestFindsDamageWhenPublished proves that checksums of files are computed as they are written.
func TestFindsDamageWhenPublished(t *testing.T) {
	runtest.FindsDamageWhenPublished(t, swirl+gauge, "output.format=['vti', 'vtp']", "output.every=0.1")
}
