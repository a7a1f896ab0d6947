// Package dates reads dates and times: those of ISO 8601, and the reference dates of time units in NetCDF files, of any
// year.
package dates

import (
	"math"
	"time"
)

// Date is a time in UTC, to a nanosecond.
type Date struct {
	Day   int64 // since 1970-01-01 in the proleptic Gregorian calendar
	Nanos int64 // of the day: 0 <= Nanos < nanosPerDay
}

const nanosPerDay = 24 * int64(time.Hour)

// at returns the date of a number of nanoseconds after the start of a day, which may be outside of the day.
func at(day, nanos int64) Date {
	extra := int64(math.Floor(float64(nanos) / float64(nanosPerDay)))
	return Date{day + extra, nanos - extra*nanosPerDay}
}

// Sub returns the time from b to d in s.
func (d Date) Sub(b Date) float64 {
	return float64(d.Day-b.Day)*86400 + float64(d.Nanos-b.Nanos)/1e9
}

// String formats a date as in 2026-01-31T12:00:00Z, with a fraction of a second if there is one.
func (d Date) String() string { return time.Unix(d.Day*86400, d.Nanos).UTC().Format(time.RFC3339Nano) }

// Calendar is a rule for the lengths of months.
type Calendar string

// The calendars of the CF conventions in which a date is a day of the history of the Earth. Standard is Julian up to
// 1582-10-04, and Gregorian from the next day, 1582-10-15, on.
const (
	Standard  Calendar = "standard"
	Gregorian Calendar = "proleptic_gregorian"
	Julian    Calendar = "julian"
)

// CalendarOf returns the calendar with a name in the CF conventions, in which "" means standard. ok is false for the
// calendars of climate models, such as 360_day, whose dates are not days of the history of the Earth.
func CalendarOf(name string) (c Calendar, ok bool) {
	switch name {
	case "", "standard", "gregorian":
		return Standard, true
	case "proleptic_gregorian":
		return Gregorian, true
	case "julian":
		return Julian, true
	}
	return "", false
}

// day returns the number of a day since 1970-01-01 in the proleptic Gregorian calendar. ok is false if the calendar
// does not have the day. Only the proleptic Gregorian calendar has a year 0; in the others 1 BC is the year -1.
func (c Calendar) day(year, month, day int64) (n int64, ok bool) {
	julian := c == Julian
	if c == Standard {
		date := year*10000 + month*100 + day
		if julian = date < 15821015; julian && date > 15821004 {
			return 0, false
		}
	}
	if c != Gregorian && year <= 0 {
		if year == 0 {
			return 0, false
		}
		year++
	}
	if month < 1 || month > 12 || day < 1 || day > monthLength(year, month, julian) {
		return 0, false
	}
	return dayNumber(year, month, day, julian), true
}

func monthLength(year, month int64, julian bool) int64 {
	switch {
	case month == 2 && year%4 == 0 && (julian || year%100 != 0 || year%400 == 0):
		return 29
	case month == 2:
		return 28
	case month == 4 || month == 6 || month == 9 || month == 11:
		return 30
	}
	return 31
}

// dayNumber counts from March 1st, so that the leap day is the last of a year: before month m, counted from March as
// 0, there are (153 m + 2)/5 days.
func dayNumber(year, month, day int64, julian bool) int64 {
	fromMarch := month - 3
	if month < 3 {
		year, fromMarch = year-1, month+9
	}
	floor := func(n int64) int64 { return int64(math.Floor(float64(year) / float64(n))) }
	days := 365*year + floor(4) + (153*fromMarch+2)/5 + day - 1
	if julian {
		return days - 719470
	}
	return days - floor(100) + floor(400) - 719468
}
