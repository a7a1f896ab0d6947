package chart

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// tick is a labelled place on an axis.
type tick struct {
	at    float64
	label string
}

// ticks places about n ticks at round numbers from lo to hi, at least two unless the two are too near each other to be
// told apart. All labels have the same number of decimals, and a common exponent where numbers are very large or small.
func ticks(lo, hi float64, n int) []tick {
	var list []tick
	for last := max(n, enoughTicks); len(list) < 2 && n <= last; n++ {
		list = placeTicks(lo, hi, n)
	}
	return list
}

// enoughTicks asked for give two at least: steps are less than 2.5 times as long as asked for.
const enoughTicks = 5

// placeTicks places ticks whose distance is a round number, the next above an n-th of the range.
func placeTicks(lo, hi float64, n int) []tick {
	span := hi - lo
	if !(span > 0) || math.IsInf(span, 0) || n < 1 {
		return nil
	}
	step := roundStep(span / float64(n))
	first, last := math.Ceil(lo/step-1e-9), math.Floor(hi/step+1e-9)
	if last-first > 1000 || first == first+1 {
		return nil // the numbers are too near each other to be told apart
	}
	largest := math.Max(math.Abs(first*step), math.Abs(last*step))
	exponent := 0
	if e := int(math.Floor(math.Log10(largest) + 1e-9)); largest > 0 && (e < -3 || e > 5) {
		exponent = e
	}
	place := int(math.Floor(math.Log10(step) + 1e-9)) // of the last digit that differs
	if exponent > 0 && len(tickLabel(largest, 0, place)) <= len(tickLabel(largest, exponent, place)) {
		exponent = 0 // written out, numbers are as short, and easier to read
	}
	var list []tick
	for k := first; k <= last; k++ {
		at := k * step
		list = append(list, tick{at, tickLabel(at, exponent, place)})
	}
	return list
}

// tickLabel writes a number with digits down to a power of ten, by an exponent that is not 0.
func tickLabel(x float64, exponent, place int) string {
	if x == 0 {
		return "0"
	}
	label := strconv.FormatFloat(x/math.Pow10(exponent), 'f', max(0, exponent-place), 64)
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

// ErrNoLogarithm tells that a picture by logarithms has nothing to show.
var ErrNoLogarithm = errors.New("no value is above 0, and only those have logarithms")

// logTicks places about n ticks on a logarithmic axis: at powers of ten, or where these are few at 2 and 5 times such
// too, and where even those are fewer than two as on a linear axis.
func logTicks(lo, hi float64, n int) []tick {
	first, last := math.Floor(math.Log10(lo)+1e-9), math.Ceil(math.Log10(hi)-1e-9)
	every := max(1, math.Ceil((last-first)/float64(max(n, 2))))
	of := []float64{1, 2, 5}
	if last-first > 3 {
		of = of[:1]
	}
	var list []tick
	for e := first; e <= last; e += every {
		for _, m := range of {
			at := m * math.Pow(10, e)
			if at < lo*(1-1e-9) || at > hi*(1+1e-9) {
				continue
			}
			label := strconv.FormatFloat(at, 'f', max(0, -int(e)), 64)
			if e < -3 || e > 5 {
				label = strconv.FormatFloat(m, 'f', 0, 64) + "e" + strconv.Itoa(int(e))
			}
			list = append(list, tick{at, strings.ReplaceAll(label, "-", "−")})
		}
	}
	if len(list) < 2 {
		return ticks(lo, hi, n)
	}
	return list
}
