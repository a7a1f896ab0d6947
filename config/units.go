package config

import (
	"errors"
	"regexp"
	"strconv"

	"github.com/atoll-hpc/atoll/formats/units"
)

// Units declares the units of keys of the section and of tables that are values of its keys. Numbers of these keys may
// be written with another unit, as in "20 mm/h", and values in files are converted.
func (s *Section) Units(of map[string]string) { s.units = of }

// numberWithUnit is a number and what may be a unit.
var numberWithUnit = regexp.MustCompile(`^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([\pL°'(].*|%)$`)

// quantity returns the number that the text "20 mm/h" stands for, in the unit of a key. ok is false if the text is
// not a number with a known unit; a unit of something else is a problem.
func (s *Section) quantity(key, text string) (v float64, ok bool) {
	unit, m := s.units[key], numberWithUnit.FindStringSubmatch(text)
	if unit == "" || m == nil {
		return 0, false
	}
	scale, err := units.Scale(m[2], unit)
	if errors.Is(err, units.ErrUnknown) {
		return 0, false
	}
	if err != nil {
		s.Fail(key, "%q: %v", text, err)
		return 0, true
	}
	v, err = strconv.ParseFloat(m[1], 64)
	if err != nil {
		s.Fail(key, "%q: %v", text, err)
	}
	return v * scale, true
}
