package missing

import (
	"math"
	"testing"
)

// TestIn: numbers that mark missing values are recognized beside others, but not where they may be values.
func TestIn(t *testing.T) {
	for _, c := range []struct {
		values  []float64
		missing int // the first so many values are missing, the others are not
	}{
		{[]float64{-9999, 12, 14}, 1},
		{[]float64{math.NaN(), -9999, -32768, 12, 14}, 3},
		{[]float64{float64(float32(-9999.9)), 12, 14}, 1},
		{[]float64{-999, 0, 1}, 1},
		{[]float64{-999.25, 0, 1}, 1}, // of well logs
		{[]float64{-99.9, 0, 1, 3}, 1},
		{[]float64{9.969209968386869e36, 1, 2}, 1},
		{[]float64{-3.4028234663852886e38, 1e20, -1e34, 1, 2}, 3},
		{[]float64{-2147483648, -200, 800}, 1},
		{[]float64{9999, 0, 1}, 1},
		{[]float64{-9999, -9999}, 2},
		{[]float64{-9999, -9998, 0, 3000}, 0}, // in a trench
		{[]float64{-999, -1500, 200}, 0},
		{[]float64{-99, -120, 40}, 0},
		{[]float64{-999, -999}, 0}, // a flat bottom
		{[]float64{999, 0, 10}, 0}, // a positive number of three digits is a value
		{[]float64{101325, 99999, 98000}, 0},
		{[]float64{-9998, 12, 14}, 0},      // no number that marks anything
		{[]float64{-88888, .1, .2, .3}, 1}, // no value of a series, whatever wrote it
		{[]float64{1e10, 10, 11, 12}, 1},
		{[]float64{-1e10, -3e9, 10, 11, 12, 13, 14}, 2},
		{[]float64{20000, 0, 0, 0}, 0}, // a river
		{[]float64{60000, 500, 400, 300}, 0},
		{[]float64{101325, 101300, 0}, 0},
		{[]float64{3e9, 0, 1}, 0},                           // too many of them
		{[]float64{100000, 100000, 98000, 97000, 96000}, 0}, // as -99999.999 is in float32, and a round pressure
		{[]float64{1e6, 1.2e6, 1.2e6}, 0},
		{[]float64{0, 0}, 0},
		{nil, 0},
	} {
		isMissing := In(c.values)
		for i, v := range c.values {
			if isMissing(v) != (i < c.missing) {
				t.Errorf("%v: value %v is missing: %v", c.values, v, isMissing(v))
			}
		}
	}
}

// TestMatches: the declared value may have been rounded.
func TestMatches(t *testing.T) {
	for _, c := range []struct {
		v, declared float64
		want        bool
	}{
		{-9999, -9999, true}, {float64(float32(-9999.9)), -9999.9, true}, {-3.4028234663852886e38, -3.40282346639e38, true},
		{-3.4028234663852886e38, -3.4e38, true}, {-2147483648, -2.14748e9, true}, {1e20, float64(float32(1e20)), true},
		{-9999, -9998.9, false}, {-9999, 0, false}, {12, -9999, false}, {1e20, -9999, false}, {0, 1e-46, false},
		{-1.7976931348623157e308, -1.797693e308, true}, {-32768, -32767, false},
	} {
		if got := Matches(c.v, c.declared); got != c.want {
			t.Errorf("%v for %v: %v", c.v, c.declared, got)
		}
	}
}
