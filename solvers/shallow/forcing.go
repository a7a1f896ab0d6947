package shallow

import (
	"context"
	"errors"
	"math"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// sources tells the host what it needs to sum up what rain brings and what is lost.
type sources struct {
	rain        int // the number of the series that it follows, -1 for none
	wet         []float64
	evaporation bool
	soaking     bool
}

// forced takes over what works on the water, and bounds the step where it rains: on dry ground there are no waves that
// would.
func (o *outlets[F]) forced(cfg Config, init Initial, part *mesh.Part, p *kernels.Params[F]) error {
	o.sources.rain = -1
	f := cfg.Forcing
	for _, rows := range [][]series.Row{f.Rain, f.Evaporation} {
		for _, r := range rows {
			if r.Value < 0 {
				return errors.New("rain and evaporation cannot be negative")
			}
		}
	}
	if (f.WindX == nil) != (f.WindY == nil) {
		return errors.New("wind needs both of its parts")
	}
	p.Forced = f.Rain != nil || f.Evaporation != nil || f.WindX != nil || init.Infiltration != nil ||
		init.Coriolis != nil || init.Pressure != nil
	p.Longest = F(math.Inf(1))
	o.force.Drag = F(f.Drag)
	if f.WindX != nil {
		o.force.WindX, o.force.WindY = o.number(f.WindX, false), o.number(f.WindY, false)
	}
	if err := o.pressed(init.Pressure, f.Course, part); err != nil {
		return err
	}
	o.force.Turning = owned[F](init.Coriolis, part)
	o.force.Soaking = owned[F](init.Infiltration, part)
	if f.Evaporation != nil {
		o.force.Evaporation = o.number(f.Evaporation, false)
	}
	o.sources.evaporation, o.sources.soaking = f.Evaporation != nil, init.Infiltration != nil
	if o.sources.evaporation || o.sources.soaking {
		o.force.Lost = make([]kernels.Lost, part.Owned)
	}
	if f.Rain != nil {
		o.rain(f.Rain, init.Pattern, part, p)
	}
	return nil
}

// rain takes over what falls on the cells. Its series is followed even if it is one number, since it is summed up. The
// longest step is so long that what fell on dry ground in it runs no further than a cell.
func (o *outlets[F]) rain(rows []series.Row, pattern []float64, part *mesh.Part, p *kernels.Params[F]) {
	o.force.Pattern = owned[F](pattern, part)
	if len(rows) == 1 {
		o.force.Rain = int32(len(o.boundary.Now))
		o.boundary.Now = append(o.boundary.Now, F(rows[0].Value))
		o.follow(o.force.Rain, rows, func(r series.Row) float64 { return r.Value })
	} else {
		o.force.Rain = o.number(rows, false)
	}
	o.sources.rain = len(o.changing) - 1
	most := 0.0
	for _, r := range rows {
		most = max(most, r.Value)
	}
	o.sources.wet = make([]float64, part.Owned)
	longest := math.Inf(1)
	for i := range o.sources.wet {
		share := 1.0
		if pattern != nil {
			share = float64(F(pattern[i]))
		}
		area := float64(F(part.Area(i)))
		o.sources.wet[i] = share * area
		if share*most > 0 {
			longest = min(longest, math.Cbrt(area/(float64(p.Gravity)*share*most)))
		}
	}
	p.Longest = F(longest)
}

// owned are the values of a field at owned cells.
func owned[F num.Float](field []float64, part *mesh.Part) []F {
	if field == nil {
		return nil
	}
	out := make([]F, part.Owned)
	for i := range out {
		out[i] = F(field[i])
	}
	return out
}

// fallen are what rain has brought and what was lost, of which each stage counts for a part.
func (s *solver[F]) fallen(ctx context.Context, part float64) ([]Source, error) {
	var list []Source
	var sums [3]dist.Accumulator
	var rained float64
	if s.rain >= 0 {
		changing, err := s.totals()
		if err != nil {
			return nil, err
		}
		rained = part * changing[s.rain].Total
		for _, area := range s.wet {
			sums[0].Add(area)
		}
	}
	if s.evaporation || s.soaking {
		lost := make([]kernels.Lost, len(s.force.Lost))
		if err := backend.Download(s.dev, lost, s.force.Lost); err != nil {
			return nil, err
		}
		for i, l := range lost {
			area := float64(s.beds[i].Area)
			sums[1].Add(l.Evaporated * area)
			sums[2].Add(l.Soaked * area)
		}
	}
	if s.rain < 0 && !s.evaporation && !s.soaking {
		return nil, nil
	}
	if err := dist.AllreduceSum(ctx, s.comm, &sums[0], &sums[1], &sums[2]); err != nil {
		return nil, err
	}
	if s.rain >= 0 {
		list = append(list, Source{Name: "rain", V2: rained * sums[0].Float64()})
	}
	if s.evaporation {
		list = append(list, Source{Name: "evaporation", V2: 0 - part*sums[1].Float64()})
	}
	if s.soaking {
		list = append(list, Source{Name: "infiltration", V2: 0 - part*sums[2].Float64()})
	}
	return list, nil
}
