package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestRestarts: a run goes on from its vertices and declared scalars alone, on any number of ranks: with ghosts that
// move too, vertices left alone, the stages of barrier, a hybrid floor, rules to stop by, and in space.
func TestRestarts(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		sets []string
	}{
		"plane":   {wavy, nil},
		"deep":    {wavy, []string{"method.deep=true", "method.precision=float32", "metric.rescale=true"}},
		"culled":  {wavy, []string{"method.cull=true", "method.settled=1e-3", "method.deep=true"}},
		"near":    {wavy, []string{"method.cull=true", "method.settled=1e-3", "method.smoother=smart"}},
		"barrier": {wavy, []string{"method={smoother='barrier', sweeps=40}", "stop={every=3, advance=1e-4}"}},
		"hybrid":  {wavy, []string{"method={smoother='hybrid', sweeps=12}"}},
		"space":   {brick, []string{"method={smoother='barrier', sweeps=30}"}},
	} {
		t.Run(name, func(t *testing.T) { runtest.Restarts(t, c.text, []int{5}, c.sets...) })
	}
}

// TestGoesOn: a run that was killed goes on from its checkpoint, with its rules to stop by and frames of the mesh.
func TestGoesOn(t *testing.T) {
	runtest.GoesOn(t, wavy, "checkpoint.steps=4", "method={smoother='barrier', sweeps=40}",
		"stop={every=3, advance=1e-4}", "output.format=['vtu']", "output.every=5", "output.conservation_every=2")
}
