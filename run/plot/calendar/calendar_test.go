package calendar

import (
	"strings"
	"testing"
)

// TestTicks: ticks are at round times of the day, whatever the time of the epoch, and days are told.
func TestTicks(t *testing.T) {
	epoch := Epoch("2024-06-01T22:50:00+02:00")
	for _, c := range []struct {
		hi, distance, first float64
		want                string
	}{
		{8 * 3600, 3000, 600, "21:00 22:00 23:00 2024-06-02 01:00 02:00 03:00 04:00"},
		{100, 12, 0, "20:50:00 20:50:15 20:50:30 20:50:45 20:51:00 20:51:15 20:51:30"},
		{3600, 450, 0, "20:50 21:00 21:10 21:20 21:30 21:40 21:50"},
		{5 * day, .6 * day, 11400, "2024-06-02 2024-06-03 2024-06-04 2024-06-05 2024-06-06"},
		{90 * day, 15 * day, 11400 + 4*day, "2024-06-06 2024-06-26 2024-07-16 2024-08-05 2024-08-25"},
	} {
		ticks := Ticks(epoch, 0, c.hi, c.distance)
		var labels []string
		for _, tick := range ticks {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != c.want || ticks[0].Time != c.first {
			t.Errorf("%g s: %s from %g s on, want %s from %g s on", c.hi, got, ticks[0].Time, c.want, c.first)
		}
	}
	if !Epoch("").IsZero() {
		t.Error("no epoch has a date")
	}
}
