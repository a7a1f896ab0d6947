//go:build linux

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestTimeIsEstimated: --check estimates the steps and the wall time of a run. The number of steps is exact where a
// given velocity determines it.
func TestTimeIsEstimated(t *testing.T) {
	grid := strings.NewReplacer("300", "32", "end = 8", "end = 2", ", max_steps = 2", "").Replace(gridCase)
	space := strings.NewReplacer("'vof'", "'level-set'", "48", "16", "end = 3", "end = 1", ", max_steps = 2",
		"").Replace(boxCase)
	water := strings.NewReplacer("30000", "400", ", max_steps = 2", "").Replace(triangleCase)
	for i, c := range []struct {
		text, set string
		exact     bool
	}{
		{grid, "method={cfl=0.3, adaptive=false}", true}, {grid, "method.adaptive=true", false},
		{space, "method.cfl=0.5", true},
		{water, "physics.order=1", false},
	} {
		dir := caseFile(t, c.text)
		args := []string{"run", "case.toml", "--threads", "1", "--quiet", "--set", c.set, "--summary"}
		if code := atoll(t, dir, nil, append(args, "estimated.json", "--check")...).code(t); code != 0 {
			t.Fatalf("%d: exit code %d", i, code)
		}
		if code := atoll(t, dir, nil, append(args, "measured.json")...).code(t); code != 0 {
			t.Fatalf("%d: exit code %d", i, code)
		}
		estimate := readSummary(t, filepath.Join(dir, "estimated.json")).Estimate
		measured := readSummary(t, filepath.Join(dir, "measured.json"))
		if estimate == nil || len(estimate.Steps) != 2 || len(estimate.Wall) != 2 {
			t.Fatalf("%d: estimate %+v", i, estimate)
		}
		n := float64(measured.Steps)
		if n < estimate.Steps[0] || n > estimate.Steps[1] || c.exact && estimate.Steps[0] != estimate.Steps[1] {
			t.Errorf("%q: estimated %v steps, took %g", c.set, estimate.Steps, n)
		}
		// The bounds are wide because other tests run at the same time; atoll bench estimates measures on an idle
		// machine.
		if !(estimate.Wall[0] < 20*measured.Wall && estimate.Wall[1] > measured.Wall/20) {
			t.Errorf("%q: estimated %v s, took %g s", c.set, estimate.Wall, measured.Wall)
		}
	}
}
