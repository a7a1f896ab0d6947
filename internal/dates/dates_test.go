package dates

import (
	"strings"
	"testing"
)

// TestParse: all forms of ISO 8601 give the same time.
func TestParse(t *testing.T) {
	for want, texts := range map[string][]string{
		"2026-01-31T12:00:00Z": {"2026-01-31T12:00:00Z", "2026-01-31T12:00Z", "2026-01-31T12Z", "2026-01-31 12:00",
			"2026-01-31T14:00+02:00", "2026-01-31T14:00:00+0200", "2026-01-31T14+02", "2026-01-31t12:00:00z",
			"20260131T120000Z", "20260131T1200", "2026-01-31 12:00:00 +00:00", "2026-01-31 12:00 UTC",
			"2026-031T12:00Z", "2026031T12", "2026-W05-6T12:00:00", "2026W056T12Z", "2026-01-31T11:59:60Z",
			"2026-01-31T02:00-10:00", "2026-01-31T02:00−10:00", "+002026-01-31T12:00", "2026-01-31  12:00:00.000"},
		"2026-01-31T12:30:00Z":    {"2026-01-31T12.5", "2026-01-31T12,5Z", "2026-01-31T12:30", "20260131T12:30:00,0Z"},
		"2026-01-31T00:00:00Z":    {"2026-01-31", "20260131", "2026-01-30T24:00", "2026-031", "2026-W05-6"},
		"2026-01-01T00:00:00Z":    {"2026-01", "2025-12-31T24:00:00Z", "2026-001"},
		"2024-12-31T00:00:00Z":    {"2024-366", "2024-12-31"},
		"2026-01-31T11:59:59.25Z": {"2026-01-31T11:59:59.25", "2026-01-31 12:59:59,25+01:00"},
		"0001-01-01T00:00:00Z":    {"0001-01-01", "+0001-01-01"},
	} {
		for _, text := range texts {
			if got, err := Parse(text); err != nil || got.String() != want {
				t.Errorf("%s: %v, %v; want %s", text, got, err, want)
			}
		}
	}
	for _, text := range []string{"", "2026", "202601", "2026-13-01", "2026-02-29", "2026-1-1", "2026-01-31T",
		"31.01.2026",
		"2026-01-31T25:00", "2026-01-31T12:60", "2026-01-31T24:01", "2026-000", "2026-366", "2026-W54", "2026-01-31T12:00X",
		"2026-01-31T12:00+1:2", "01/31/2026 12:00", "2026-01-31T1.2.3", "2026-01-31 PM", "-"} {
		if got, err := Parse(text); err == nil || !strings.Contains(err.Error(), "is not an ISO 8601 date") {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// TestParseReference: reference dates of any year and form. Days are those of cftime, for example
// cftime.date2num(cftime.datetime(1970, 1, 1, calendar=C), "days since …", calendar=C).
func TestParseReference(t *testing.T) {
	for _, c := range []struct {
		text     string
		calendar Calendar
		want     Date
	}{
		{"2026-01-31 12:00:00 +00:00", Standard, Date{20484, nanosPerDay / 2}},
		{"2026-1-31 12:0:0", Standard, Date{20484, nanosPerDay / 2}},
		{"2026-01-31T12:00:00Z", Standard, Date{20484, nanosPerDay / 2}},
		{"2026-01-31 12:00:00.0 UTC", Gregorian, Date{20484, nanosPerDay / 2}},
		{"2026-01-31 6:00 -6:00", Gregorian, Date{20484, nanosPerDay / 2}},
		{"2026-01-31 12", Gregorian, Date{20484, nanosPerDay / 2}},
		{"20260131T120000Z", Gregorian, Date{20484, nanosPerDay / 2}},
		{"1970", Standard, Date{}},
		{"1970-1", Standard, Date{}},
		{"0001-01-01", Standard, Date{-719164, 0}},
		{"1-1-1 00:00:0.0", Standard, Date{-719164, 0}},
		{"0001-01-01", Gregorian, Date{-719162, 0}},
		{"0000-01-01", Gregorian, Date{-719528, 0}},
		{"-4713-11-24 12:00", Gregorian, Date{-2440588, nanosPerDay / 2}},
		{"-4713-01-01 12:00", Julian, Date{-2440588, nanosPerDay / 2}},
		{"1582-10-04", Standard, Date{-141428, 0}},
		{"1582-10-15", Standard, Date{-141427, 0}},
		{"1900-02-29", Julian, Date{-25496, 0}},
		{"9999-12-31 23:59:59", Standard, Date{2932896, nanosPerDay - 1e9}},
	} {
		if got, err := ParseReference(c.text, c.calendar); err != nil || got != c.want {
			t.Errorf("%s in %s: %v, %v; want %v", c.text, c.calendar, got, err, c.want)
		}
	}
	for text, want := range map[string]string{"": "not a date and time", "1582-10-10": "not a date of the calendar",
		"0000-01-01": "not a date of the calendar", "1900-02-29": "not a date of the calendar",
		"yesterday": "not a date and time", "2026-01-31 noon": "not a date and time", "2026-01-31 25:00": "not a date and"} {
		if got, err := ParseReference(text, Standard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", text, got, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"2026-01-31T12:00:00Z", "2026W056T12Z", "1-1-1 0:0:0 -6:00", "2026-031 24:00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range []Calendar{Standard, Gregorian, Julian} {
			if d, err := ParseReference(text, c); err == nil && (d.Nanos < 0 || d.Nanos >= nanosPerDay) {
				t.Errorf("%q: %+v", text, d)
			}
		}
		if d, err := Parse(text); err == nil {
			if again, err := Parse(d.String()); d.Day > -719163 && d.Day < 2932897 && (err != nil || again != d) {
				t.Errorf("%q: %v, printed and read %v, %v", text, d, again, err)
			}
		}
	})
}
