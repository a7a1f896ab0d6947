package smooth

import (
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// TestJump proves that every smoother with a guard keeps triangles upright and the area of the mesh if the metric
// jumps by 10⁶ and rotates from row to row, with ω up to 1.9, and that three ranks give the same bits.
func TestJump(t *testing.T) {
	t.Parallel()
	m := smoothtest.Rectangle(t, 400, 6)
	metric, err := sizing.Discrete(unit, 64, func(x, y float64) (float64, float64, float64) {
		if x+.3*y < .6 {
			return 1, .5, 1
		}
		return 1e6, -9e5, 1e6
	})
	if err != nil {
		t.Fatal(err)
	}
	ranks := defaultSetting()
	ranks.ranks, ranks.cut = 3, partition.RandomCut
	for _, smoother := range Smoothers {
		for _, guard := range []string{"halve", "clip"} {
			for _, relax := range []float64{0, 1.9} {
				cfg := Config{Smoother: smoother, Guard: guard, Relax: relax, Rescale: true, Gain: 1e-6}
				one := defaultSetting().run(t, m, metric, cfg, 30)
				d := one.diagnostics
				if d.Inverted != 0 || math.Abs(d.AreaDrift) > 1e-14 || d.Moved == 0 || !(d.QualityMean > 0) {
					t.Errorf("%s, guard %s, ω = %g: %+v", smoother, guard, relax, d)
				}
				if other := ranks.run(t, m, metric, cfg, 30); other != one {
					t.Errorf("%s, guard %s, ω = %g: 3 ranks end with %+v, one with %+v", smoother, guard, relax, other, one)
				}
			}
		}
	}
}

// TestDart has a cavity shaped like a dart: the mean of its corners is outside. Unguarded steps toward it invert
// triangles; guards prevent that, and so do the smoothers that consider quality, of which fjp finds a better
// position.
func TestDart(t *testing.T) {
	t.Parallel()
	dart := &mesh.Mesh{X: []float64{0, -4, 0, 4, 0}, Y: []float64{1.5, -4, 1, -4, 3},
		Cells: [][3]int32{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 1}}}
	metric, err := sizing.Discrete(sizing.Bounds{X0: -4, Y0: -4, X1: 4, Y1: 4}, 2, func(_, _ float64) (float64, float64,
		float64) {
		return 1, 0, 1
	})
	if err != nil {
		t.Fatal(err)
	}
	before := defaultSetting().run(t, dart, metric, Config{Smoother: "fjp", Guard: "none"}, 0).diagnostics.QualityMin
	for _, smoother := range Smoothers {
		for _, guard := range Guards {
			o := defaultSetting().run(t, dart, metric, Config{Smoother: smoother, Guard: guard}, 1)
			unguarded := guard == "none" && smoother != "smart" && smoother != "fjp" && smoother != "hybrid" &&
				smoother != "barrier"
			if inverts := o.diagnostics.Inverted > 0; inverts != unguarded {
				t.Errorf("%s, guard %s: %d triangles are inverted", smoother, guard, o.diagnostics.Inverted)
			}
			if after := o.diagnostics.QualityMin; smoother == "fjp" && after <= before {
				t.Errorf("fjp: the worst quality goes from %g to %g", before, after)
			}
		}
	}
}
