package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// survivor is a bubble with frames, tables and gauges that saves its state every two steps.
const survivor = `
solver = "two-phase"
grid = { bounds = [0, 0, 1, 2], cells = [16, 32] }
fluids = { density = [100, 1000], viscosity = [1, 10], surface_tension = 24.5, gravity = [0, -0.98] }
initial = { shape = "circle(0.5, 0.5, 0.25)" }
sides = { y_low = "no-slip", y_high = "no-slip" }
time = { end = 3, max_steps = 9 }
output = { format = ["vti"], every = 0.02, conservation_every = 1 }
checkpoint = { every = 0, steps = 2 }
gauge = [{ name = "top", at = [0.5, 0.75] }]
`

// TestContinuesAfterKill proves that a run that was killed continues from its checkpoint, with gauges and frames.
func TestContinuesAfterKill(t *testing.T) { runtest.RestartsAfterKill(t, survivor) }

func TestMeasurementsChangeNothing(t *testing.T) {
	runtest.OutputChangesNothing(t, survivor, 0.02)
}

// TestSurvivesPowerFailures proves that no output is lost when the machine loses power.
func TestSurvivesPowerFailures(t *testing.T) { runtest.SurvivesPowerFailures(t, survivor) }

// TestSurvivesFaults proves that a run whose files could not be written continues from its last checkpoint.
func TestSurvivesFaults(t *testing.T) { runtest.SurvivesFaults(t, survivor) }

// TestSurvivesDamage proves that damaged files of a run are made again or reported.
func TestSurvivesDamage(t *testing.T) { runtest.SurvivesDamage(t, survivor) }

// TestFindsDamageWhenPublished proves that checksums of files are computed as they are written.
func TestFindsDamageWhenPublished(t *testing.T) { runtest.FindsDamageWhenPublished(t, survivor) }
