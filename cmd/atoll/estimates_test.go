//go:build linux

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestTimeIsEstimated: a check tells how many steps a run will take, exactly where they follow from a given velocity,
// and how long.
func TestTimeIsEstimated(t *testing.T) {
	grid := strings.NewReplacer("300", "32", "end = 8", "end = 2", ", max_steps = 2", "").Replace(ofGrid)
	space := strings.NewReplacer("'vof'", "'level-set'", "48", "16", "end = 3", "end = 1", ", max_steps = 2",
		"").Replace(ofSpace)
	water := strings.NewReplacer("30000", "400", ", max_steps = 2", "").Replace(ofTriangles)
	for i, c := range []struct {
		of, set string
		exact   bool
	}{
		{grid, "method.cfl=0.3", true}, {grid, "method.adaptive=true", false}, {space, "method.cfl=0.5", true},
		{water, "physics.order=1", false},
	} {
		dir := caseFile(t, c.of)
		args := []string{"run", "case.toml", "--threads", "1", "--quiet", "--set", c.set, "--summary"}
		if code := atoll(t, dir, nil, append(args, "told.json", "--check")...).code(t); code != 0 {
			t.Fatalf("%d: exit code %d", i, code)
		}
		if code := atoll(t, dir, nil, append(args, "taken.json")...).code(t); code != 0 {
			t.Fatalf("%d: exit code %d", i, code)
		}
		told := readSummary(t, filepath.Join(dir, "told.json")).Estimate
		taken := readSummary(t, filepath.Join(dir, "taken.json"))
		if told == nil || len(told.Steps) != 2 || len(told.Wall) != 2 {
			t.Fatalf("%d: the estimate was %+v", i, told)
		}
		n := float64(taken.Steps)
		if n < told.Steps[0] || n > told.Steps[1] || c.exact && told.Steps[0] != told.Steps[1] {
			t.Errorf("%q: steps %v were estimated, and there were %g", c.set, told.Steps, n)
		}
		// Other tests run beside it: of how long it takes on a machine of its own atoll bench estimates tells.
		if !(told.Wall[0] < 20*taken.Wall && told.Wall[1] > taken.Wall/20) {
			t.Errorf("%q: %v s were estimated, and it took %g s", c.set, told.Wall, taken.Wall)
		}
	}
}
