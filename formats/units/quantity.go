package units

import (
	"errors"
	"strconv"

	"github.com/atoll-hpc/atoll/internal/pattern"
)

// numberWithUnit is a number and what may be a unit.
var numberWithUnit = pattern.Of(`^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([\pL°'(].*|%)$`)

// Quantity returns, for a text such as "20 mm/h", the number that it stands for in another unit. ok reports whether it
// is a number with a unit that is known; one of something else is an error.
func Quantity(text, to string) (value float64, ok bool, err error) {
	m := numberWithUnit().FindStringSubmatch(text)
	if m == nil {
		return 0, false, nil
	}
	scale, err := Scale(m[2], to)
	if errors.Is(err, ErrUnknown) {
		return 0, false, nil
	}
	if err != nil {
		return 0, true, err
	}
	n, err := strconv.ParseFloat(m[1], 64)
	return n * scale, true, err
}
