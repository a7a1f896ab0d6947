package chart

import (
	"time"

	"github.com/atoll-hpc/atoll/run/plot/axes"
	"github.com/atoll-hpc/atoll/run/plot/calendar"
)

// dateTicks is a ticker for times in s since an epoch: up to n ticks, as many as have labels that do not overlap.
type dateTicks struct {
	epoch time.Time
	n     int
	width float64 // least width of the axis, layout pixels
}

// Ticks implements axes.Ticker.
func (m dateTicks) Ticks(lo, hi float64) (list []axes.Tick) {
	for n := m.n; n > 0; n-- {
		list = nil
		for _, t := range calendar.Ticks(m.epoch, lo, hi, (hi-lo)/float64(n)) {
			list = append(list, axes.Tick{Value: t.Time, Label: t.Label})
		}
		if labelsFit(list, func(v float64) float64 { return (v - lo) / (hi - lo) * m.width }) {
			break
		}
	}
	return list
}
