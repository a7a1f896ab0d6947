// Package series reads numbers over time: columns of CSV files, and variables of NetCDF files.
package series

import (
	"fmt"
	"io"
	"os"
)

// Row is the value of a series at a time in s.
type Row struct{ T, Value float64 }

// MaxRows is how many a series may have.
const MaxRows = 1 << 22

// Dates reads a date and time, and tells how many seconds after time 0 it is.
type Dates func(text string) (float64, error)

// Read returns the rows of a column of a CSV file, or of a variable of a NetCDF file; "" is for the first. when
// converts dates to times in s.
func Read(path, column string, when Dates) ([]Row, error) {
	f, isNetCDF, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if isNetCDF {
		return fromNetCDF(path, column, when)
	}
	return Decode(f, path, column, when)
}

// Columns names what a file of series holds.
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

// open opens a file, and tells of which kind it is.
func open(path string) (f *os.File, isNetCDF bool, err error) {
	if f, err = os.Open(path); err != nil {
		return nil, false, fmt.Errorf("series: %w", err)
	}
	var magic [4]byte
	if _, err := f.ReadAt(magic[:], 0); err != nil && err != io.EOF {
		f.Close()
		return nil, false, fmt.Errorf("series: %w", err)
	}
	begins := string(magic[:])
	return f, begins[:3] == "CDF" || begins == "\x89HDF", nil
}
