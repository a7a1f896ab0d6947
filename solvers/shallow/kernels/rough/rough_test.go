package rough

import (
	"math"
	"testing"
)

func TestCubeRoot(t *testing.T) {
	for _, x := range []float64{1e-9, 1e-6, .001, .5, 1, 2, 8, 1000, 1e5} {
		if got := CubeRoot(x); math.Abs(got-math.Cbrt(x)) > 1e-14*math.Cbrt(x) {
			t.Errorf("CubeRoot(%g) = %g, want %g", x, got, math.Cbrt(x))
		}
	}
}

// TestRoughnessByDepth: n is that of each of both depths beyond it, linear between them, and that of deep water where
// none is given for shallow water.
func TestRoughnessByDepth(t *testing.T) {
	grass, step, none := Shallows[float64]{N: .3, Below: .1, Deep: .5}, Shallows[float64]{N: .3, Below: .2, Deep: .2},
		Shallows[float64]{}
	for _, c := range []struct {
		s       Shallows[float64]
		h, want float64
	}{{grass, 0, .3}, {grass, .1, .3}, {grass, .3, .2}, {grass, .5, .1}, {grass, 9, .1}, {step, .19, .3}, {step, .2, .1},
		{none, 0, .1}, {none, 1, .1}} {
		if got := c.s.At(.1, c.h); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("n at a depth of %g m is %g, want %g: %+v", c.h, got, c.want, c.s)
		}
	}
}
