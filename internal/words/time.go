package words

import "strconv"

// units of time, each for what takes so many seconds at least.
var units = []struct {
	name          string
	seconds, from float64
}{
	{"years", 365.25 * 86400, 2 * 365.25 * 86400}, {"days", 86400, 3 * 86400}, {"h", 3600, 5400}, {"min", 60, 90},
	{"s", 1, 0.0995}, {"ms", 1e-3, 0.995e-4}, {"µs", 1e-6, 0},
}

// Duration is a time in seconds to two digits, in the unit that people would take.
func Duration(seconds float64) string {
	number, unit := duration(seconds)
	return number + " " + unit
}

// DurationSpan is from one time to another, such as 40 min to 1.6 h; one where they look alike.
func DurationSpan(least, most float64) string {
	n, unit := duration(least)
	m, other := duration(most)
	switch {
	case unit != other:
		return n + " " + unit + " to " + m + " " + other
	case n != m:
		return n + " to " + m + " " + other
	}
	return m + " " + other
}

func duration(seconds float64) (number, unit string) {
	for _, u := range units {
		if seconds >= u.from && seconds > 0 {
			return rounded(seconds / u.seconds), u.name
		}
	}
	return "0", "s"
}

// CountSpan is from one number of things to another, to two digits unless they are the same, such as 12000 to 18000.
func CountSpan(least, most float64) string {
	n, m := rounded(least), rounded(most)
	switch {
	case least == most:
		return strconv.FormatFloat(most, 'f', 0, 64)
	case n == m:
		return m
	}
	return n + " to " + m
}

// rounded has two digits, and zeros after them.
func rounded(x float64) string {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 2, 64), 64)
	return strconv.FormatFloat(x, 'f', -1, 64)
}
