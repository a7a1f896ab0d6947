// Package calendar has the dates of times in s since an epoch: their texts, and ticks for axes. All are in UTC.
package calendar

import (
	"math"
	"time"
)

// Epoch returns the date that the epoch of a case names; zero if it is empty.
func Epoch(text string) (epoch time.Time) {
	epoch, _ = time.Parse(time.RFC3339Nano, text)
	return epoch
}

// Text formats the date of a time, with as much as is needed of the clock, to a hundredth of a second.
func Text(epoch time.Time, seconds float64) string {
	days := math.Floor(seconds / day)
	rest := time.Duration(math.Round((seconds-days*day)*100)) * 10 * time.Millisecond
	at := epoch.UTC().AddDate(0, 0, int(days)).Add(rest)
	switch {
	case at.Nanosecond() > 0:
		return at.Format("2006-01-02 15:04:05.00")
	case at.Second() > 0:
		return at.Format("2006-01-02 15:04:05")
	}
	return at.Format("2006-01-02 15:04")
}

// Tick is a labelled time.
type Tick struct {
	Time  float64 // s since the epoch
	Label string
}

const day = 86400

// steps are the distances of ticks, s. Longer ones are 1, 2 and 5 times powers of ten of days.
var steps = []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 2 * 3600, 3 * 3600, 6 * 3600, 12 * 3600,
	day}

// Ticks returns the ticks between two times at round times of the day, or days, whose distance is the least that is not
// below a given one. Midnight has the date, other times of the day have the clock.
func Ticks(epoch time.Time, lo, hi, distance float64) (list []Tick) {
	step := 0.0
	for k := 0; step < distance; k++ {
		if k < len(steps) {
			step = steps[k]
		} else {
			step = day * []float64{2, 5, 10}[(k-len(steps))%3] * math.Pow10((k-len(steps))/3)
		}
	}
	start := float64(epoch.Unix()) + float64(epoch.Nanosecond())/1e9
	for k := math.Ceil((start+lo)/step - 1e-9); k*step <= start+hi+1e-9*step; k++ {
		list = append(list, Tick{k*step - start, label(k*step, step)})
	}
	return list
}

// label is that of a time in s since 1970, of ticks with a step.
func label(seconds, step float64) string {
	at := time.Unix(int64(seconds), 0).UTC()
	switch {
	case step >= day || at.Hour() == 0 && at.Minute() == 0 && at.Second() == 0:
		return at.Format("2006-01-02")
	case step < 60:
		return at.Format("15:04:05")
	}
	return at.Format("15:04")
}
