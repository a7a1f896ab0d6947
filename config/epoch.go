package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/atoll-hpc/atoll/internal/dates"
)

// epoch reads the date of t = 0, as text or as a TOML date, and returns it as ISO 8601; "" if it is not given.
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
	case fmt.Stringer: // a TOML date without a time zone
		text = v.String()
	default:
		s.wrong("epoch", v, "the date and time of t = 0")
		return ""
	}
	date, err := dates.Parse(text)
	if err != nil {
		s.Fail("epoch", "%v", err)
		return ""
	}
	return date.String()
}

// Seconds returns how many seconds after t = 0 a date is.
func (t Time) Seconds(date dates.Date) (float64, error) {
	if t.Epoch == "" {
		return 0, fmt.Errorf("%v is a date, but the date of t = 0 is not known: give [time] epoch", date)
	}
	epoch, err := dates.Parse(t.Epoch)
	if err != nil {
		return 0, err
	}
	return date.Sub(epoch), nil
}

// crs reads the coordinate reference system, such as "EPSG:25832"; "" if it is not given.
func (s *Section) crs() string {
	text := s.Text("crs", "")
	if text == "" && !s.Has("crs") {
		return ""
	}
	code, ok := strings.CutPrefix(strings.ToUpper(text), "EPSG:")
	// EPSG gives coordinate reference systems codes from 1024 to 32767.
	if n, err := strconv.Atoi(code); s.IsText("crs") && (!ok || err != nil || n < 1024 || n > 32767) {
		s.Fail("crs", `%q is not an EPSG code; write the code of the coordinate reference system as in "EPSG:25832"`,
			text)
		return ""
	}
	return "EPSG:" + code
}

// EPSG returns the EPSG code of the coordinate reference system; 0 if the case gives none.
func (c *Case) EPSG() int {
	n, err := strconv.Atoi(strings.TrimPrefix(c.CRS, "EPSG:"))
	if err != nil {
		return 0
	}
	return n
}
