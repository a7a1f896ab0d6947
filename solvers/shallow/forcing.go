package shallow

import (
	"context"
	"errors"
	"math"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
	"github.com/atoll-hpc/atoll/solvers/shallow/hydraulics"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/air"
	"github.com/atoll-hpc/atoll/solvers/shallow/soils"
	"github.com/atoll-hpc/atoll/solvers/shallow/weather"
)

// sources has what the host needs to sum rain and losses.
type sources struct {
	rain         int       // the index of its series, -1 for none
	rainArea     []float64 // of owned cells: the area times the factor of the rain there, m²
	longest      float64   // step with a rain of 1 m/s, s
	evaporation  bool      // whether there is any
	infiltration bool
}

// addForcing adds the forcing. If it rains, it also bounds the length of steps, since on dry ground there are no waves
// that bound it: the water that falls in a step on a dry cell goes no further in it than a wave may by the CFL
// condition, neither at the speed of waves on that water, nor accelerated by the slope of the bed.
func (o *outlets[F]) addForcing(cfg Config, init Initial, part *mesh.Part, start float64,
	p *kernels.Params[F]) error {
	o.sources.rain, o.sources.longest = -1, math.Inf(1)
	o.forcing.Limit = o.addConstant(math.Inf(1), mean)
	f, given, pressure := cfg.Forcing, init.Coefficients.Given(), init.Coefficients[coefficients.Pressure]
	drains := given.Has(coefficients.Drains)
	for _, rows := range [][]series.Row{f.Rain, f.Evaporation} {
		for _, r := range rows {
			if r.Value < 0 {
				return errors.New("rain and evaporation cannot be negative")
			}
		}
	}
	switch {
	case (f.WindX == nil) != (f.WindY == nil):
		return errors.New("wind needs both components, x and y")
	case f.WindX != nil && f.OverTime.Wind != nil || pressure != nil && f.OverTime.Pressure != nil:
		return errors.New("the wind and the pressure of the air are either fields over time or not")
	}
	p.Forced = f.Rain != nil || f.OverTime.Any() || f.Evaporation != nil || f.WindX != nil || drains ||
		given.Has(coefficients.Acts)
	o.forcing.Air.Drag = air.Drag[F]{Still: F(f.Drag.Still), PerSpeed: F(f.Drag.PerSpeed), Least: F(f.Drag.Least),
		Most: F(f.Drag.Most)}
	if f.WindX != nil {
		o.forcing.Air.WindX, o.forcing.Air.WindY = o.addPrescribed(prescribed{"wind_x", "m/s"}, f.WindX, mean),
			o.addPrescribed(prescribed{"wind_y", "m/s"}, f.WindY, mean)
	}
	if err := o.addAirPressure(pressure, f.PressureFactor, part); err != nil {
		return err
	}
	if f.Evaporation != nil {
		o.forcing.Evaporation = o.addPrescribed(prescribed{"evaporation", "m/s"}, f.Evaporation, mean)
	}
	o.forcing.Model, o.forcing.Soil = soils.Cells[F](init.Coefficients, f.Soil, part.Owned)
	if o.forcing.Soil != nil && o.forcing.Infiltration != nil {
		return errors.New("infiltration is either a constant rate or that of a model")
	}
	o.sources.evaporation, o.sources.infiltration = f.Evaporation != nil, drains
	if o.sources.evaporation || o.sources.infiltration {
		o.forcing.Lost = make([]kernels.Lost, part.Owned)
	}
	if f.Rain != nil {
		o.addRain(f.Rain, init.Coefficients[coefficients.RainPattern], init.Depth, part, p)
	}
	o.addOverTime(cfg, init, part, start)
	return nil
}

// addOverTime adds fields over time. Rain is the pattern by which the number 1 is multiplied, or 0 while there is none;
// package weather bounds the length of steps.
func (o *outlets[F]) addOverTime(cfg Config, init Initial, part *mesh.Part, start float64) {
	if cfg.Forcing.OverTime.Rain != nil {
		o.forcing.Pattern, o.forcing.Rain = make([]F, part.Owned), o.addConstant(1, mean)
		o.forcing.LongestOnDry = F(math.Inf(1))
	}
	o.weather = weather.New[F](cfg.Forcing.OverTime, o.forcing.Rain, &weather.Setting{Part: part, Depth: init.Depth,
		Gravity: cfg.Gravity, CFL: cfg.CFL, Time: start, Prescribe: o.prescribe})
}

// prescribe is addPrescribed of numbers of which steps use the mean.
func (o *outlets[F]) prescribe(name, unit string, rows []series.Row) int32 {
	return o.addPrescribed(prescribed{name, unit}, rows, mean)
}

// addRain adds rain. Even constant rain has a series, since the series integrates it over time.
func (o *outlets[F]) addRain(rows []series.Row, pattern, depth []float64, part *mesh.Part, p *kernels.Params[F]) {
	o.forcing.Rain = o.addPrescribed(prescribed{"rain", "m/s"}, rows, mean)
	if _, _, _, ok := series.AsDriven(rows); ok {
		o.integrate()
	} else if len(rows) == 1 {
		o.addSeries(o.forcing.Rain, rows, mean)
	}
	o.sources.rain = len(o.series) - 1
	o.sources.rainArea = make([]float64, part.Owned)
	longest, onSlope := math.Inf(1), math.Inf(1)
	for i := range o.sources.rainArea {
		factor := 1.0
		if pattern != nil {
			factor = float64(F(pattern[i]))
		}
		area := float64(F(part.Area(i)))
		o.sources.rainArea[i] = factor * area
		if factor > 0 {
			way := 2 * float64(p.CFL) * area / part.Perimeter(i) // that a wave may go in a step
			longest = min(longest, math.Cbrt(way*way/(float64(p.Gravity)*factor)))
			slopeX, slopeY := domain.Gradient(part, i, depth)
			onSlope = min(onSlope, math.Sqrt(2*way/(float64(p.Gravity)*math.Hypot(slopeX, slopeY))))
		}
	}
	o.sources.longest, o.forcing.LongestOnDry = longest, F(onSlope)
}

// agreeOnRain takes the least of all ranks' limits of steps in rain: a cell's own limit depends on them too. All ranks
// call it.
func (o *outlets[F]) agreeOnRain(ctx context.Context, comm dist.Comm) error {
	limits := []float64{o.sources.longest, float64(o.forcing.LongestOnDry)}
	err := comm.AllreduceFloat64(ctx, dist.Min, limits)
	o.forcing.LongestOnDry = F(limits[1])
	if o.sources.rain < 0 {
		return err
	}
	// What a driver may set it to is constant, and its series knows only what it has set.
	o.boundary.Ahead[o.forcing.Limit] = kernels.LongestInRain(F(limits[0]), o.boundary.Ahead[o.forcing.Rain])
	if s := &o.series[o.sources.rain]; s.Slot == o.forcing.Rain {
		s.Limit, s.Longest = o.forcing.Limit, limits[0]
	}
	return err
}

// addStructures finds the cells of structures. All ranks call it.
func (o *outlets[F]) addStructures(ctx context.Context, comm dist.Comm, cfg *Config, init *Initial, part *mesh.Part,
	cells *solvers.Space) (err error) {
	switch {
	case len(cfg.Structures) == 0:
		return nil
	case cfg.Layers != 1:
		return errors.New("structures are for one layer")
	case init.Coefficients[coefficients.Uplift] != nil:
		return errors.New("structures cannot be combined with a bed that moves")
	}
	o.structures, err = hydraulics.Find[F](ctx, comm, cfg.Structures, &hydraulics.Setting{Part: part, Cells: cells,
		Depth: init.Depth, Gravity: cfg.Gravity, CFL: cfg.CFL, Prescribe: o.prescribe, Note: cfg.Note})
	return err
}

// addAirPressure adds the gradient of the air pressure in all cells, times a factor in time; nil stands for 1.
func (o *outlets[F]) addAirPressure(pressure []float64, course []series.Row, part *mesh.Part) error {
	if pressure == nil {
		if course != nil {
			return errors.New("pressure_course needs a pressure")
		}
		return nil
	}
	if course == nil {
		course = series.Constant(1)
	}
	a := &o.forcing.Air
	a.Factor = o.addPrescribed(prescribed{"pressure_course", "1"}, course, mean)
	a.Gradient = make([]air.Vector[F], part.Owned)
	for i := range a.Gradient {
		x, y := domain.Gradient(part, i, pressure)
		a.Gradient[i] = air.Vector[F]{X: F(x), Y: F(y)}
	}
	return nil
}

// loadWeather loads the fields over time that steps need until a time.
func (s *solver[F]) loadWeather(ctx context.Context, now solvers.Clock) (until float64, err error) {
	if s.weather.Due(now.Time) { // lagged reductions of all ranks may be under way
		if err := s.Settle(ctx); err != nil {
			return 0, err
		}
	}
	until, changed, err := s.weather.Load(ctx, now.Time)
	if changed {
		err = errors.Join(err, s.forgetDry())
	}
	return until, err
}
