package problem

import (
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/run/summary"
)

// rising is two ponds with a wall between them; water comes into the left one.
const rising = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [-5, -5, 5, 5], cells = 450 }
physics = { order = 1, layers = 1, manning = 0.02 }
initial = { depth = "abs(x) < 1 ? -3 : 0", z = "x < 0 ? 1 : 0.2" }
time = { end = 2 }
output = { format = [] }
[[source]]
name = "river"
at = [-3, 0]
radius = 5
discharge = 20
[[breach]]
name = "levee"
from = [-2, 3]
to = [2, 3]
radius = 0.8
crest = "1.2 - 0.4*t"
length = "0.5 + t"
`

// TestBreachStarts: a breach opens when the water on one side has risen to a level, in the same way on any number of
// ranks and after restarts. One whose level is below that of the water at the start is one without a level.
func TestBreachStarts(t *testing.T) {
	run := func(ranks int, start string) *summary.Summary {
		text := rising
		if start != "" {
			text += "start = " + start + "\n"
		}
		sum, err := runtest.Run(t, text, ranks, 1, runtest.Local, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	through := func(s *summary.Summary) float64 { return s.Metrics["through_levee"] }
	opened := func(s *summary.Summary) float64 { return s.Metrics["opened_levee"] }
	if never := run(1, "1000"); through(never) != 0 || opened(never) != -1 {
		t.Errorf("%g m³ have passed below the level, from %g s on", through(never), opened(never))
	}
	one, three := run(1, "1.4"), run(3, "1.4")
	if one.StateSHA256 != three.StateSHA256 || through(one) != through(three) {
		t.Errorf("one rank: %s, %v m³; three: %s, %v m³", one.StateSHA256, through(one), three.StateSHA256, through(three))
	}
	if at := opened(one); !(at > 0 && at < one.Time) || at != opened(three) {
		t.Errorf("the breach has opened at %g and %g s of %g", at, opened(three), one.Time)
	}
	at0, given := through(run(1, "0.5")), through(run(1, ""))
	if math.Abs(at0/given-1) > 1e-9 || !(through(one) > 0 && through(one) < .8*given) {
		t.Errorf("%g m³ from a level on, %g from the start, %g without a level", through(one), at0, given)
	}
	runtest.Restarts(t, rising+"start = 1.4\n", []int{1, 3}, "physics.order=2")
}
