package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// wide is a grid whose blocks of three ranks hold the ghosts of many steps.
const wide = `
solver = "vof"
grid = { bounds = [0, 0, 3, 1], cells = [240, 80] }
initial = { shape = "circle(1, 0.5, 0.2)" }
velocity = { u = "1", v = "0.3", period = 8 }
method = { exchange = "steps" }
time = { end = 1, max_steps = 40 }
output = { format = [] }
`

// TestRestarts: a run goes on from its volume fractions and clock alone, on any number of ranks, in the midst of the
// turns of axes and of what ghosts last for.
func TestRestarts(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		sets []string
	}{
		"plane": {swirl, nil},
		"tiles": {swirl, []string{"method.sweep=tiles", "method.precision=float32"}},
		"deep":  {wide, nil},
		"space": {flatten, []string{"method.normal=elvira"}},
	} {
		t.Run(name, func(t *testing.T) { runtest.Restarts(t, c.text, []int{7}, c.sets...) })
	}
}

// TestGoesOn: a run that was killed goes on from its checkpoint, with gauges and frames of cells and planes.
func TestGoesOn(t *testing.T) {
	const gauge = `
[[gauge]]
name = "edge"
at = [0.5, 0.6]
`
	runtest.GoesOn(t, swirl+gauge, "checkpoint.steps=6", "output.format=['vti', 'vtp']", "output.every=0.1")
}

func TestLooksChangeNothing(t *testing.T) {
	runtest.LooksChangeNothing(t, swirl, 0.2, "time={end=1}", "output.format=['vti']")
}
