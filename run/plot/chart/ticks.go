package chart

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// tick is a labelled value on an axis.
type tick struct {
	value float64
	label string
}

// ticks returns about n ticks at round numbers from lo to hi: at least two, unless lo and hi are too close for two
// distinct labels. All labels have the same number of decimals, and a common exponent if the numbers are very large or
// small.
func ticks(lo, hi float64, n int) []tick { return ticksWith(mostDigits, lo, hi, n) }

// Numbers with more digits before the point have an exponent. Coordinates may have those of northings.
const (
	mostDigits       = 6
	coordinateDigits = 7
)

// ticksWith returns ticks whose labels have so many digits before the point without an exponent.
func ticksWith(digits int, lo, hi float64, n int) []tick {
	var list []tick
	for last := max(n, enoughTicks); len(list) < 2 && n <= last; n++ {
		list = placeTicks(digits, lo, hi, n)
	}
	return list
}

// enoughTicks is a number n for which placeTicks returns at least two ticks: steps are less than 2.5 times the
// requested distance.
const enoughTicks = 5

// placeTicks returns ticks with a round distance, the smallest that is at least an n-th of the range.
func placeTicks(digits int, lo, hi float64, n int) []tick {
	span := hi - lo
	if !(span > 0) || math.IsInf(span, 0) || n < 1 {
		return nil
	}
	step := roundStep(span / float64(n))
	first, last := math.Ceil(lo/step-1e-9), math.Floor(hi/step+1e-9)
	if last-first > 1000 || first == first+1 {
		return nil // the numbers are too close to be distinguished
	}
	largest := math.Max(math.Abs(first*step), math.Abs(last*step))
	exponent := 0
	if e := int(math.Floor(math.Log10(largest) + 1e-9)); largest > 0 && (e < -3 || e >= digits) {
		exponent = e
	}
	lastDigit := int(math.Floor(math.Log10(step) + 1e-9)) // power of ten of the last digit that differs
	if exponent > 0 && len(tickLabel(largest, 0, lastDigit)) <= len(tickLabel(largest, exponent, lastDigit)) {
		exponent = 0 // without exponent, numbers are as short and easier to read
	}
	var list []tick
	for k := first; k <= last; k++ {
		value := k * step
		list = append(list, tick{value, tickLabel(value, exponent, lastDigit)})
	}
	return list
}

// tickLabel formats a number with digits down to the power of ten lastDigit, and with an exponent if that is not 0.
func tickLabel(x float64, exponent, lastDigit int) string {
	if x == 0 {
		return "0"
	}
	label := strconv.FormatFloat(x/math.Pow10(exponent), 'f', max(0, exponent-lastDigit), 64)
	if exponent != 0 {
		label += "e" + strconv.Itoa(exponent)
	}
	return strings.ReplaceAll(label, "-", "−")
}

// roundStep returns the smallest of 1, 2 and 5 times a power of ten that is not below x.
func roundStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= x*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// ErrNoLogarithm is the error of a logarithmic plot without positive values.
var ErrNoLogarithm = errors.New("no value is positive, so a logarithmic axis has nothing to show")

// logTicks returns about n ticks on a logarithmic axis: at powers of ten; on short axes also at 2 and 5 times these; if
// that gives fewer than two, as on a linear axis.
func logTicks(lo, hi float64, n int) []tick {
	first, last := math.Floor(math.Log10(lo)+1e-9), math.Ceil(math.Log10(hi)-1e-9)
	step := max(1, math.Ceil((last-first)/float64(max(n, 2))))
	multiples := []float64{1, 2, 5}
	if last-first > 3 {
		multiples = multiples[:1]
	}
	var list []tick
	for e := first; e <= last; e += step {
		for _, m := range multiples {
			value := m * math.Pow(10, e)
			if value < lo*(1-1e-9) || value > hi*(1+1e-9) {
				continue
			}
			label := strconv.FormatFloat(value, 'f', max(0, -int(e)), 64)
			if e < -3 || e > 5 {
				label = strconv.FormatFloat(m, 'f', 0, 64) + "e" + strconv.Itoa(int(e))
			}
			list = append(list, tick{value, strings.ReplaceAll(label, "-", "−")})
		}
	}
	if len(list) < 2 {
		return ticks(lo, hi, n)
	}
	return list
}
