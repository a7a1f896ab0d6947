package dates

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/atoll-hpc/atoll/internal/pattern"
)

// The forms of ISO 8601: calendar dates, ordinal dates and weeks, extended and basic; times whose last element may have
// a fraction.
var (
	calendarDate = pattern.Of(`^([+-]\d{4,6}|\d{4})(?:-(\d\d)(?:-(\d\d))?|(\d\d)(\d\d))$`)
	ordinalDate  = pattern.Of(`^(\d{4})-?(\d{3})$`)
	weekDate     = pattern.Of(`^(\d{4})-?W(\d\d)(?:-?([1-7]))?$`)
	timeOfDay    = pattern.Of(`^(\d\d)(?::?(\d\d)(?::?(\d\d))?)?(?:[.,](\d+))?$`)
	zone         = pattern.Of(`\s*(?:[Zz]|UTC|GMT|([+\-−])(\d\d?)(?::?(\d\d))?)$`)
)

// Parse reads a date of ISO 8601, with or without a time, in the proleptic Gregorian calendar; without a time zone it
// is UTC. A space may take the place of T, and precede the time zone.
func Parse(text string) (Date, error) {
	date, clock := split(text)
	day, ok := parseDay(date)
	var nanos int64
	if ok && clock != "" {
		nanos, ok = parseClock(clock, timeOfDay())
	}
	if !ok || clock == "" && len(date) < len(text) {
		return Date{}, fmt.Errorf("%.40q is not an ISO 8601 date and time such as 2026-01-31T12:00:00Z", text)
	}
	return at(day, nanos), nil
}

// split divides a text into a date and a time of day, which may be empty.
func split(text string) (date, clock string) {
	if k := strings.IndexAny(text, "Tt "); k >= 0 {
		return text[:k], strings.TrimSpace(text[k+1:])
	}
	return text, ""
}

// Zone returns the time zone of a date that Parse reads, as it is written; empty without one.
func Zone(text string) string {
	_, clock := split(text)
	return strings.TrimSpace(zone().FindString(clock))
}

func parseDay(text string) (day int64, ok bool) {
	if m := calendarDate().FindStringSubmatch(text); m != nil {
		month, dayOfMonth := m[2]+m[4], m[3]+m[5]
		if dayOfMonth == "" {
			dayOfMonth = "1"
		}
		return Gregorian.day(number(m[1]), number(month), number(dayOfMonth))
	}
	if m := ordinalDate().FindStringSubmatch(text); m != nil {
		year, n := number(m[1]), number(m[2])
		return dayNumber(year, 1, 1, false) + n - 1, n >= 1 && n <= 337+monthLength(year, 2, false)
	}
	if m := weekDate().FindStringSubmatch(text); m != nil {
		year, week, weekday := number(m[1]), number(m[2]), max(1, number(m[3]))
		// The first week is that with January 4th, and begins on a Monday; 1970-01-01 was a Thursday.
		fourth := dayNumber(year, 1, 4, false)
		monday := fourth - ((fourth+3)%7+7)%7
		return monday + 7*(week-1) + weekday - 1, week >= 1 && week <= 53
	}
	return 0, false
}

// parseClock reads a time of day, whose form is that of a regular expression, with or without a time zone, as
// nanoseconds after the start of the day in UTC.
func parseClock(text string, form *regexp.Regexp) (nanos int64, ok bool) {
	if m := zone().FindStringSubmatchIndex(text); m != nil {
		z := zone().FindStringSubmatch(text)
		shift := number(z[2])*int64(time.Hour) + number(z[3])*int64(time.Minute)
		if z[1] != "-" && z[1] != "−" {
			shift = -shift
		}
		if n, ok := parseClock(text[:m[0]], form); ok {
			return n + shift, true
		}
	}
	m := form.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	unit := int64(time.Hour)
	for k, most := range []int64{24, 59, 60} { // 24:00 is the end of the day, a leap second has number 60
		if m[k+1] == "" {
			break
		}
		n := number(m[k+1])
		if n > most {
			return 0, false
		}
		unit = []int64{int64(time.Hour), int64(time.Minute), int64(time.Second)}[k]
		nanos += n * unit
	}
	if m[4] != "" {
		fraction, err := strconv.ParseFloat("0."+m[4], 64)
		if err != nil {
			return 0, false
		}
		nanos += int64(fraction*float64(unit) + .5)
	}
	return nanos, nanos <= nanosPerDay+int64(time.Second)
}

// number returns the number of some digits with a sign, 0 for no digits.
func number(digits string) int64 {
	n, _ := strconv.ParseInt(digits, 10, 64) // the regular expressions leave only digits
	return n
}

// reference and referenceClock are the forms of reference dates, in which numbers may have fewer digits.
var (
	reference      = pattern.Of(`^([+-]?\d{1,6})(?:-(\d\d?)(?:-(\d\d?))?)?(?:[T\s]\s*(.*))?$`)
	referenceClock = pattern.Of(`^(\d\d?)(?::(\d\d?)(?::(\d\d?))?)?(?:\.(\d*))?$`)
)

// ParseReference reads the reference date of time units, which follows the word since, in a calendar. Forms are those
// of UDUNITS, such as 1900-1-1 0:0:0, and of ISO 8601; parts that are missing are the first of their kind.
func ParseReference(text string, c Calendar) (Date, error) {
	text = strings.TrimSpace(text)
	m := reference().FindStringSubmatch(text)
	if m == nil {
		d, err := Parse(text)
		if err != nil {
			return d, fmt.Errorf("%.40q is not a date and time such as 2026-01-31 12:00:00", text)
		}
		return d, nil
	}
	for k := 2; k <= 3; k++ {
		if m[k] == "" {
			m[k] = "1"
		}
	}
	day, ok := c.day(number(m[1]), number(m[2]), number(m[3]))
	if !ok {
		return Date{}, fmt.Errorf("%.40q is not a date of the calendar %q", text, c)
	}
	var nanos int64
	if clock := strings.TrimSpace(m[4]); clock != "" {
		if nanos, ok = parseClock(clock, referenceClock()); !ok {
			if nanos, ok = parseClock(clock, timeOfDay()); !ok {
				return Date{}, fmt.Errorf("%.40q is not a date and time such as 2026-01-31 12:00:00", text)
			}
		}
	}
	return at(day, nanos), nil
}
