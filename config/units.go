package config

import "github.com/atoll-hpc/atoll/formats/units"

// converted returns, for a text such as "20 mm/h", the number that it stands for in the unit of a key, and other values
// as they are. A unit of something else is a problem.
func (s *Section) converted(key string, v any) any {
	text, _ := v.(string)
	if s.units[key] == "" {
		return v
	}
	n, ok, err := units.Quantity(text, s.units[key])
	if err != nil {
		s.Fail(key, "%q: %v", text, err)
	}
	if !ok {
		return v
	}
	return n
}
