package chart

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTickLabels(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		n      int
		want   string
	}{
		{0, 1, 5, "0 0.2 0.4 0.6 0.8 1.0"},
		{-5, 5, 5, "−4 −2 0 2 4"},
		{0.5, 4.5, 8, "0.5 1.0 1.5 2.0 2.5 3.0 3.5 4.0 4.5"},
		{-1e-5, 1e-5, 4, "−1.0e−5 −0.5e−5 0 0.5e−5 1.0e−5"},
		{0, 3e6, 3, "0 1e6 2e6 3e6"},
		{5412340, 5412342, 2, "5412340 5412341 5412342"},
		{1e8, 1e8 + 1, 2, "100000000.0 100000000.5 100000001.0"},
		{5.9999, 6.0001, 2, "5.9999 6.0000 6.0001"},
		{-440, 560, 1, "0 500"},
		{1, 1, 5, ""},
		{2, 1, 5, ""},
		{0, math.Inf(1), 5, ""},
		{math.NaN(), 1, 5, ""},
		{1, math.Nextafter(1, 2), 5, ""},
	} {
		var labels []string
		for _, tick := range ticks(c.lo, c.hi, c.n) {
			labels = append(labels, tick.label)
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("ticks from %g to %g: %q, want %q", c.lo, c.hi, got, c.want)
		}
	}
}

// TestCoordinates: northings have no exponent.
func TestCoordinates(t *testing.T) {
	var labels []string
	for _, tick := range ticksWith(coordinateDigits, 3e6, 3.1e6, 2) {
		labels = append(labels, tick.label)
	}
	if got := strings.Join(labels, " "); got != "3000000 3050000 3100000" {
		t.Errorf("got %q", got)
	}
}

// TestTicksLieInRange checks that ticks lie in the range, that labels agree with them, and that their number is about
// right.
func TestTicksLieInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-1e12, 1e12).Draw(t, "lo")
		hi := lo + math.Pow(10, rapid.Float64Range(-6, 12).Draw(t, "span"))*(1+math.Abs(lo)*1e-4)
		n := rapid.IntRange(2, 12).Draw(t, "n")
		list := ticks(lo, hi, n)
		if len(list) > max(n, enoughTicks)+1 || len(list) < max(2, n/3) {
			t.Fatalf("%d ticks for %d", len(list), n)
		}
		roundOff := 1e-15 * math.Max(math.Abs(lo), math.Abs(hi))
		for _, tick := range list {
			if slack := 1e-8*(hi-lo) + roundOff; tick.value < lo-slack || tick.value > hi+slack {
				t.Fatalf("the tick %g is not in [%g, %g]", tick.value, lo, hi)
			}
			v, err := strconv.ParseFloat(strings.ReplaceAll(tick.label, "−", "-"), 64)
			if err != nil || math.Abs(v-tick.value) > 1e-3*(hi-lo) {
				t.Fatalf("the tick at %g has the label %q", tick.value, tick.label)
			}
		}
	})
}
