// Package missing recognizes values that mark missing ones although the file does not declare them, such as -9999.
package missing

import "math"

// Huge is the magnitude from which on a number is no value of any field, but marks a missing one: the fill of NetCDF,
// 9.97e36, that of CMIP, 1e20, or the least float32, -3.4e38.
const Huge = 1e15

// markers are numbers that commonly mark missing values, also as rounded to float32, unless that is a power of ten.
// Positive ones of less than 9999 are left out: they are too often values.
var markers = map[float64]bool{}

func init() {
	add := func(v float64) {
		markers[v] = true
		switch rounded := float64(float32(v)); math.Abs(rounded) {
		case 1e5, 1e6, 1e7:
		default:
			markers[rounded] = true
		}
	}
	for _, v := range []float64{-99, -99.9, -99.99, 32767, -32767, -32768, 65535, 4294967295, 2147483647, -2147483647,
		-2147483648} {
		add(v)
	}
	for _, digits := range []float64{999, 9999, 99999, 999999, 9999999} {
		for _, fraction := range []float64{0, .25, .9, .99, .999} {
			add(-(digits + fraction))
			if digits > 999 {
				add(digits + fraction)
			}
		}
	}
}

// Matches reports whether a value is the one that a file declares as missing, which may have been rounded: to float32,
// or to few digits if it is so large that this matters.
func Matches(v, declared float64) bool {
	return v == declared || float32(v) == float32(declared) && math.Abs(v-declared) <= 1e-6*math.Abs(declared) ||
		math.Abs(declared) >= 1e6 && math.Abs(v-declared) <= 1e-5*math.Abs(declared) ||
		math.Abs(declared) >= Huge && math.Abs(v) >= Huge
}

// IsMarker reports whether a number commonly marks missing values. Whether it does in a field also depends on the other
// values: see StandsOut.
func IsMarker(v float64) bool {
	if a := math.Abs(v); a < 99 || a > 1e10 {
		return false
	} else {
		switch int64(a) { // much faster than the map, for whole rasters
		case 99, 100, 999, 1000, 9999, 10000, 32767, 32768, 65535, 99999, 100000, 999999, 1000000, 9999999, 10000000,
			2147483647, 2147483648, 4294967295, 4294967296:
			return markers[v]
		}
	}
	return false
}

// StandsOut reports whether a marker is so far from the values of a field, which are from least to most, that it is
// none of them: the distance is larger than their range, for markers of 9999 and more larger than a tenth of it.
// Without values, which is least > most, only the latter stand out.
func StandsOut(marker, least, most float64) bool {
	large := math.Abs(marker) >= 9999
	if least > most {
		return large
	}
	distance := max(least-marker, marker-most)
	if large {
		distance *= 10
	}
	return distance > 0 && distance > most-least
}

// farFrom returns, for the shorter positive markers of series, such as the 99.0 and 999.0 of buoys, how many times the
// range of the other values they must be above these; 0 for other numbers.
func farFrom(v float64) float64 {
	switch v {
	case 99, 99.9, 99.99:
		return 30
	case 999, 999.9, 999.99:
		return 100
	}
	return 0
}

// Numbers of series from absurd on that are as many times larger than the others, of which there are more, are none.
const (
	absurd      = 5e4
	absurdShare = .3
)

// In returns a function that reports whether one of the values marks a missing one, or is NaN or huge.
func In(values []float64) func(v float64) bool {
	isMissing := func(v float64) bool { return !(math.Abs(v) < Huge) }
	least, most, marked := math.Inf(1), math.Inf(-1), false
	large, ordinary := 0, 1.
	for _, v := range values {
		switch {
		case IsMarker(v) || farFrom(v) > 0:
			marked = true
		case isMissing(v):
		case math.Abs(v) >= absurd:
			large++
		default:
			least, most, ordinary = min(least, v), max(most, v), max(ordinary, math.Abs(v))
		}
	}
	limit := absurd * ordinary
	if float64(large) > absurdShare*float64(len(values)) {
		limit = math.Inf(1)
	}
	for _, v := range values { // large numbers that are values
		if a := math.Abs(v); a >= absurd && a < limit && !isMissing(v) && !IsMarker(v) {
			least, most = min(least, v), max(most, v)
		}
	}
	return func(v float64) bool {
		return isMissing(v) || math.Abs(v) >= limit || marked && (IsMarker(v) && StandsOut(v, least, most) ||
			farFrom(v) > 0 && least <= most && v-most > farFrom(v)*(most-least))
	}
}
