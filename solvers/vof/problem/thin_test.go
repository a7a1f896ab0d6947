package problem

import (
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestThinPeriodicDomain proves that a periodic domain of one or few cells across gives what a thicker one does: here
// all is the same along the axis, so that volumes and errors are proportional to the thickness; and that ranks do not
// affect the state.
func TestThinPeriodicDomain(t *testing.T) {
	for _, axis := range []string{"x", "y", "z"} {
		text := map[string]string{
			"x": `initial = { shape = "hypot(y - 0.5, z - 0.6) - 0.2" }
				velocity = { u = "0.3", v = "-(z - 0.5)", w = "y - 0.5" }`,
			"y": `initial = { shape = "hypot(x - 0.5, z - 0.6) - 0.2" }
				velocity = { u = "-(z - 0.5)", v = "0.3", w = "x - 0.5" }`,
			"z": `initial = { shape = "hypot(x - 0.5, y - 0.6) - 0.2" }
				velocity = { u = "-(y - 0.5)", v = "x - 0.5", w = "0.3" }`,
		}[axis]
		grids := map[string][5]string{ // per number of cells along the axis
			"x": {1: "[0,0,0,0.0625,1,1], cells = [1,16,16]", 2: "[0,0,0,0.125,1,1], cells = [2,16,16]",
				4: "[0,0,0,0.25,1,1], cells = [4,16,16]"},
			"y": {1: "[0,0,0,1,0.0625,1], cells = [16,1,16]", 2: "[0,0,0,1,0.125,1], cells = [16,2,16]",
				4: "[0,0,0,1,0.25,1], cells = [16,4,16]"},
			"z": {1: "[0,0,0,1,1,0.0625], cells = [16,16,1]", 2: "[0,0,0,1,1,0.125], cells = [16,16,2]",
				4: "[0,0,0,1,1,0.25], cells = [16,16,4]"},
		}[axis]
		for _, normal := range []string{"myc", "elvira", "height"} {
			var volume, l1 float64
			for _, cells := range []int{4, 2, 1} {
				var state string
				for _, ranks := range []int{1, 4} {
					s, err := runtest.Run(t, `solver = "vof"
						grid = { bounds = `+grids[cells]+`, periodic = ["`+axis+`"] }
						`+text+`
						time = { end = 0.5 }
						output = { format = [] }`, ranks, 1, runtest.Local, t.TempDir(), "method.normal="+normal)
					if err != nil {
						t.Fatalf("%d cells along %s, %s, %d ranks: %v", cells, axis, normal, ranks, err)
					}
					if ranks == 1 {
						state = s.StateSHA256
					}
					if s.StateSHA256 != state {
						t.Errorf("%d cells along %s, %s: another state on %d ranks", cells, axis, normal, ranks)
					}
					v, e := s.Metrics["volume"]/float64(cells), s.Metrics["l1_error"]/float64(cells)
					if cells == 4 && ranks == 1 {
						volume, l1 = v, e
					}
					if !(math.Abs(v-volume) <= 1e-14 && math.Abs(e-l1) <= 1e-9) {
						t.Errorf("%d cells along %s, %s: volume %g and error %g a layer of cells, want %g and %g", cells,
							axis, normal, v, e, volume, l1)
					}
				}
			}
		}
	}
}
