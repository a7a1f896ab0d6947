// Package series reads time series: from columns of text files and of sheets of Excel workbooks, and from variables of
// NetCDF files. Read returns a Series, Columns the names of the series in a file.
package series

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/atoll-hpc/atoll/formats/missing"
	"github.com/atoll-hpc/atoll/formats/table"
	"github.com/atoll-hpc/atoll/formats/units"
	"github.com/atoll-hpc/atoll/internal/dates"
)

// Row is the value of a series at a time in s.
type Row struct{ T, Value float64 }

// Series is a time series.
type Series struct {
	Name string // of its column or variable, without the unit
	Unit string // that the file declares; "" if it declares none
	// Others are the names of the columns after the first one, if that was taken because none was chosen.
	Others []string
	title  string // of the column; "" of a variable
	// Rows have increasing times. The value is NaN if the file has none at that time, or one that marks it as missing.
	Rows []Row

	notes  []string // about attributes of the variable
	gap    string   // describes the first row without a value; "" if there is none
	marker string   // describes the first row whose value marks a missing one
}

// MaxRows is how many rows a series may have.
const MaxRows = 1 << 22

// Dates is a function that converts a date to the time of the run in s.
type Dates func(date dates.Date) (float64, error)

// Table is a file with one or more series: text, a NetCDF file, or a sheet of an Excel workbook.
type Table struct {
	Path  string
	Sheet string // of a workbook; "" for the only one
}

// Read reads a column of a table, or a variable of a NetCDF file. If column is "", it reads the first column after
// the time, or the only variable. toSeconds converts dates in the file.
func Read(from Table, column string, toSeconds Dates) (*Series, error) {
	list, err := ReadAll(from, []string{column}, toSeconds)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// ReadAll reads columns of a table, or variables of a NetCDF file, as Read does. Those of a table have the same times;
// nil means all of its columns.
func ReadAll(from Table, columns []string, toSeconds Dates) ([]*Series, error) {
	f, isNetCDF, err := open(from)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if !isNetCDF {
		t, err := from.open(f, "s")
		if err != nil {
			return nil, err
		}
		return t.decode(columns, toSeconds)
	}
	var list []*Series
	for _, column := range columns {
		s, err := fromNetCDF(from.Path, column, toSeconds)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// ReadCurve reads a curve over a level in m, or in the unit of its title: a column of a text file whose first one has
// increasing levels, as T of the rows.
func ReadCurve(from Table, column string) (*Series, error) {
	f, isNetCDF, err := open(from)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if isNetCDF {
		return nil, fmt.Errorf("%s: a curve is a text file, and this is NetCDF", from.Path)
	}
	t, err := from.open(f, "m")
	if err != nil {
		return nil, err
	}
	list, err := t.decode([]string{column}, nil)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// Complete returns all rows, and an error if a row has no value.
func (s *Series) Complete() ([]Row, error) {
	if s.gap != "" {
		return nil, fmt.Errorf("%s: leave out rows without a value, and it is interpolated between those before and after",
			s.gap)
	}
	return s.Rows, nil
}

// MarkerNote returns a note that values such as -9999 are taken as missing, "" if there are none.
func (s *Series) MarkerNote() string {
	if s.marker == "" {
		return ""
	}
	return s.marker + ": such rows are left out"
}

// Convert converts the values to a unit, "" for any. It returns notes about what was converted, by a declared unit or
// one at the end of the title, and about a column that was taken without having been chosen. path begins them.
func (s *Series) Convert(path, to string) (notes []string, err error) {
	unit := s.Unit
	if unit == "" && to != "" {
		unit = units.AtEnd(s.title, to)
	}
	scale, note, err := units.Convert(path+": "+s.Name, unit, to)
	if err != nil {
		return nil, err
	}
	for _, text := range s.notes {
		notes = append(notes, path+": "+text)
	}
	if note != "" {
		notes = append(notes, note)
	}
	if len(s.Others) > 0 {
		notes = append(notes, fmt.Sprintf("%s: the column %q is taken, since it is the first one; the key column chooses "+
			"another of %q", path, s.Name, s.Others))
	}
	for i := range s.Rows {
		s.Rows[i].Value *= scale
	}
	return notes, nil
}

// ConvertToSI converts the values from the unit that the file declares, if it declares one. A unit that is not known is
// an error. path begins it.
func (s *Series) ConvertToSI(path string) error {
	if s.Unit == "" {
		return nil
	}
	scale, err := units.ToSI(s.Unit)
	if err != nil {
		return fmt.Errorf("%s: %s: the unit %.40q: %w", path, s.Name, s.Unit, err)
	}
	for i := range s.Rows {
		s.Rows[i].Value *= scale
	}
	return nil
}

// findGaps replaces values that mark missing ones by NaN. where describes a row by its index.
func (s *Series) findGaps(where func(row int) string) {
	values := make([]float64, len(s.Rows))
	for i, r := range s.Rows {
		values[i] = r.Value
	}
	isMissing := missing.In(values)
	for i := range s.Rows {
		r := &s.Rows[i]
		if !isMissing(r.Value) {
			continue
		}
		text := fmt.Sprintf("%s: the value at %g s is missing", where(i), r.T)
		if r.Value == r.Value {
			text = fmt.Sprintf("%s: the value at %g s, %g, marks a missing one", where(i), r.T, r.Value)
			s.marker = cmp.Or(s.marker, text)
		}
		s.gap = cmp.Or(s.gap, text)
		r.Value = math.NaN()
	}
}

// Columns returns the names of the series in a file, without their units.
func Columns(from Table) ([]string, error) {
	f, isNetCDF, err := open(from)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if isNetCDF {
		return variables(from.Path)
	}
	t, err := from.open(f, "s")
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(t.titles)-1)
	for _, title := range t.titles[1:] {
		names = append(names, title.name)
	}
	return names, nil
}

// open reads the titles of a table that is no NetCDF file. axis is the unit of the first column, s or m.
func (from Table) open(f *os.File, axis string) (*file, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("series: %w", err)
	}
	name := from.Path
	if from.Sheet != "" {
		name += ", sheet " + from.Sheet
	}
	in, err := table.Open(f, info.Size(), from.Sheet)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from.Path, err)
	}
	return titled(in, name, axis)
}

// open opens a file, and reports whether it is a NetCDF file.
func open(from Table) (f *os.File, isNetCDF bool, err error) {
	if f, err = os.Open(from.Path); err != nil {
		return nil, false, fmt.Errorf("series: %w", err)
	}
	var magic [4]byte
	if _, err := f.ReadAt(magic[:], 0); err != nil && err != io.EOF {
		f.Close()
		return nil, false, fmt.Errorf("series: %w", err)
	}
	start := string(magic[:])
	isNetCDF = start[:3] == "CDF" || start == "\x89HDF"
	if isNetCDF && from.Sheet != "" {
		f.Close()
		return nil, false, fmt.Errorf("%s: sheet %q: the file is NetCDF, and no Excel workbook", from.Path, from.Sheet)
	}
	return f, isNetCDF, nil
}
