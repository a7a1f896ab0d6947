package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestRestarts proves that a run continues from its state and scalars on any number of ranks: with lagged steps, at
// second order, with friction, open sides, rain, infiltration and a rising bed, in both precisions.
func TestRestarts(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		sets []string
	}{
		"wet":    {wet, nil},
		"lag":    {wet, []string{"physics.lagged_step=true", "physics.precision=float32"}},
		"dry":    {dry, []string{"physics.scheme=roe"}},
		"second": {given, []string{"physics.lagged_step=true"}},
		"forced": {forced, []string{"physics.order=2"}},
		"works":  {works, []string{"physics.order=2", "physics.lagged_step=true"}},
	} {
		t.Run(name, func(t *testing.T) { runtest.Restarts(t, c.text, []int{1, 6}, c.sets...) })
	}
	for name, text := range map[string]string{"weather": weather, "works": works, "given": given} {
		for _, order := range []string{"physics.order=1", "physics.order=2"} {
			t.Run(name+" with local steps, "+order, func(t *testing.T) {
				runtest.RestartsOnHost(t, text, []int{1, 6}, order, "physics.local_steps=3")
			})
		}
	}
}

const gauges = `
[[gauge]]
name = "middle"
at = [0.1, 0.2]
[[gauge]]
name = "seldom"
at = [-4, 3]
every = 0.02
[[transect]]
name = "middle"
line = [[-4, -6], [0.3, 0.2], [5, 1]]
every = 0.01
`

// TestContinuesAfterKill proves that a run that was killed continues from its checkpoint, with gauges, a transect,
// frames and a budget.
func TestContinuesAfterKill(t *testing.T) {
	runtest.RestartsAfterKill(t, forced+gauges, "checkpoint.steps=7", "output.every=0.05", "output.format=['vtu']",
		"output.fields=['h', 'z', 'u', 'max_h', 'wet_time', 'arrival']",
		"output.conservation_every=3")
}

func TestMeasurementsChangeNothing(t *testing.T) {
	runtest.OutputChangesNothing(t, forced, 0.1, "time={end=0.5}", "output.format=['vtu']")
}

// TestSurvivesPowerFailures proves that no output is lost when the machine loses power: frames as VTU and NetCDF,
// tables and rasters.
func TestSurvivesPowerFailures(t *testing.T) {
	runtest.SurvivesPowerFailures(t, forced+gauges, "checkpoint.steps=7", "output.every=0.05",
		"output.format=['vtu', 'nc']", "output.raster=0.5", "output.conservation_every=3")
}

// TestSurvivesFaults proves that a run whose files could not be written continues from its last checkpoint.
func TestSurvivesFaults(t *testing.T) {
	runtest.SurvivesFaults(t, forced+gauges, "checkpoint.steps=7", "output.every=0.05", "output.format=['vtu', 'nc']",
		"output.raster=0.5", "output.conservation_every=3")
}

// TestSurvivesDamage proves that damaged files of a run are made again or reported.
func TestSurvivesDamage(t *testing.T) {
	runtest.SurvivesDamage(t, forced+gauges, "checkpoint.steps=7", "output.every=0.05", "output.format=['vtu', 'nc']",
		"output.raster=0.5", "output.conservation_every=3")
}

// TestFindsDamageWhenPublished proves that checksums of files are computed as they are written.
func TestFindsDamageWhenPublished(t *testing.T) {
	runtest.FindsDamageWhenPublished(t, forced+gauges, "output.every=0.05", "output.format=['vtu', 'nc']",
		"output.raster=0.5", "output.conservation_every=3")
}
