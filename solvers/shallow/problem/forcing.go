package problem

import (
	"fmt"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
	"github.com/atoll-hpc/atoll/solvers/shallow/faults"
	"github.com/atoll-hpc/atoll/solvers/shallow/soils"
)

// Forcing is the section [forcing]: what acts on the water besides gravity and the bed. nil means absent.
type Forcing struct {
	Coefficients coefficients.Fields // of this section and of [physics]
	OverTime     OverTime            // instead of Rain, WindX and WindY, and the coefficient pressure
	Storm        *Storm              // instead of all other wind and pressure
	Rain         *config.Series      // m/s
	Evaporation  *config.Series      // m/s
	Soil         soils.Section       // more about the coefficients of a model of what the ground takes
	WindX, WindY *config.Series      // velocity of the air 10 m above the water, m/s
	Drag         Drag                // of the wind

	Course       *config.Series // factor of the pressure in time; 1
	WaterDensity float64        // of the lower layer, kg/m³; 1025

	Faults                 []faults.Fault // sections [[fault]], which add to the coefficient uplift
	UpliftStart, UpliftEnd float64        // s, the time of the rise; 0: at once
}

// decode reads the section. On the earth the Coriolis parameter is by default that of the latitude.
func (f *Forcing) decode(s *config.Section, layers int, geographic bool) {
	f.keys(layers, s.Read)
	if geographic && f.Coefficients[coefficients.Coriolis] == nil && f.Coefficients[coefficients.Latitude] == nil {
		latitude := s.Field(coefficients.Latitude, "y", nil, "")
		f.Coefficients[coefficients.Latitude] = &latitude
	}
	f.Soil.Check(s)
	if f.UpliftEnd < f.UpliftStart {
		s.Fail("uplift_end", "%g s comes before uplift_start, %g s", f.UpliftEnd, f.UpliftStart)
	}
	for _, pair := range [][2]string{{"wind_x", "wind_y"}, {"wind_y", "wind_x"}, {"wind_x_field", "wind_y_field"},
		{"wind_y_field", "wind_x_field"}, {"pressure_course", "pressure"}} {
		if s.Has(pair[0]) && !s.Has(pair[1]) {
			s.Fail(pair[0], "needs %s too", pair[1])
		}
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

func (f *Forcing) hasPressure() bool {
	return f.Coefficients[coefficients.Pressure] != nil || f.OverTime.Pressure != nil
}

// isMoving reports whether the bed moves.
func (f *Forcing) isMoving() bool {
	return f.Coefficients[coefficients.Uplift] != nil || len(f.Faults) > 0
}

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
	f.Coefficients.Keys("forcing", "", layers, func(key string) bool {
		return key == "rain" && f.Rain != nil || key == "rain_field" && f.OverTime.Rain != nil
	}, key)
	f.keysOfAir(key)
	f.Soil.Keys(f.Coefficients, func(k *config.Spec) { key(ofOne(k)) })
	f.Drag.keys(f.isWindy(), key)
	key(config.Real("water_density", "kg/m3", &f.WaterDensity, config.Positive.Or(1025), "density of the water (of the "+
		"lower layer), for the effect of the pressure").When(f.presses(), "needs pressure, pressure_field or storm too"))
	const uplift = "needs uplift or [[fault]] too"
	key(config.Real("uplift_start", "s", &f.UpliftStart, config.NonNegative.Or(0), "start of the uplift, and of that by "+
		"[faults](#fault), which has a constant rate").When(f.isMoving(), uplift))
	key(config.Real("uplift_end", "s", &f.UpliftEnd, config.NonNegative.Or(f.UpliftStart), "its end; if it equals the "+
		"start the uplift is instantaneous").When(f.isMoving(), uplift).Otherwise("`uplift_start`"))
}

func (f *Forcing) print(p *config.Printer, layers int) {
	var keys config.Printer
	if f.keys(layers, keys.Print); keys.Len() > 0 {
		p.Section("[forcing]")
		p.WriteString(keys.String())
	}
}

// evaluate evaluates the section for the solver, except coefficients.
func (f *Forcing) evaluate(c *config.Case, part *mesh.Part, cfg *shallow.Config) error {
	to := &cfg.Forcing
	for _, s := range []struct {
		key  string
		from *config.Series
		to   *[]series.Row
	}{{"rain", f.Rain, &to.Rain}, {"evaporation", f.Evaporation, &to.Evaporation}, {"wind_x", f.WindX, &to.WindX},
		{"wind_y", f.WindY, &to.WindY}, {"pressure_course", f.Course, &to.PressureFactor}} {
		if s.from == nil {
			continue
		}
		rows, err := series.FromCase(c, *s.from)
		if *s.to = rows; err != nil {
			return fmt.Errorf("[forcing] %s: %w", s.key, err)
		}
		if s.key == "rain" && s.from.File != "" {
			c.Note(noteHeavyRain(s.from.File, rows))
		}
		for _, r := range rows {
			if (s.key == "rain" || s.key == "evaporation") && r.Value < 0 {
				return fmt.Errorf("[forcing] %s at t = %g s is %g: it must not be negative", s.key, r.T, r.Value)
			}
		}
	}
	if err := f.evaluateOverTime(c, part, cfg); err != nil {
		return err
	}
	to.Soil, to.Drag = f.Soil.Options(), f.Drag.law()
	to.UpliftFrom, to.UpliftTo = f.UpliftStart, f.UpliftEnd
	return f.evaluateStorm(c, part, cfg)
}
