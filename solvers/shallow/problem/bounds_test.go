package problem

import (
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestCoefficientsThatNeedOthers: a coefficient that needs another one, or must not be below it, is refused with both,
// when the case is read or before the first step.
func TestCoefficientsThatNeedOthers(t *testing.T) {
	for _, c := range [][2]string{
		{"physics.manning_shallow=0.1", "manning_shallow: needs depth_deep too"},
		{"physics.depth_deep=1", "depth_deep: needs manning_shallow too"},
		{"physics.depth_shallow=1", "depth_shallow: needs manning_shallow too"},
		{"physics={layers=1, manning_shallow=0.1, depth_deep=1}", ", 0.1, needs a positive manning there too"},
		{"physics={layers=1, manning=0.02, manning_shallow=0.1, depth_shallow='x + 6', depth_deep=10}",
			"depth_deep at cell"},
		{"forcing.horton={initial_rate=1e-6, final_rate=2e-6, decay=1e-3}", "[forcing] initial_rate at cell"},
		{"forcing.horton={initial_rate=1e-6, final_rate=1e-6}", "horton.decay: is required"},
		{"forcing={infiltration=0, horton={initial_rate=1e-6, final_rate=1e-6, decay=1}}",
			"horton: cannot be combined with"},
	} {
		set, want := c[0], c[1]
		_, err := config.Parse("c.toml", []byte(puddle), []string{set}, map[string]config.Decoder{"shallow-water": Decode})
		if err == nil {
			for _, err = range runtest.RunEach(t, runtest.Parse(t, puddle, set), local.New(2), onCPU) {
				if err == nil {
					break
				}
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", set, err, want)
		}
	}
}
