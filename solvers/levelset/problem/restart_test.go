package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestRestarts proves that a run continues from its level set, its particles and its counters on any number of ranks.
func TestRestarts(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		sets []string
	}{
		"swirl":    {swirl, nil},
		"reseed":   {swirl, []string{"method.reseed=5", "method.precision=float32", "method.reinit=weno"}},
		"drift":    {drift, []string{"method.correct=sorted"}},
		"no swarm": {swirl, []string{"method.particles=0"}},
	} {
		t.Run(name, func(t *testing.T) { runtest.Restarts(t, c.text, []int{7}, c.sets...) })
	}
}

const gauge = `
[[gauge]]
name = "middle"
at = [0.5, 0.55]
`

func TestRestartsAfterKill(t *testing.T) {
	for _, every := range []string{"0", "2"} {
		runtest.RestartsAfterKill(t, swirl+gauge, "checkpoint.steps=6", "method.reseed=5", "output.format=['vti']",
			"output.every=0.1", "method.rebalance="+every)
	}
}

func TestOutputChangesNothing(t *testing.T) {
	runtest.OutputChangesNothing(t, swirl, 0.2, "output.format=['vti']")
}

// TestRowsAreAsynchronous proves that rows of conservation.csv are computed while steps go on.
func TestRowsAreAsynchronous(t *testing.T) {
	runtest.RowsAreAsynchronous(t, swirl, "output.conservation_every=1", "method.reseed=5")
}

// TestSurvivesPowerFailures proves that no output is lost when the machine loses power: frames as VTI and STL, and
// tables.
func TestSurvivesPowerFailures(t *testing.T) {
	runtest.SurvivesPowerFailures(t, swirl+gauge, "checkpoint.steps=6", "method.reseed=5", "output.format=['vti']",
		"output.every=0.1")
}

// TestSurvivesFaults proves that a run whose files could not be written continues from its last checkpoint.
func TestSurvivesFaults(t *testing.T) {
	runtest.SurvivesFaults(t, swirl+gauge, "checkpoint.steps=6", "method.reseed=5", "output.format=['vti', 'vtp', 'vdb']",
		"output.every=0.1")
}

// TestSurvivesDamage proves that damaged files of a run are made again or reported.
func TestSurvivesDamage(t *testing.T) {
	runtest.SurvivesDamage(t, swirl+gauge, "checkpoint.steps=6", "method.reseed=5",
		"output.format=['vti', 'obj', 'particles']", "output.every=0.1")
}

// TestFindsDamageWhenPublished proves that checksums of files are computed as they are written.
func TestFindsDamageWhenPublished(t *testing.T) {
	runtest.FindsDamageWhenPublished(t, swirl+gauge, "output.format=['vti', 'obj', 'vdb', 'particles']",
		"output.every=0.1")
}
