package geom

import (
	"math"
	"testing"
)

// TestEdgesOfTheGeometry covers normals and fractions for which formulae cancel, divide by zero or switch between
// cases.
func TestEdgesOfTheGeometry(t *testing.T) {
	least := math.SmallestNonzeroFloat64
	for name, normals := range map[string][][3]float64{
		"one component is zero":   {{0, 1, 2}, {1, 0, 2}, {-1, 3, 0}, {0, -1, 1}},
		"two components are zero": {{1, 0, 0}, {0, -2, 0}, {0, 0, 1e-3}},
		"all components are zero": {{}},
		"components are equal":    {{1, 1, 1}, {-1, 1, -1}, {.1, .1, .1}, {1, 1, 0}},
		"components are denormal": {{least, 1, 1}, {1, least, -least}, {3e-310, -1, 2}, {least, least, least},
			{1e-310, 2e-310, 0}},
		"components are far apart": {{1, 1e-8, 1e-16}, {1e-5, 1, 1e-20}, {1, 1e-150, 1e-300}},
		"components sum to one":    {{.5, .3, .2}, {1. / 3, 1. / 3, 1. / 3}, {.5, .5, 0}},
		"m1 + m2 = m3": {{.25, .25, .5}, {1, 2, 3}, {-1, -2, 3}, {math.Nextafter(1, 0), 2, 3},
			{math.Nextafter(1, 2), 2, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, m := range normals {
				for _, f := range []float64{0, 1e-300, 1e-16, 1e-12, 1. / 6, .5, 5. / 6, 1 - 1e-12, 1 - 0x1p-53, 1} {
					a := PlaneConstant(m[0], m[1], m[2], f)
					if v := Volume(m[0], m[1], m[2], a); !(math.Abs(v-f) <= 1e-14) {
						t.Errorf("%v: volume %v of constant %v, want %v", m, v, a, f)
					}
					a = LineConstant(m[0], m[1], f)
					if v := Area(m[0], m[1], a); !(math.Abs(v-f) <= 1e-14) {
						t.Errorf("%v: area %v of constant %v, want %v", m[:2], v, a, f)
					}
				}
			}
		})
	}
	// Planes normal to an axis, and a corner cut off by a plane with equal components.
	for _, f := range []float64{0, 1e-16, 1e-12, .125, .5, 1} {
		if a := PlaneConstant(0, 0, 4, f); a != 4*f {
			t.Errorf("constant %v of a plane across z, want %v", a, 4*f)
		}
		if a := PlaneConstant(0, -4, 0, f); math.Abs(a-(4*f-4)) > 1e-15 {
			t.Errorf("constant %v of a plane across -y, want %v", a, 4*f-4)
		}
		if a := PlaneConstant(1, 1, 1, f/6); math.Abs(a-math.Cbrt(f)) > 1e-15 {
			t.Errorf("constant %v of a corner, want %v", a, math.Cbrt(f))
		}
	}
}
