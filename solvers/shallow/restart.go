package shallow

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/engine"
)

// saved are the parts of the clock that solvers.Clock does not have, the latest minimum of all ranks' limits, which
// lagged steps use later, the counters, the integrals of series, what structures have done, and what a
// driver has set.
func (s *solver[F]) saved() []engine.Scalar {
	c := &s.clock.Host[0]
	number := func(name string, v *F) engine.Scalar {
		return engine.Scalar{Name: name, Get: func() float64 { return float64(*v) }, Put: func(x float64) { *v = F(x) }}
	}
	list := []engine.Scalar{number("limit", &c.Limit), number("before", &c.EarlierDt), number("full", &c.Full),
		engine.SavesNumber("courant", &c.Courant),
		{Name: "waves", Get: func() float64 { return float64(s.lengths.combined(s.now()).Value()) },
			Put: func(x float64) {
				s.lengths.combined(s.now()).Reset()
				s.lengths.combined(s.now()).Take(F(x))
			}},
		engine.Saves("complex_edges", s.counters, "ComplexEdges"),
		engine.Saves("limited_fluxes", s.counters, "LimitedFluxes")}
	s.budget.totals = make([]float64, len(s.series))
	for k := range s.budget.totals {
		list = append(list, engine.SavesNumber(fmt.Sprintf("series_%d", k), &s.budget.totals[k]))
	}
	return slices.Concat(list, s.works.Saved(), s.weather.Saved(), s.inputs.saved())
}

// forgetCopies marks what the host has of the state as outdated.
func (s *solver[F]) forgetCopies() {
	s.copies.forget()
	s.samples.selected = false
}

// restored recomputes what depends on the state.
func (s *solver[F]) restored(ctx context.Context) error {
	c, at := &s.clock.Host[0], s.Clock()
	c.Time, c.Steps, c.LastDt = at.Time, int64(at.Steps), F(at.Dt)
	s.forgetCopies()
	s.extremes.hostStep = -1
	if err := s.forgetDry(); err != nil {
		return err
	}
	if err := s.copies.resetBed(); err != nil {
		return err
	}
	series, err := s.budget.seriesTotals()
	if err != nil {
		return err
	}
	for k := range series {
		series[k].Total = s.budget.totals[k]
	}
	if err := errors.Join(s.works.Restore(), s.inputs.restore(), s.weather.Restore(ctx, at.Time)); err != nil {
		return err
	}
	return backend.Upload(s.dev, s.series, series)
}
