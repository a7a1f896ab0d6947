package problem

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/meteo"
)

// Forcing is the section [forcing]: what acts on the water besides gravity and the bed. nil means absent.
type Forcing struct {
	OverTime     OverTime       // instead of Rain, WindX and WindY, Pressure
	Storm        *Storm         // instead of all other wind and pressure
	Rain         *config.Series // m/s
	RainPattern  *config.Field  // factor by which the rain at a position is multiplied; 1
	Evaporation  *config.Series // m/s
	Infiltration *config.Field  // into the ground, m/s, or
	Soil         Soil           // a model of what the ground takes
	WindX, WindY *config.Series // velocity of the air 10 m above the water, m/s
	Drag         Drag           // of the wind
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

func (f *Forcing) decode(s *config.Section, layers int) {
	f.keys(layers, s.Read)
	f.Soil.check(s)
	if f.UpliftEnd < f.UpliftStart {
		s.Fail("uplift_end", "%g s comes before uplift_start, %g s", f.UpliftEnd, f.UpliftStart)
	}
	for _, pair := range [][2]string{{"wind_x", "wind_y"}, {"wind_y", "wind_x"}, {"wind_x_field", "wind_y_field"},
		{"wind_y_field", "wind_x_field"}, {"pressure_course", "pressure"}} {
		if s.Has(pair[0]) && !s.Has(pair[1]) {
			s.Fail(pair[0], "needs %s too", pair[1])
		}
	}
	if s.Has("coriolis") && s.Has("latitude") {
		s.Fail("latitude", "cannot be combined with coriolis, which gives the same parameter")
	}
	s.Finish()
}

// rains reports whether there is any rain.
func (f *Forcing) rains() bool { return f.Rain != nil || f.OverTime.Rain != nil }

// isWindy and presses report whether there is wind, and whether there is a pressure of the air.
func (f *Forcing) isWindy() bool { return f.Storm != nil || f.hasWind() }
func (f *Forcing) presses() bool { return f.Storm != nil || f.hasPressure() }

// hasWind and hasPressure report whether there are any besides those of a storm.
func (f *Forcing) hasWind() bool {
	return f.WindX != nil || f.WindY != nil || f.OverTime.WindX != nil || f.OverTime.WindY != nil
}

func (f *Forcing) hasPressure() bool { return f.Pressure != nil || f.OverTime.Pressure != nil }

// keys declares the keys of the section.
func (f *Forcing) keys(layers int, key func(*config.Spec)) {
	ofOne := func(k *config.Spec) *config.Spec {
		return k.When(layers == 1, "is for one layer: fresh water on two layers would need its own density")
	}
	key(ofOne(config.OptionalSeries("rain", "m/s", &f.Rain, config.NonNegative, "series (1 mm/h is 2.78e-7 m/s); only "+
		"for one layer").Otherwise("0")))
	key(ofOne(f.rainField()))
	key(ofOne(config.OptionalSeries("evaporation", "m/s", &f.Evaporation, config.NonNegative, "series, limited by the "+
		"water present; only for one layer").Otherwise("0")))
	const wind = "series: velocity of the air 10 m above the water along "
	key(config.OptionalSeries("wind_x", "m/s", &f.WindX, config.Any, wind+"x").Otherwise("0"))
	key(config.OptionalSeries("wind_y", "m/s", &f.WindY, config.Any, wind+"y").Otherwise("0"))
	key(config.OptionalSeries("pressure_course", "1", &f.Course, config.Any, "series: temporal factor of the pressure").
		Otherwise("1"))
	key(config.OptionalField("rain_pattern", "1", &f.RainPattern, "field: spatial factor of the rain").Otherwise("1").
		When(f.Rain != nil, "needs rain too"))
	key(ofOne(config.OptionalField("infiltration", "m/s", &f.Infiltration, "field: rate of infiltration, limited by the "+
		"water present; only for one layer. Alternatively a model: `green_ampt`, `initial_loss` or `curve_number`").
		Otherwise("0")))
	key(config.OptionalField("coriolis", "1/s", &f.Coriolis, "field: the Coriolis parameter; alternatively `latitude`").
		Otherwise("0"))
	key(config.OptionalField("latitude", "degree", &f.Latitude, "field, from which the Coriolis parameter is computed"))
	key(config.OptionalField("pressure", "Pa", &f.Pressure, "field: air pressure; its gradient accelerates the water").
		Otherwise("0"))
	f.keysOfAir(key)
	key(config.OptionalField("uplift", "m", &f.Uplift, "field: total rise of the bed, with the water on it; negative for "+
		"subsidence").Otherwise("0"))
	f.Soil.keys(f.rains(), func(k *config.Spec) { key(ofOne(k)) })
	f.Drag.keys(f.isWindy(), key)
	key(config.Real("water_density", "kg/m3", &f.WaterDensity, config.Positive.Or(1025), "density of the water (of the "+
		"lower layer), for the effect of the pressure").When(f.presses(), "needs pressure, pressure_field or storm too"))
	const uplift = "needs uplift too"
	key(config.Real("uplift_start", "s", &f.UpliftStart, config.NonNegative.Or(0), "start of the uplift, which has a "+
		"constant rate").When(f.Uplift != nil, uplift))
	key(config.Real("uplift_end", "s", &f.UpliftEnd, config.NonNegative.Or(f.UpliftStart), "its end; if it equals the "+
		"start the uplift is instantaneous").When(f.Uplift != nil, uplift).Otherwise("`uplift_start`"))
}

func (f *Forcing) print(p *config.Printer, layers int) {
	var keys config.Printer
	if f.keys(layers, keys.Print); keys.Len() > 0 {
		p.Section("[forcing]")
		p.WriteString(keys.String())
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
	err := f.evaluateOverTime(c, part, cfg)
	if err != nil {
		return err
	}
	if err := f.evaluateStorm(c, part, cfg); err != nil {
		return err
	}
	if in.Soil, err = f.Soil.evaluate(ctx, c, part, markers); err != nil {
		return err
	}
	cfg.Forcing.Drag = f.Drag.law()
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
			values[i] = meteo.Coriolis(values[i])
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
