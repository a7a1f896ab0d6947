package problem

import (
	"fmt"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/config/overtime"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/timefield"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// keysOverTime declares the keys of fields over time.
func (f *Forcing) keysOverTime(ofOne func(*config.Spec) *config.Spec, key func(*config.Spec)) {
	key(ofOne(overtime.Optional("rain_field", &f.RainField, "rain that moves, instead of `rain`: "+
		"see [fields over time](#fields-over-time); only for one layer")).When(f.Rain == nil, "cannot be combined with rain"))
}

// evaluateOverTime opens the fields over time.
func (f *Forcing) evaluateOverTime(c *config.Case, part *mesh.Part, cfg *shallow.Config) error {
	if f.RainField == nil {
		return nil
	}
	field, err := timefield.Open(c, f.RainField, part, timefield.Wanted{Unit: "m/s", Intervals: true})
	if err != nil {
		return fmt.Errorf("[forcing] rain_field: %w", err)
	}
	cfg.Forcing.RainField = rainfall{field, part}
	return nil
}

// rainfall is rain over time without negative values.
type rainfall struct {
	*timefield.Field
	part *mesh.Part
}

// leastRain is up to which values below 0 count as 0, m/s: packed numbers, such as those of ERA5, have an error.
const leastRain = -1e-9

// Values implements weather.Field.
func (r rainfall) Values(k int) ([]float64, error) {
	values, err := r.Field.Values(k)
	if err != nil {
		return nil, fmt.Errorf("[forcing] rain_field: %w", err)
	}
	for i, v := range values {
		if v < leastRain {
			x, y := r.part.Centroid(i)
			return nil, fmt.Errorf("[forcing] rain_field: in the interval from %g s to %g s the rain at (%g, %g) is %g m/s: it "+
				"must not be negative", r.Times()[k], r.Times()[k+1], x, y, v)
		}
		values[i] = max(0, v)
	}
	return values, nil
}
