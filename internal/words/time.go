package words

import "strconv"

// units are the units of time. A unit is used from minSeconds on: for s and ms these are the numbers from which on the
// text is 0.1 or more.
var units = []struct {
	name                string
	seconds, minSeconds float64
}{
	{"years", 365.25 * 86400, 2 * 365.25 * 86400}, {"days", 86400, 3 * 86400}, {"h", 3600, 5400}, {"min", 60, 90},
	{"s", 1, 0.0995}, {"ms", 1e-3, 0.995e-4}, {"µs", 1e-6, 0},
}

// Duration returns a time in seconds as text with two digits and a suitable unit, such as 1.5 h.
func Duration(seconds float64) string {
	number, unit := formatDuration(seconds)
	return number + " " + unit
}

// DurationSpan returns a range of times in seconds as text, such as 40 min to 1.6 h, or one time if both have the same
// text.
func DurationSpan(least, most float64) string {
	n, unit := formatDuration(least)
	m, unitOfMost := formatDuration(most)
	switch {
	case unit != unitOfMost:
		return n + " " + unit + " to " + m + " " + unitOfMost
	case n != m:
		return n + " to " + m + " " + unitOfMost
	}
	return m + " " + unitOfMost
}

func formatDuration(seconds float64) (number, unit string) {
	for _, u := range units {
		if seconds >= u.minSeconds && seconds > 0 {
			return roundToTwoDigits(seconds / u.seconds), u.name
		}
	}
	return "0", "s"
}

// CountSpan returns a range of numbers as text with two digits, such as 12000 to 18000. If they are equal it returns
// one number with all digits.
func CountSpan(least, most float64) string {
	n, m := roundToTwoDigits(least), roundToTwoDigits(most)
	switch {
	case least == most:
		return strconv.FormatFloat(most, 'f', 0, 64)
	case n == m:
		return m
	}
	return n + " to " + m
}

// roundToTwoDigits returns a number rounded to two significant digits.
func roundToTwoDigits(x float64) string {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 2, 64), 64)
	return strconv.FormatFloat(x, 'f', -1, 64)
}
