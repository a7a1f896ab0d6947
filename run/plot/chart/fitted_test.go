package chart

import (
	"math"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/run/plot/axes"
	"github.com/atoll-hpc/atoll/run/plot/figure"
)

// TestLabelsDoNotOverlap: the labels of horizontal axes keep their distance, and there are at least one or two.
func TestLabelsDoNotOverlap(t *testing.T) {
	for _, c := range []struct {
		marker axes.Ticker
		lo, hi float64
		width  float64
		least  int // number of labels
	}{
		{fittedTicks{8, 900}, 0, 10, 900, 5},
		{fittedTicks{8, 900}, 1738324800, 1738324803, 900, 3},
		{fittedTicks{8, 200}, 565400, 565500, 200, 2},
		{fittedTicks{3, 100}, 0, 1234567, 100, 1},
		{fittedTicks{3, 60}, 5934200, 5934201, 60, 1},
		{valueTicks{[]float64{1000, 1001, 1010, 2000, 4000, 1e6}, 300}, 900, 1.1e6, 300, 3},
		{valueTicks{[]float64{64000, 65000, 66000}, 300}, 63000, 67000, 300, 3},
	} {
		end, labels := -1e300, 0
		var all []string
		for _, tick := range c.marker.Ticks(c.lo, c.hi) {
			if tick.Label == "" {
				continue
			}
			labels++
			all = append(all, tick.Label)
			x := (tick.Value - c.lo) / (c.hi - c.lo) * c.width
			if _, ok := c.marker.(valueTicks); ok {
				x = c.width * math.Log(tick.Value/c.lo) / math.Log(c.hi/c.lo)
			}
			half := figure.Measure(tick.Label, textSize) / 2
			if x-half < end {
				t.Errorf("%+v: label %s overlaps the one before", c, tick.Label)
			}
			end = x + half
		}
		if labels < c.least {
			t.Errorf("%+v: labels %s, want %d", c, strings.Join(all, " "), c.least)
		}
	}
}
