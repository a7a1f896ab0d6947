package portable

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The functions differ from those of package math by at most units in the last place: each of the two may have an error
// of one unit, and more if it has several roundings.
func TestPortableFunctionsAreAccurate(t *testing.T) {
	for _, f := range []struct {
		name      string
		got, want func(float64) float64
		maxX      float64
		units     float64
	}{
		{"exp", Exp, math.Exp, 745, 2},
		{"sinh", Sinh, math.Sinh, 705, 4},
		{"cosh", Cosh, math.Cosh, 705, 4},
		{"tanh", Tanh, math.Tanh, 30, 3},
		{"power 1.5", func(x float64) float64 { return Pow(math.Abs(x), 1.5) }, func(x float64) float64 {
			return math.Pow(math.Abs(x), 1.5)
		}, 1e9, 64}, // the relative error of Exp(y log x) is the absolute error of y log x
	} {
		rapid.Check(t, func(r *rapid.T) {
			x := rapid.Float64Range(-f.maxX, f.maxX).Draw(r, "x")
			got, want := f.got(x), f.want(x)
			if got == want {
				return
			}
			unit := math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want)
			if !(math.Abs(got-want) <= f.units*unit) {
				r.Fatalf("%s(%v) = %v, want %v: they differ by %v units, want at most %v", f.name, x, got, want,
					math.Abs(got-want)/unit, f.units)
			}
		})
	}
}

func TestPortableSpecialValues(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, 1.5, -2.5, 3, 1e300, -1e300, 1e-310, 800, -800,
		math.Inf(1), math.Inf(-1), math.NaN()}
	expectClose := func(name string, got, want float64) {
		if !(math.Abs(got-want) <= 1e-13*math.Abs(want)) && got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	for _, x := range special {
		expectClose("exp", Exp(x), math.Exp(x))
		expectClose("sinh", Sinh(x), math.Sinh(x))
		expectClose("cosh", Cosh(x), math.Cosh(x))
		expectClose("tanh", Tanh(x), math.Tanh(x))
		for _, y := range special {
			expectClose("pow", Pow(x, y), math.Pow(x, y))
		}
	}
}

// TestBits: the bits of these functions, and of the functions of package math that Atoll uses, are the same on every
// machine. want is a hash of the values.
func TestBits(t *testing.T) {
	type function = func(float64) float64
	ofAbs := func(f function) function { return func(x float64) float64 { return f(math.Abs(x)) } }
	for _, c := range []struct {
		name  string
		scale float64 // arguments are the integers from -500 to 499, divided by scale
		of    []function
		want  uint64
	}{
		{"exp and functions of it", 37, []function{Exp, Sinh, Cosh, Tanh,
			ofAbs(func(x float64) float64 { return Pow(x, 1.3) })}, 0x92bc60acc0ffcc20},
		{"log", 7, []function{ofAbs(Log), ofAbs(math.Log10), ofAbs(func(x float64) float64 { return Log(x * 0x1p-1040) })},
			0x377d7ad06602136a},
		{"angles", 23, []function{math.Sin, math.Cos, math.Tan, math.Atan,
			func(x float64) float64 { s, c := math.Sincos(x); return s - c },
			func(x float64) float64 { return math.Atan2(x, 1.7*x+1) }}, 0xb6234053c222306f},
		{"arcs", 500, []function{math.Asin, math.Acos}, 0x8c2da01eb30fcbce},
		{"roots", 3, []function{ofAbs(math.Sqrt), math.Cbrt, func(x float64) float64 { return math.Hypot(x, 3-x/7) }},
			0x944832c25c087600},
	} {
		var sum uint64
		for i := range 1000 {
			for _, f := range c.of {
				sum = sum*31 + math.Float64bits(f(float64(i-500)/c.scale))
			}
		}
		if sum != c.want {
			t.Errorf("%s: got hash %#x, want %#x", c.name, sum, c.want)
		}
	}
}

// TestLogOfSubnormals: the logarithm of 2^-k is -k ln 2, also for subnormal numbers.
func TestLogOfSubnormals(t *testing.T) {
	for k := 1000; k <= 1074; k++ {
		got, want := Log(math.Ldexp(1, -k)), -float64(k)*math.Ln2
		if !(math.Abs(got-want) <= 2e-13) {
			t.Errorf("log of 2^-%d is %v, want %v", k, got, want)
		}
	}
}
