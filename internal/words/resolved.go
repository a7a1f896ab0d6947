package words

import (
	"math"
	"strconv"
)

// Resolved formats a number with three or more digits, as many as distinguish numbers that are resolution apart.
func Resolved(x, resolution float64) string {
	digits := 3
	whole, decimals := math.Floor(math.Log10(math.Abs(x)))+1, math.Ceil(-math.Log10(resolution))
	if n := whole + decimals; n > 3 && n < 18 {
		digits = int(n)
	}
	return strconv.FormatFloat(x, 'g', digits, 64)
}

// Rounded formats a number with so many digits, without an exponent if people would write none: areas in square metres
// have eight digits before the point.
func Rounded(x float64, digits int) string {
	text := strconv.FormatFloat(x, 'g', digits, 64)
	if size := math.Abs(x); size < 1e-4 || size >= 1e15 {
		return text
	}
	rounded, _ := strconv.ParseFloat(text, 64) // it is a number
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
