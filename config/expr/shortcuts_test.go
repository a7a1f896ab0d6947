package expr

import (
	"math"
	"strings"
	"testing"
)

// TestShortcuts proves that terms of coordinates and constants have the bits of the general ones: those of variables,
// for which there are no shortcuts.
func TestShortcuts(t *testing.T) {
	numbers := []float64{0, math.Copysign(0, -1), 1, -1, .1, .3, 1e-300, -1e300, 5e-324, 3}
	for _, text := range []string{"x", "x + 0.3", "x - 0.3", "0.3 - x", "x + 0", "x - 0", "x*0", "x*3", "x/3", "x^2",
		"(x - 0.3)^2", "(x + 0.1) + 0.2", "(x - 0.1 - 0.2)^2", "(x - 0.3)*(x - 0.3)", "(x - 0.3)*(x + 0.3)", "x*x", "x^3",
		"x**2", "-x^2", "(x + 0)^2", "2^x", "(2*x)^2", "x % 2 + 1", "(x - 0.5)^2 + (x + 0.25)^2 - 0.09", "1/(x + 0)",
		"hypot(x - 0.3, x)", "(x - 0.1)/(x - 0.1)", "x - 0.3 > 0 ? x : 2 - x"} {
		for _, coordinate := range []string{"x", "y", "z", "t"} {
			rename := func(to string) string { return strings.ReplaceAll(text, "x", to) }
			short, err := Compile(rename(coordinate))
			if err != nil {
				t.Fatal(err)
			}
			long, err := Compile(rename("value"), "value")
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range numbers {
				at := map[string]point{"x": {x: v}, "y": {y: v}, "z": {z: v}, "t": {t: v}}[coordinate]
				a, b := short.value(at), long.value(point{extra: []float64{v}})
				if math.Float64bits(a) != math.Float64bits(b) && !(a != a && b != b) {
					t.Errorf("%s at %g is %g, want %g", rename(coordinate), v, a, b)
				}
			}
		}
	}
}
