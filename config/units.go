package config

import (
	"errors"
	"strconv"

	"github.com/atoll-hpc/atoll/formats/units"
	"github.com/atoll-hpc/atoll/internal/pattern"
)

// numberWithUnit is a number and what may be a unit.
var numberWithUnit = pattern.Of(`^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([\pL°'(].*|%)$`)

// converted returns, for a text such as "20 mm/h", the number that it stands for in the unit of a key, and other values
// as they are. A unit of something else is a problem.
func (s *Section) converted(key string, v any) any {
	text, _ := v.(string)
	unit, m := s.units[key], numberWithUnit().FindStringSubmatch(text)
	if unit == "" || m == nil {
		return v
	}
	scale, err := units.Scale(m[2], unit)
	if errors.Is(err, units.ErrUnknown) {
		return v
	}
	if err != nil {
		s.Fail(key, "%q: %v", text, err)
		return 0.
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		s.Fail(key, "%q: %v", text, err)
	}
	return n * scale
}
