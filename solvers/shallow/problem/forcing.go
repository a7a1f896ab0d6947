package problem

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// Forcing is the section [forcing]: what acts on the water besides gravity and the bed. nil means absent. Defaults
// follow the semicolons.
type Forcing struct {
	Rain         *config.Series // m/s
	RainPattern  *config.Field  // factor by which the rain at a position is multiplied; 1
	Evaporation  *config.Series // m/s
	Infiltration *config.Field  // into the ground, m/s, or
	Soil         Soil           // a model of what the ground takes
	WindX, WindY *config.Series // velocity of the air 10 m above the water, m/s
	WindDrag     float64        // drag coefficient; 0.0013
	AirDensity   float64        // relative to the water, of the lower layer; 0.0012
	Coriolis     *config.Field  // Coriolis parameter, 1/s, or
	Latitude     *config.Field  // in degrees, from which it is computed

	Pressure     *config.Field  // air pressure, Pa
	Course       *config.Series // factor of the pressure in time; 1
	WaterDensity float64        // of the lower layer, kg/m³; 1025

	Uplift                 *config.Field // total rise of the bed, m
	UpliftStart, UpliftEnd float64       // s, the time of the rise; 0: at once
}

// series returns pointers to the series by their keys in case files, and fields to the fields.
func (f *Forcing) series() map[string]**config.Series {
	return map[string]**config.Series{
		"rain": &f.Rain, "evaporation": &f.Evaporation, "wind_x": &f.WindX, "wind_y": &f.WindY,
		"pressure_course": &f.Course,
	}
}

func (f *Forcing) fields() map[string]**config.Field {
	return map[string]**config.Field{
		"rain_pattern": &f.RainPattern, "infiltration": &f.Infiltration, "coriolis": &f.Coriolis, "latitude": &f.Latitude,
		"pressure": &f.Pressure, "uplift": &f.Uplift,
	}
}

var (
	seriesKeys = []string{"rain", "evaporation", "wind_x", "wind_y", "pressure_course"}
	fieldKeys  = []string{"rain_pattern", "infiltration", "coriolis", "latitude", "pressure", "uplift"}
)

func decodeForcing(s *config.Section, layers int) Forcing {
	var f Forcing
	for _, key := range seriesKeys {
		if s.Know(key); s.Has(key) {
			bound := config.Any
			if key == "rain" || key == "evaporation" {
				bound = config.NonNegative
			}
			v := s.Series(key, bound)
			*f.series()[key] = &v
		}
	}
	for _, key := range fieldKeys {
		if s.Know(key); s.Has(key) {
			v := s.Field(key, config.Required, nil, "")
			*f.fields()[key] = &v
		}
	}
	f.Soil = decodeSoil(s, layers)
	f.WindDrag = s.Number("wind_drag", config.NonNegative.Or(0.0013))
	f.AirDensity = s.Number("air_density", config.NonNegative.Or(0.0012))
	f.WaterDensity = s.Number("water_density", config.Positive.Or(1025))
	f.UpliftStart = s.Number("uplift_start", config.NonNegative.Or(0))
	f.UpliftEnd = s.Number("uplift_end", config.NonNegative.Or(f.UpliftStart))
	if f.UpliftEnd < f.UpliftStart {
		s.Fail("uplift_end", "%g s comes before uplift_start, %g s", f.UpliftEnd, f.UpliftStart)
	}
	if layers == 2 {
		for _, key := range []string{"rain", "evaporation", "infiltration"} {
			if s.Has(key) {
				s.Fail(key, "is for one layer: fresh water on two layers would need its own density")
			}
		}
	}
	for _, pair := range [][2]string{{"wind_x", "wind_y"}, {"wind_y", "wind_x"}, {"rain_pattern", "rain"},
		{"pressure_course", "pressure"}, {"uplift_start", "uplift"}, {"uplift_end", "uplift"}} {
		if s.Has(pair[0]) && !s.Has(pair[1]) {
			s.Fail(pair[0], "needs %s too", pair[1])
		}
	}
	if s.Has("coriolis") && s.Has("latitude") {
		s.Fail("latitude", "cannot be combined with coriolis, which gives the same parameter")
	}
	s.Finish()
	return f
}

func (f *Forcing) print(p *config.Printer) {
	printed := false
	pair := func(key string, value any) {
		if !printed {
			printed = true
			p.Section("[forcing]")
		}
		p.Pair(key, value)
	}
	for _, key := range seriesKeys {
		if v := *f.series()[key]; v != nil {
			pair(key, *v)
		}
	}
	for _, key := range fieldKeys {
		if v := *f.fields()[key]; v != nil {
			pair(key, *v)
		}
	}
	f.Soil.print(pair)
	if f.WindX != nil {
		pair("wind_drag", f.WindDrag)
		pair("air_density", f.AirDensity)
	}
	if f.Pressure != nil {
		pair("water_density", f.WaterDensity)
	}
	if f.Uplift != nil {
		pair("uplift_start", f.UpliftStart)
		pair("uplift_end", f.UpliftEnd)
	}
}

// evaluate evaluates the section for the solver.
func (f *Forcing) evaluate(ctx context.Context, c *config.Case, part *mesh.Part, markers *domain.Markers,
	cfg *shallow.Config, in *shallow.Initial) error {
	for _, key := range seriesKeys {
		from := *f.series()[key]
		if from == nil {
			continue
		}
		rows, err := series.FromCase(c, *from)
		if err != nil {
			return fmt.Errorf("[forcing] %s: %w", key, err)
		}
		to := map[string]*[]series.Row{"rain": &cfg.Forcing.Rain, "evaporation": &cfg.Forcing.Evaporation,
			"wind_x": &cfg.Forcing.WindX, "wind_y": &cfg.Forcing.WindY,
			"pressure_course": &cfg.Forcing.PressureFactor}
		*to[key] = rows
		if key == "rain" && from.File != "" {
			c.Note(noteHeavyRain(from.File, rows))
		}
		for _, r := range rows {
			if (key == "rain" || key == "evaporation") && r.Value < 0 {
				return fmt.Errorf("[forcing] %s at t = %g s is %g: it must not be negative", key, r.T, r.Value)
			}
		}
	}
	var err error
	if in.Soil, err = f.Soil.evaluate(ctx, c, part, markers); err != nil {
		return err
	}
	cfg.Forcing.Drag = f.WindDrag * f.AirDensity
	cfg.Forcing.UpliftFrom, cfg.Forcing.UpliftTo = f.UpliftStart, f.UpliftEnd
	for _, key := range fieldKeys {
		from := *f.fields()[key]
		if from == nil {
			continue
		}
		v, err := domain.Evaluate(ctx, c, []config.Field{*from}, part, markers)
		if err != nil {
			return fmt.Errorf("[forcing] %w", err)
		}
		if err := f.setField(key, v[key], part, in); err != nil {
			return err
		}
	}
	return nil
}

// setField gives the solver the values of a field in the cells of a part.
func (f *Forcing) setField(key string, values []float64, part *mesh.Part, in *shallow.Initial) error {
	for i := range values {
		if (key == "rain_pattern" || key == "infiltration") && values[i] < 0 {
			return fmt.Errorf("[forcing] %s at cell %d is %g: it must not be negative", key, part.Global[i], values[i])
		}
		if key == "latitude" {
			values[i] = coriolis(values[i])
		}
		if key == "pressure" {
			values[i] /= f.WaterDensity
		}
	}
	switch key {
	case "rain_pattern":
		in.Pattern = values
	case "infiltration":
		in.Infiltration = values
	case "pressure":
		in.Pressure = values
	case "uplift":
		in.Uplift = values
	default:
		in.Coriolis = values
	}
	return nil
}

// coriolis returns the Coriolis parameter at a latitude in degrees: twice the rotation rate of the earth,
// 7.2921e-5/s, times the sine.
func coriolis(latitude float64) float64 { return 2 * 7.2921e-5 * math.Sin(latitude*math.Pi/180) }
