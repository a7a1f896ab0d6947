package expr

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The functions of math are off by about one unit in the last place, and so may these be: units is the sum, and more
// where a function takes several roundings.
func TestPortableFunctionsAreAccurate(t *testing.T) {
	for _, f := range []struct {
		name       string
		mine, want func(float64) float64
		most       float64
		units      float64
	}{
		{"exp", exp, math.Exp, 745, 2},
		{"sinh", sinh, math.Sinh, 705, 4},
		{"cosh", cosh, math.Cosh, 705, 4},
		{"tanh", tanh, math.Tanh, 30, 3},
		{"power 1.5", func(x float64) float64 { return pow(math.Abs(x), 1.5) }, func(x float64) float64 {
			return math.Pow(math.Abs(x), 1.5)
		}, 1e9, 64}, // as many as log x in exp(y log x) is large
	} {
		rapid.Check(t, func(r *rapid.T) {
			x := rapid.Float64Range(-f.most, f.most).Draw(r, "x")
			got, want := f.mine(x), f.want(x)
			if got == want {
				return
			}
			unit := math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want)
			if !(math.Abs(got-want) <= f.units*unit) {
				r.Fatalf("%s(%v) = %v, want %v: %v units", f.name, x, got, want, math.Abs(got-want)/unit)
			}
		})
	}
}

func TestPortableSpecialValues(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, 1.5, -2.5, 3, 1e300, -1e300, 1e-310, 800, -800,
		math.Inf(1), math.Inf(-1), math.NaN()}
	same := func(name string, got, want float64) {
		if !(math.Abs(got-want) <= 1e-13*math.Abs(want)) && got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	for _, x := range special {
		same("exp", exp(x), math.Exp(x))
		same("sinh", sinh(x), math.Sinh(x))
		same("cosh", cosh(x), math.Cosh(x))
		same("tanh", tanh(x), math.Tanh(x))
		for _, y := range special {
			same("pow", pow(x, y), math.Pow(x, y))
		}
	}
}

// These bits must be the same on every machine.
func TestPortableBits(t *testing.T) {
	var sum uint64
	for i := range 1000 {
		x := float64(i-500) / 37
		for _, v := range []float64{exp(x), sinh(x), cosh(x), tanh(x), pow(math.Abs(x), 1.3)} {
			sum = sum*31 + math.Float64bits(v)
		}
	}
	if want := uint64(0x92bc60acc0ffcc20); sum != want {
		t.Errorf("%#x, want %#x", sum, want)
	}
}
