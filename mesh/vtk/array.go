package vtk

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/atoll-hpc/atoll/mesh/vtk/internal/xmldata"
)

// Array is a named array of tuples: one for each point or cell, or in field data any number.
type Array struct {
	Name       string
	Components int    // values in a tuple; 0 means 1
	Unit       string // written as the information key UNITS_LABEL of VTK; not read
	Constant   bool   // the data are the same in all files of a series: see [FilePart.WriteRest]; not in the file

	// Data holds the tuples one after another. It is a slice of int8, uint8, int16, uint16, int32, uint32, int64,
	// uint64, float32 or float64, and its type is the type in the file.
	Data any
}

// Arrays is a list of arrays of different names.
type Arrays []Array

// Find returns the array of that name.
func (list Arrays) Find(name string) (Array, bool) {
	for _, a := range list {
		if a.Name == name {
			return a, true
		}
	}
	return Array{}, false
}

// Tuples returns the number of tuples.
func (a Array) Tuples() int {
	v, err := xmldata.Wrap(a.Data)
	if err != nil {
		return 0
	}
	return v.Len() / a.width()
}

// Float64s returns the values as float64. If a.Data is a []float64, the result shares its memory.
func (a Array) Float64s() []float64 {
	v, err := xmldata.Wrap(a.Data)
	if err != nil {
		return nil
	}
	return v.Floats()
}

// Int64s returns the values of an array of integers; ok is false if the values are floating-point numbers or do not fit
// an int64. If a.Data is an []int64, the result shares its memory.
func (a Array) Int64s() (values []int64, ok bool) {
	v, err := xmldata.Wrap(a.Data)
	if err != nil {
		return nil, false
	}
	return v.Ints()
}

func (a Array) width() int { return max(a.Components, 1) }

// check refuses arrays that cannot be written. Each must have the given number of tuples; -1 accepts any number.
func (list Arrays) check(where string, tuples int) error {
	names := make(map[string]bool, len(list))
	for i, a := range list {
		if a.Name == "" || !utf8.ValidString(a.Name) {
			return fmt.Errorf("array %d of the %s has the name %q; want UTF-8 text that is not empty", i, where, a.Name)
		}
		for _, r := range a.Name {
			if unicode.IsControl(r) || r == utf8.RuneError {
				return fmt.Errorf("array %d of the %s has the name %q; want no control characters", i, where, a.Name)
			}
		}
		if names[a.Name] {
			return fmt.Errorf("the %s has two arrays named %q", where, a.Name)
		}
		names[a.Name] = true
		v, err := xmldata.Wrap(a.Data)
		if err != nil {
			return fmt.Errorf("array %q of the %s: %w", a.Name, where, err)
		}
		if v.Len()%a.width() != 0 || tuples >= 0 && v.Len()/a.width() != tuples {
			return fmt.Errorf("array %q of the %s has %d values in tuples of %d, want %d tuples",
				a.Name, where, v.Len(), a.width(), tuples)
		}
	}
	return nil
}
