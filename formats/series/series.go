// Package series reads time series: from columns of CSV files, and from variables of NetCDF files. Read returns the
// Rows of a series, Columns the names of the series in a file.
package series

import (
	"fmt"
	"io"
	"os"
)

// Row is the value of a series at a time in s.
type Row struct{ T, Value float64 }

// MaxRows is how many rows a series may have.
const MaxRows = 1 << 22

// Dates is a function that converts a date and time to the time of the run in s.
type Dates func(text string) (float64, error)

// Read returns the rows of a column of a CSV file, or of a variable of a NetCDF file. If column is "", it reads the
// first column after the time, or the only variable. parseDate converts dates in the file.
func Read(path, column string, parseDate Dates) ([]Row, error) {
	f, isNetCDF, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if isNetCDF {
		return fromNetCDF(path, column, parseDate)
	}
	return Decode(f, path, column, parseDate)
}

// Columns returns the names of the series in a file.
func Columns(path string) ([]string, error) {
	f, isNetCDF, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if isNetCDF {
		return variables(path)
	}
	return columns(f, path)
}

// open opens a file, and reports whether it is a NetCDF file.
func open(path string) (f *os.File, isNetCDF bool, err error) {
	if f, err = os.Open(path); err != nil {
		return nil, false, fmt.Errorf("series: %w", err)
	}
	var magic [4]byte
	if _, err := f.ReadAt(magic[:], 0); err != nil && err != io.EOF {
		f.Close()
		return nil, false, fmt.Errorf("series: %w", err)
	}
	start := string(magic[:])
	return f, start[:3] == "CDF" || start == "\x89HDF", nil
}
