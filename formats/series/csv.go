package series

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/formats/table"
	"github.com/atoll-hpc/atoll/formats/units"
	"github.com/atoll-hpc/atoll/internal/dates"
	"github.com/atoll-hpc/atoll/internal/pattern"
)

// Decode reads columns of a text file whose first row has the titles of columns; nil means all. A title may end with a
// unit in brackets: rain [mm/h]. The first column is the time, which must increase: in s, in the unit of its title, or
// as a date, which toSeconds converts. The column "" is the second one. See package table for the separators of
// columns; lines that start with # are comments. An empty value, NaN, NA or null is missing. Errors start with name
// and line.
func Decode(r io.Reader, name string, columns []string, toSeconds Dates) ([]*Series, error) {
	in, err := table.New(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t, err := titled(in, name, "s")
	if err != nil {
		return nil, err
	}
	return t.decode(columns, toSeconds)
}

// decode reads the rows.
func (t *file) decode(columns []string, toSeconds Dates) ([]*Series, error) {
	if columns == nil {
		for i := range t.titles[1:] {
			t.use = append(t.use, i+1)
		}
	}
	for _, column := range columns {
		k, err := t.index(column)
		if err != nil {
			return nil, err
		}
		t.use = append(t.use, k)
	}
	list := make([]*Series, len(t.use))
	for i, k := range t.use {
		list[i] = &Series{Name: t.titles[k].name, Unit: t.titles[k].unit, title: t.titles[k].text}
	}
	if len(columns) == 1 && columns[0] == "" {
		for _, title := range t.titles[2:] {
			if title.name != "" {
				list[0].Others = append(list[0].Others, title.name)
			}
		}
	}
	var lines []int // of the rows
	err := t.eachRow(func(record []string) error {
		lines = append(lines, t.Line)
		return t.read(record, list, toSeconds)
	})
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s: a series needs at least one row of numbers", t.name)
	}
	for _, s := range list {
		s.findGaps(func(row int) string { return fmt.Sprintf("%s:%d", t.name, lines[row]) })
	}
	return list, nil
}

// file is a text file after its first row.
type file struct {
	*table.Reader
	name     string
	titles   []title
	use      []int   // indices of the columns to read
	axis     string  // unit of the first column: s of times, m of levels
	timeUnit float64 // by which numbers of the first column are multiplied
	dated    bool    // the title of the times says that they are dates
	last     float64 // time of the row before

	bare, local string // the first date without a time zone, and the first one in another than UTC
	utc         bool   // the title says that times are in UTC
}

// title is the title of a column.
type title struct{ text, name, unit string }

// unitInBrackets matches the unit at the end of a title.
var unitInBrackets = pattern.Of(`^(.*?)\s*(?:\[([^\]]*)\]|\(([^)]*)\))$`)

// timeZone matches a time zone in a title.
var timeZone = pattern.Of(`\b(?:UTC|GMT)(?:\s*[+-]\s*[\d:]+)?`)

// otherZone matches the name of a time zone that is not UTC in a title.
var otherZone = pattern.Of(`\b(?:CES?T|MES?Z|EES?T|WES?T|BST|[CEMP][SD]T|AK[SD]T|HST|JST|KST|IST|A[CEW][SD]T|` +
	`NZ[SD]T|(?i:local (?:standard )?time)|(?:Europe|America|Africa|Asia|Australia|Pacific|Atlantic|Indian)/\w+)\b`)

func titleOf(text string) title {
	m := unitInBrackets().FindStringSubmatch(text)
	if m == nil || m[1] == "" {
		return title{text, text, ""}
	}
	if _, err := units.Scale(m[3], "m"); m[2] == "" && errors.Is(err, units.ErrUnknown) {
		return title{text, text, ""} // in parentheses, and not a unit
	}
	return title{text, m[1], m[2] + m[3]}
}

// titled reads the titles of a table. axis is the unit of the first column, s or m.
func titled(in *table.Reader, name, axis string) (*file, error) {
	t := &file{Reader: in, name: name, axis: axis, timeUnit: 1}
	header, err := t.Next()
	if err == io.EOF {
		return nil, fmt.Errorf("%s: the file is empty, want a row of titles and rows of numbers", name)
	}
	if err != nil {
		return nil, t.fail("%v", err)
	}
	if len(header) < 2 {
		return nil, t.fail("a series needs a column for the time and a column for values, separated by commas, semicolons, " +
			"tabs or spaces")
	}
	if _, err := t.ParseNumber(header[0]); err == nil {
		return nil, t.fail("the first row must have the titles of columns, as in t,value")
	}
	for _, text := range header {
		t.titles = append(t.titles, titleOf(strings.Clone(text)))
	}
	if err := t.readTimeUnit(); err != nil {
		return nil, t.fail("%v", err)
	}
	return t, nil
}

// eachRow calls read for each row below the titles. Errors start with name and line.
func (t *file) eachRow(read func(record []string) error) error {
	for {
		record, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = read(record)
		}
		if err != nil {
			return t.fail("%v", err)
		}
	}
}

func (t *file) fail(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", t.name, t.Line, fmt.Sprintf(format, args...))
}

// sinceDate separates the unit of times from the time from which they count, in a title such as hours since start.
var sinceDate = pattern.Of(`(?i)^(.*\S)\s+(?:since|after|from)\s+(?:the\s+)?(.*)$`)

// readTimeUnit reads the unit of the times from their title: t [min], hours, elapsed_h, hours since start; of levels
// that of z [ft] or level_ft.
func (t *file) readTimeUnit() error {
	text := t.titles[0]
	if t.axis == "m" {
		unit := text.unit
		if unit == "" {
			unit = units.AtEnd(text.text, "m")
		}
		scale, _, err := units.Convert("the level", unit, "m")
		t.timeUnit = scale
		return err
	}
	utc := timeZone().FindString(text.text)
	t.utc = utc != ""
	if m := cmp.Or(otherZone().FindString(text.text), utc); !isUTC(m) {
		return fmt.Errorf("the title of the times has the time zone %s: write it in each time, as in 2026-01-31T12:00+01:00",
			m)
	}
	name := text.name
	if m := sinceDate().FindStringSubmatch(name); m != nil {
		switch name = m[1]; strings.ToLower(strings.Trim(m[2], " .")) {
		case "start", "begin", "beginning", "start of run", "t0", "0":
		default:
			return fmt.Errorf("the title of the times, %q, counts from another time than the run: write dates, as in "+
				"2026-01-31T12:00, or the time since the start of the run", text.text)
		}
	}
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(" _-,:/", r) })
	for _, word := range words {
		t.dated = t.dated || word == "date" || word == "datetime" || word == "timestamp"
	}
	if text.unit == "" {
		// The hour of the day is no time since the start.
		if last := words[max(0, len(words)-1):]; len(words) > 0 && !slices.Contains(words, "of") {
			if scale, err := units.Scale(last[0], "s"); err == nil {
				t.timeUnit = scale
			}
		}
		return nil
	}
	scale, err := units.Scale(text.unit, "s")
	if timeZone().MatchString(text.unit) {
		return nil // of dates
	}
	if err != nil {
		return fmt.Errorf("the unit of the time, %q, is not a unit of time: want s, min, h or d", text.unit)
	}
	t.timeUnit = scale
	return nil
}

// index returns the index of the column with a title, with or without its unit.
func (t *file) index(column string) (int, error) {
	if column == "" {
		return 1, nil
	}
	for _, matches := range []func(title) bool{func(h title) bool { return h.text == column },
		func(h title) bool { return h.name == column }} {
		k := slices.IndexFunc(t.titles[1:], matches)
		if k < 0 {
			continue
		}
		if again := slices.IndexFunc(t.titles[k+2:], matches); again >= 0 {
			return 0, t.fail("columns %d and %d have the title %q: rename one", k+2, k+again+3, column)
		}
		return k + 1, nil
	}
	names := make([]string, 0, len(t.titles))
	for _, h := range t.titles[1:] {
		names = append(names, h.name)
	}
	return 0, t.fail("there is no column %q: want one of %q", column, names)
}

// read appends a row to the series.
func (t *file) read(record []string, list []*Series, toSeconds Dates) error {
	time, err := t.time(record[0], toSeconds)
	if err != nil {
		return err
	}
	n := len(list[0].Rows)
	if n > 0 && time <= t.last {
		what, unit := "time", "s"
		if t.axis == "m" {
			what, unit = "level", t.axis
		}
		return fmt.Errorf("%s %g %s follows %g %[3]s: want increasing %[1]ss", what, time, unit, t.last)
	}
	if n == MaxRows {
		return fmt.Errorf("a series can have at most %d rows", MaxRows)
	}
	t.last = time
	for i, k := range t.use {
		v := math.NaN()
		if !isMissing(record[k]) {
			if v, err = t.ParseNumber(record[k]); err != nil {
				return fmt.Errorf("column %q: %w", t.titles[k].name, err)
			}
		}
		list[i].Rows = append(list[i].Rows, Row{time, v})
	}
	return nil
}

// time converts a time to s.
func (t *file) time(text string, toSeconds Dates) (float64, error) {
	v, err := t.ParseNumber(text)
	if t.axis == "m" {
		return v * t.timeUnit, err
	}
	if err == nil && t.dated && math.Abs(v) >= 1e4 {
		return 0, fmt.Errorf("%s is a number, but the title %q announces dates: write these as in 2026-01-31T12:00", text,
			t.titles[0].text)
	}
	if err != nil && strings.ContainsAny(text, "-−TW") {
		date, err := dates.Parse(text)
		if err != nil {
			return 0, err
		}
		if err := t.checkZone(text); err != nil {
			return 0, err
		}
		return toSeconds(date)
	}
	if err == nil && v >= 18000101 && v < 22000101 && len(text) == 8 {
		if _, err := dates.Parse(text); err == nil {
			return 0, fmt.Errorf("%s is a number of seconds and also a date: write dates as in %s", text,
				text[:4]+"-"+text[4:6]+"-"+text[6:])
		}
	}
	if err != nil && strings.ContainsAny(text, "/.:") && strings.Trim(text, "0123456789/.: ") == "" {
		return 0, fmt.Errorf("%q is neither a number nor a date and time of ISO 8601: write dates as in 2026-01-31T12:00",
			text)
	}
	return v * t.timeUnit, err
}

// isUTC reports whether a time zone, as it is written, is UTC, or none.
func isUTC(zone string) bool { return strings.Trim(zone, "zZUTCGM+-− :0") == "" }

// checkZone returns an error for dates without a time zone beside others in one that is not UTC: what is meant without
// one is then not clear, unless the title of the times says it.
func (t *file) checkZone(date string) error {
	if t.utc {
		return nil
	}
	switch zone := dates.Zone(date); {
	case zone == "" && t.bare == "":
		t.bare = strings.Clone(date)
	case !isUTC(zone) && t.local == "":
		t.local = strings.Clone(date)
	}
	if t.bare == "" || t.local == "" {
		return nil
	}
	return fmt.Errorf("the times %s and %s: one has a time zone, the other none: give all of them one, Z for UTC", t.bare,
		t.local)
}

// isMissing reports whether a field says that there is no value.
func isMissing(field string) bool {
	switch strings.ToLower(field) {
	case "", "nan", "na", "n/a", "#n/a", "nodata", "null", "none", "missing", "-", "--", "---", ".":
		return true
	}
	return false
}
