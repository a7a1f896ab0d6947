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
