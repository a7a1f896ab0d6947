package problem_test

import (
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestImplausibleSidesAreNoted: conditions and lines that are hardly possible where they are, on any number of ranks,
// and only these. The side on the left is 10 m long, with a bed at 0 to 1 m.
func TestImplausibleSidesAreNoted(t *testing.T) {
	const text = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [0, 0, 20, 10], cells = 300 }
physics = { order = 2, layers = 1, manning = 0.03 }
initial = { depth = "-y/10", z = 1.5 }
time = { end = 1e-3 }
output = { format = [] }
`
	for set, want := range map[string]string{
		"boundary={left={discharge=400}}":          "",
		"boundary={left={discharge=2000}}":         "left: a discharge of 2000 m²/s is more than that of any river",
		"boundary={left={inflow=4000}}":            "",
		"boundary={left={inflow=6000}}":            "an inflow of 6000 m³/s through 10 m is more than that of any river",
		"boundary={left={level='1.4 + 8*sin(t)'}}": "",
		"boundary={left={level=2.1}}":              "left: the level begins at 2.1 m, and the water beside it at 1.5 m",
		"boundary={left={radiation=1.2}}":          "a wave of 0.3 m comes in at once",
		"boundary={left={level='60*sin(9e3*t)'}}":  "left: the level varies by 1",
		"boundary={left={level=-1.5}}":             "", // a free overfall
		"boundary={left={level=-9}}":               "the level, at most -9 m, is below the ground along the whole group",
		"boundary={left={normal=0.1}}":             "",
		"boundary={left={normal=2}}":               "left: a slope of 2, 63 degrees, is that of a cliff",
	} {
		for _, ranks := range []int{1, 3} {
			c := runtest.Parse(t, text, set)
			c.Output.Dir = t.TempDir()
			for rank, err := range runtest.RunEach(t, c, runtest.Local(t, ranks), func() backend.Device { return cpu.New(1) }) {
				if err != nil {
					t.Fatalf("%s: rank %d of %d: %v", set, rank, ranks, err)
				}
			}
			if notes := strings.Join(c.Notes(), "\n"); !strings.Contains(notes, want) || want == "" && notes != "" {
				t.Errorf("%s, %d ranks: notes %q, want %q", set, ranks, notes, want)
			}
		}
	}
}
