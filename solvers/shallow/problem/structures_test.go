package problem

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers"
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

// TestBreachesEndAtTheGround: a breach whose crest is far below the ground carries what one down to the ground does.
func TestBreachesEndAtTheGround(t *testing.T) {
	through := func(crest string) float64 {
		sum, err := runtest.Run(t, rising, 1, 1, runtest.Local, t.TempDir(),
			`breach=[{name="levee", from=[-2, 3], to=[2, 3], radius=0.8, length=1, crest=`+crest+`}]`)
		if err != nil {
			t.Fatal(err)
		}
		return sum.Metrics["through_levee"]
	}
	deep, ground, above := through("-50"), through("0"), through("0.3")
	if deep != ground || !(above > 0 && above < ground) {
		t.Errorf("%g m³ with the crest below the ground, %g at the ground, %g above", deep, ground, above)
	}
}

// TestEndsAreApart: a cell cannot be at both ends of a structure, which would move water from it to itself.
func TestEndsAreApart(t *testing.T) {
	_, err := runtest.Run(t, rising, 2, 1, runtest.Local, t.TempDir(),
		`breach=[{name="levee", from=[-2, 3], to=[-1.9, 3], radius=0.8, length=1, crest=0}]`)
	if err == nil || !strings.Contains(err.Error(), `breach "levee": cell `) ||
		!strings.Contains(err.Error(), "belongs to both ends") {
		t.Errorf("error %v", err)
	}
}

// TestSourcesAlongLines: the water of a source along a line comes into the cells that the line crosses, one that is
// nearly all of a domain's width into all columns of cells, on any number of ranks.
func TestSourcesAlongLines(t *testing.T) {
	const text = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [0, 0, 20, 10], cells = 800 }
physics = { order = 1, layers = 1, manning = 0.05 }
initial = { depth = 0, h = 0 }
time = { end = 0.5 }
output = { format = [] }
source = [{ name = "seepage", line = [[0.1, 5], [10, 5.2], [19.9, 5]], discharge = 4 }]
`
	var hashes [2]string
	for k, ranks := range []int{1, 3} {
		dir := t.TempDir()
		sum, err := runtest.Run(t, text, ranks, 1, runtest.Local, dir)
		if err != nil {
			t.Fatal(err)
		}
		hashes[k] = sum.StateSHA256
		if got := sum.Metrics["mass_from_seepage"]; math.Abs(got-2) > 1e-12 {
			t.Errorf("%d ranks: %g m³ have come in, want 2", ranks, got)
		}
		// A strip of 20 m × 1 m, of cells of some .5 m, has 10 cm; without the line the water would be in one cell.
		if deepest := sum.Metrics["h_max"]; !(deepest > .05 && deepest < .3) {
			t.Errorf("%d ranks: the deepest water is %g m", ranks, deepest)
		}
	}
	if hashes[0] != hashes[1] {
		t.Errorf("states %s and %s", hashes[0], hashes[1])
	}
	for set, want := range map[string]string{
		`source=[{name="a", discharge=1}]`:                                          "needs either at, a position, or line",
		`source=[{name="a", discharge=1, at=[1, 1], line=[[1, 1], [2, 2]]}]`:        "needs either at, a position, or line",
		`source=[{name="a", discharge=1, line=[[-1, -1], [-2, -2]], radius = 0.1}]`: "is outside of the mesh",
	} {
		var err error
		if c, parsed := solvers.Parse("case.toml", []byte(text), []string{set}); parsed != nil {
			err = parsed
		} else {
			err = errors.Join(runtest.RunEach(t, c, runtest.Local(t, 1), func() backend.Device { return cpu.New(1) })...)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v does not say %q", set, err, want)
		}
	}
}

// TestDischargeAtTheStart: the row of the start has the discharge of the water at rest there by the formula, however
// little water the places at the ends have.
func TestDischargeAtTheStart(t *testing.T) {
	dir := t.TempDir()
	if _, err := runtest.Run(t, operated, 1, 1, runtest.Local, dir, "time.max_steps=1"); err != nil {
		t.Fatal(err)
	}
	const jet = .63 * .4
	if q, want := column(t, dir, "discharge_barrier")[0], jet*math.Sqrt(2*9.81*(1-jet)); math.Abs(q-want) > 1e-6*want {
		t.Errorf("%g m³/s, want %g", q, want)
	}
}

// TestStructuresInTheOpenAreNoted: structures for dams between whose ends there is none, and only these.
func TestStructuresInTheOpenAreNoted(t *testing.T) {
	for depth, want := range map[string]bool{"abs(x) < 1 ? -3 : 0": false, "0": true, "x/100": true} {
		text := strings.Replace(operated, "abs(x) < 1 ? -3 : 0", depth, 1)
		c, err := solvers.Parse("case.toml", []byte(text), []string{"time.max_steps=1"})
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range runtest.RunEach(t, c, runtest.Local(t, 2), func() backend.Device { return cpu.New(1) }) {
			if err != nil {
				t.Fatal(err)
			}
		}
		notes := strings.Join(c.Notes(), "\n")
		const gate = "[[gate]] barrier: the ground between from and to is nowhere higher"
		if strings.Contains(notes, gate) != want || strings.Contains(notes, "polder") || strings.Contains(notes, "river") {
			t.Errorf("depth %s: notes %q", depth, notes)
		}
	}
}
