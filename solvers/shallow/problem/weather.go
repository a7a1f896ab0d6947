package problem

import (
	"fmt"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/config/overtime"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/timefield"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
	"github.com/atoll-hpc/atoll/solvers/shallow/meteo"
)

// OverTime are the fields over time of a case; nil means absent.
type OverTime struct {
	Rain         *overtime.Field // rain that moves, m/s
	WindX, WindY *overtime.Field // velocity of the air 10 m above the water, m/s
	Pressure     *overtime.Field // of the air, Pa
}

// rainField declares the key of rain over time.
func (f *Forcing) rainField() *config.Spec {
	return overtime.Optional("rain_field", &f.OverTime.Rain, "rain that moves, instead of `rain`: see [fields over "+
		"time](#fields-over-time); only for one layer").When(f.Rain == nil, "cannot be combined with rain")
}

// keysOfAir declares the keys of wind and pressure over time.
func (f *Forcing) keysOfAir(key func(*config.Spec)) {
	still := f.WindX == nil && f.WindY == nil
	for _, axis := range []struct {
		name string
		to   **overtime.Field
	}{{"x", &f.OverTime.WindX}, {"y", &f.OverTime.WindY}} {
		key(overtime.OptionalAtTimes("wind_"+axis.name+"_field", axis.to, "wind that differs in space, instead of `wind_"+
			axis.name+"`: see [wind and pressure over time](#wind-and-pressure-over-time)").
			When(still, "cannot be combined with wind_x and wind_y"))
	}
	key(overtime.OptionalAtTimes("pressure_field", &f.OverTime.Pressure, "pressure of the air that changes in space and "+
		"time, instead of `pressure`").When(f.Coefficients[coefficients.Pressure] == nil, "cannot be combined with pressure"))
	key(config.OptionalTable("storm", &f.Storm, (*Storm).keys, `{ track = "track.csv" }`, "a cyclone along a track, "+
		"which gives wind and pressure: see [storms](#storms)").When(!f.hasWind() && !f.hasPressure(),
		"cannot be combined with other wind or pressure"))
}

// evaluateOverTime opens the fields over time.
func (f *Forcing) evaluateOverTime(c *config.Case, part *mesh.Part, cfg *shallow.Config) error {
	from, to := &f.OverTime, &cfg.Forcing.OverTime
	var files [4]meteo.File
	for k, file := range []struct {
		key  string
		from *overtime.Field
		want timefield.Wanted
	}{{"rain_field", from.Rain, timefield.Wanted{Unit: "m/s", Intervals: true}},
		{"wind_x_field", from.WindX, timefield.Wanted{Unit: "m/s"}}, {"wind_y_field", from.WindY,
			timefield.Wanted{Unit: "m/s"}}, {"pressure_field", from.Pressure, timefield.Wanted{Unit: "Pa"}}} {
		if file.from == nil {
			continue
		}
		field, err := timefield.Open(c, file.from, part, file.want)
		if err != nil {
			return fmt.Errorf("[forcing] %s: %w", file.key, err)
		}
		files[k] = meteo.File{Field: field, Part: part, Name: "[forcing] " + file.key}
	}
	if from.Rain != nil {
		to.Rain = meteo.Rain(files[0])
	}
	if from.Pressure != nil {
		to.Pressure = meteo.Pressure(files[3], f.WaterDensity)
	}
	if from.WindX == nil {
		return nil
	}
	var err error
	to.Wind, err = meteo.Wind(files[1], files[2])
	return err
}
