package tide

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/formats/table"
	"github.com/atoll-hpc/atoll/formats/units"
	"github.com/atoll-hpc/atoll/internal/pattern"
)

// Read reads harmonic constants from a table, a text file or a sheet of a workbook: its first row has the titles name
// (or constituent), amplitude and phase of columns, in any order among others, the latter two with units or in m and
// degrees. The amplitude of the row Z0 is the mean level.
func Read(path, sheet string) (*Constants, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	in, err := table.Open(f, info.Size(), sheet)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	c, err := read(in)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", path, in.Line, err)
	}
	return c, nil
}

func read(in *table.Reader) (*Constants, error) {
	titles, err := in.Next()
	if err == io.EOF {
		return nil, errors.New("the file is empty: want the titles name, amplitude and phase, and a row for each constituent")
	}
	if err != nil {
		return nil, err
	}
	r := reader{Reader: in, seen: map[string]bool{}}
	if err := r.findColumns(titles); err != nil {
		return nil, err
	}
	for {
		fields, err := in.Next()
		if err == io.EOF && len(r.seen) == 0 {
			return nil, errors.New("there is no constituent below the titles")
		}
		if err == io.EOF {
			return &r.to, nil
		}
		if err == nil {
			err = r.row(fields)
		}
		if err != nil {
			return nil, err
		}
	}
}

// reader is a table that is being read.
type reader struct {
	*table.Reader
	columns [3]column // name, amplitude and phase
	seen    map[string]bool
	to      Constants
}

// column is where a quantity is, and the factor of its values.
type column struct {
	index int
	scale float64
}

// quantities are the columns of a table: their titles, and the unit to which values are converted.
var quantities = [3]struct {
	titles []string
	unit   string
}{
	{[]string{"name", "constituent"}, ""},
	{[]string{"amplitude", "amp", "h"}, "m"},
	{[]string{"phase", "phase lag", "phase_gmt", "g"}, "degree"},
}

// withUnit matches a title with its unit.
var withUnit = pattern.Of(`^(.*?)\s*[\[(]([^\])]*)[\])]$`)

// findColumns finds the columns by their titles.
func (r *reader) findColumns(titles []string) error {
	for k, q := range quantities {
		index := -1
		for i, title := range titles {
			unit := ""
			if m := withUnit().FindStringSubmatch(title); m != nil {
				title, unit = m[1], m[2]
			}
			if unit == "" && q.unit != "" {
				if unit = units.AtEnd(title, q.unit); unit != "" {
					title = strings.TrimRight(strings.TrimSuffix(title, unit), " _,")
				}
			}
			if !slices.Contains(q.titles, strings.ToLower(title)) {
				continue
			}
			if index >= 0 {
				return fmt.Errorf("columns %d and %d both have the title %s", index+1, i+1, title)
			}
			index, r.columns[k] = i, column{index: i, scale: 1}
			if unit == "" || q.unit == "" {
				continue
			}
			scale, err := units.Scale(unit, q.unit)
			if err != nil {
				return fmt.Errorf("column %s: the unit %q: %w", title, unit, err)
			}
			r.columns[k].scale = scale
		}
		if index < 0 {
			return fmt.Errorf("there is no column %s, but %q", q.titles[0], titles)
		}
	}
	return nil
}

// row reads the constants of one constituent.
func (r *reader) row(fields []string) error {
	name := strings.Clone(fields[r.columns[0].index])
	amplitude, err := r.value(fields, 1)
	if err != nil {
		return fmt.Errorf("%s: amplitude: %w", name, err)
	}
	key := strings.ToLower(name)
	c := find(name)
	switch {
	case c != nil:
		key = c.Name
	case key == "z0":
		r.to.Mean = amplitude
	case amplitude != 0:
		return fmt.Errorf("constituent %q is not known: want one of %s. Those whose phase sources define differently, as "+
			"that of S1, are not among them: leave the row out if its amplitude is small", name, strings.Join(Names(), ", "))
	}
	if r.seen[key] {
		return fmt.Errorf("there are two rows of %s", name)
	}
	r.seen[key] = true
	if c == nil || amplitude == 0 {
		return nil
	}
	if amplitude < 0 {
		return fmt.Errorf("%s: the amplitude is %g m: it must not be negative", name, amplitude)
	}
	lag, err := r.value(fields, 2)
	if err != nil {
		return fmt.Errorf("%s: phase: %w", name, err)
	}
	r.to.Waves = append(r.to.Waves, Wave{Constituent: c, Amplitude: amplitude, Lag: lag})
	return nil
}

// value returns a number of a row, in m or degrees.
func (r *reader) value(fields []string, k int) (float64, error) {
	v, err := r.ParseNumber(fields[r.columns[k].index])
	return v * r.columns[k].scale, err
}
