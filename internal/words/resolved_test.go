package words

import (
	"math"
	"testing"
)

// TestResolved: numbers have the digits that tell them apart, and not fewer than three.
func TestResolved(t *testing.T) {
	for _, c := range []struct {
		x, resolution float64
		want          string
	}{
		{565432.12345, .3, "565432.1"}, {565432.12345, .01, "565432.12"}, {5934210.6789, 1, "5934211"},
		{1. / 3, .1, "0.333"}, {1. / 3, 1e-4, "0.3333"}, {0, 1e-4, "0"}, {1.2345e9, 1e8, "1.23e+09"}, {12.3456, 0, "12.3"},
		{100000.25, .01, "100000.25"}, {1.25e-6, 1e-3, "1.25e-06"},
	} {
		if got := Resolved(c.x, c.resolution); got != c.want {
			t.Errorf("%v to %v: %s, want %s", c.x, c.resolution, got, c.want)
		}
	}
}

func TestRounded(t *testing.T) {
	for _, test := range []struct {
		x      float64
		digits int
		want   string
	}{{48084637.25, 6, "48084600"}, {25553.2, 4, "25550"}, {.0001234567, 3, "0.000123"}, {2, 4, "2"}, {0, 4, "0"},
		{-1234.5678, 6, "-1234.57"}, {1.5e-5, 3, "1.5e-05"}, {2.5e15, 3, "2.5e+15"}, {math.Inf(1), 3, "+Inf"}} {
		if got := Rounded(test.x, test.digits); got != test.want {
			t.Errorf("Rounded(%g, %d) = %s, want %s", test.x, test.digits, got, test.want)
		}
	}
}
