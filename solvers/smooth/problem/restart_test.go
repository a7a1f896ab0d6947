package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestRestarts proves that a run continues from the fields and the named numbers of the solver in a checkpoint, on any
// number of ranks: with deep ghosts, culling, the stages of barrier, a hybrid floor, stopping rules, and in space.
func TestRestarts(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		sets []string
	}{
		"plane":        {wavy, nil},
		"deep":         {wavy, []string{"method.deep=true", "method.precision=float32", "metric.rescale=true"}},
		"culled":       {wavy, []string{"method.cull=true", "method.settled=1e-3", "method.deep=true"}},
		"culled smart": {wavy, []string{"method.cull=true", "method.settled=1e-3", "method.smoother=smart"}},
		"barrier":      {wavy, []string{"method={smoother='barrier', sweeps=40}", "stop={every=3, advance=1e-4}"}},
		"hybrid":       {wavy, []string{"method={smoother='hybrid', sweeps=12}"}},
		"space":        {brick, []string{"method={smoother='barrier', sweeps=30}"}},
	} {
		t.Run(name, func(t *testing.T) { runtest.Restarts(t, c.text, []int{5}, c.sets...) })
	}
}

// TestContinuesAfterKill proves that a run that was killed continues from its checkpoint, with its stopping rules
// and frames of the mesh.
func TestContinuesAfterKill(t *testing.T) {
	runtest.RestartsAfterKill(t, wavy, "checkpoint.steps=4", "method={smoother='barrier', sweeps=40}",
		"stop={every=3, advance=1e-4}", "output.format=['vtu']", "output.every=5", "output.conservation_every=2")
}

// TestRestartsInRounds proves the same for a metric recovered in several rounds, from within each round and from its
// end, whichever round is the best so far; in space too.
func TestRestartsInRounds(t *testing.T) {
	for name, c := range map[string]struct {
		steps []int
		sets  []string
	}{
		"plane": {[]int{5, 12, 17, 24, 30}, []string{"method.sweeps=12", "stop={every=4, advance=1e-4}"}},
		"first is best": {[]int{35}, []string{"method={smoother='pain-exact', sweeps=15, cull=true, settled=1e-2}",
			"metric.complexity=40", "metric.rescale=false"}},
		"space": {[]int{13}, []string{"method={sweeps=10, precision='float32'}", "metric.rounds=2",
			"mesh={generate='box', bounds=[0, 0, 0, 1, 1, 1], cells=300}"}},
	} {
		t.Run(name, func(t *testing.T) { runtest.Restarts(t, bell, c.steps, c.sets...) })
	}
}

// TestContinuesRoundsAfterKill proves the same for a run that was killed after the first round.
func TestContinuesRoundsAfterKill(t *testing.T) {
	runtest.RestartsAfterKill(t, bell, "checkpoint.steps=7", "method.sweeps=12", "output.format=['vtu']", "output.every=5",
		"output.conservation_every=2")
}

// TestSurvivesPowerFailures proves that no output is lost when the machine loses power: frames as VTU with one file per
// rank, tables and the final mesh.
func TestSurvivesPowerFailures(t *testing.T) {
	runtest.SurvivesPowerFailures(t, wavy, "checkpoint.steps=4", "method={smoother='barrier', sweeps=40}",
		"stop={every=3, advance=1e-4}", "output.format=['vtu']", "output.files=rank", "output.mesh=final.msh",
		"method.force=true", "output.every=5", "output.conservation_every=2")
}

// TestSurvivesFaults proves that a run whose files could not be written continues from its last checkpoint.
func TestSurvivesFaults(t *testing.T) {
	runtest.SurvivesFaults(t, wavy, "checkpoint.steps=4", "method={smoother='barrier', sweeps=40}",
		"stop={every=3, advance=1e-4}", "output.format=['vtu']", "output.mesh=final.msh", "method.force=true",
		"output.every=5", "output.conservation_every=2")
}

// TestSurvivesDamage proves that damaged files of a run are made again or reported.
func TestSurvivesDamage(t *testing.T) {
	runtest.SurvivesDamage(t, wavy, "checkpoint.steps=4", "method={smoother='barrier', sweeps=40}",
		"stop={every=3, advance=1e-4}", "output.format=['vtu']", "output.mesh=final.msh", "method.force=true",
		"output.every=5", "output.conservation_every=2")
}

// TestFindsDamageWhenPublished proves that checksums of files are computed as they are written, also with one file per
// rank.
func TestFindsDamageWhenPublished(t *testing.T) {
	for _, files := range []string{"one", "rank"} {
		runtest.FindsDamageWhenPublished(t, wavy, "method={smoother='barrier', sweeps=40}", "output.format=['vtu']",
			"output.every=5", "output.files="+files)
	}
}
