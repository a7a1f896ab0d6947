package verify

import (
	"math"
	"math/cmplx"
	"testing"
)

// TestFaddeeva: values of w(z) from tables: w(iy) = exp(y²) erfc(y), w(1) = exp(-1) + 2i/√π times Dawson's integral.
func TestFaddeeva(t *testing.T) {
	for _, c := range []struct{ z, want complex128 }{
		{0, 1}, {1i, complex(math.E*math.Erfc(1), 0)}, {-.5i, complex(math.Exp(.25)*math.Erfc(-.5), 0)},
		{1, complex(math.Exp(-1), 2/math.Sqrt(math.Pi)*.5380795069127684)},
	} {
		if got := faddeeva(c.z); cmplx.Abs(got-c.want) > 1e-12*cmplx.Abs(c.want) {
			t.Errorf("w(%v) = %v, want %v", c.z, got, c.want)
		}
	}
}

// TestDampedWave: the solution begins at 1 at rest, and without viscosity it is a cosine.
func TestDampedWave(t *testing.T) {
	w := newDampedWave(1, 1, 1, .018, 2*math.Pi)
	if v, slope := w.at(0), (w.at(1e-6)-1)/1e-6; math.Abs(v-1) > 1e-12 || math.Abs(slope) > 1e-3 {
		t.Errorf("begins at %g with slope %g", v, slope)
	}
	w = newDampedWave(1, 1, .1, 1e-9, 2*math.Pi)
	for _, at := range []float64{.05, .2, .7} {
		if got, want := w.at(at), math.Cos(w.frequency*at); math.Abs(got-want) > 1e-3 {
			t.Errorf("at %g: %g, want %g", at, got, want)
		}
	}
}
