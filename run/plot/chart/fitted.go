package chart

import (
	"math"

	"github.com/atoll-hpc/atoll/run/plot/axes"
	"github.com/atoll-hpc/atoll/run/plot/figure"
)

// fittedTicks is a ticker for horizontal linear axes: as many ticks, up to n, as have labels that do not overlap.
type fittedTicks struct {
	n     int
	width float64 // least width of the axis, layout pixels
}

// Ticks implements axes.Ticker.
func (m fittedTicks) Ticks(lo, hi float64) []axes.Tick {
	for n := m.n; n > 1; n-- {
		list := linearTicks(n).Ticks(lo, hi)
		if len(list) < 2 || labelsFit(list, func(v float64) float64 { return (v - lo) / (hi - lo) * m.width }) {
			return list
		}
	}
	list := linearTicks(2).Ticks(lo, hi)
	return thinned(list, func(v float64) float64 { return (v - lo) / (hi - lo) * m.width })
}

// besideAxis is about the width of the labels of a vertical axis and a legend, in layout pixels.
const besideAxis = 250

// labelGap is the least distance between labels, in layout pixels.
const labelGap = 14

// labelsFit reports whether labels, centred at positions in layout pixels, do not overlap.
func labelsFit(list []axes.Tick, position func(value float64) float64) bool {
	return len(thinned(list, position)) == len(list)
}

// thinned leaves out ticks whose labels would overlap that of one before. Ticks are in the order of positions.
func thinned(list []axes.Tick, position func(value float64) float64) []axes.Tick {
	var kept []axes.Tick
	end := math.Inf(-1)
	for _, t := range list {
		half := figure.Measure(t.Label, textSize) / 2
		if x := position(t.Value); x-half >= end {
			kept = append(kept, t)
			end = x + half + labelGap
		}
	}
	return kept
}
