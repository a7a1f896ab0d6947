package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// moments are how dates and times are written by ISO 8601, all of UTC where they do not say otherwise.
var moments = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"}

// ParseMoment reads a date and time as ISO 8601 has it.
func ParseMoment(text string) (time.Time, error) {
	for _, layout := range moments {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%.40q is no date and time of ISO 8601, such as 2026-01-31T12:00:00Z", text)
}

// epoch reads when time 0 is, as text or as a date of TOML, and returns it as ISO 8601; "" for not told.
func (s *Section) epoch() string {
	v, ok := s.get("epoch", false)
	if !ok {
		return ""
	}
	text := ""
	switch v := v.(type) {
	case string:
		text = v
	case time.Time:
		text = v.Format(time.RFC3339Nano)
	case fmt.Stringer: // a date of no zone
		text = v.String()
	default:
		s.wrong("epoch", v, "the date and time of t = 0")
		return ""
	}
	t, err := ParseMoment(text)
	if err != nil {
		s.Fail("epoch", "%v", err)
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

// Seconds are how long after time 0 a date and time is.
func (t Time) Seconds(text string) (float64, error) {
	at, err := ParseMoment(text)
	if err != nil {
		return 0, err
	}
	if t.Epoch == "" {
		return 0, fmt.Errorf("%q is a date and time, and the case does not say when t = 0 is: give [time] epoch", text)
	}
	epoch, err := ParseMoment(t.Epoch)
	if err != nil {
		return 0, err
	}
	return at.Sub(epoch).Seconds(), nil
}

// crs reads what coordinates are, "EPSG:25832"; "" for not told.
func (s *Section) crs() string {
	text := s.Text("crs", "")
	if text == "" && !s.Has("crs") {
		return ""
	}
	code, ok := strings.CutPrefix(strings.ToUpper(text), "EPSG:")
	if n, err := strconv.Atoi(code); s.IsText("crs") && (!ok || err != nil || n < 1024 || n > 32767) {
		s.Fail("crs", `%q is not understood; it is written "EPSG:25832", with the code of the coordinates`, text)
		return ""
	}
	return "EPSG:" + code
}

// EPSG is the code of the coordinates, 0 where the case tells none.
func (c *Case) EPSG() int {
	n, err := strconv.Atoi(strings.TrimPrefix(c.CRS, "EPSG:"))
	if err != nil {
		return 0
	}
	return n
}
