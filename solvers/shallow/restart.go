package shallow

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/engine"
)

// saved are the parts of the clock that solvers.Clock does not have, the latest minimum of all ranks' limits, which
// lagged steps use later, the counters, and the integrals of series.
func (s *solver[F]) saved() []engine.Scalar {
	c := &s.clock.Host[0]
	number := func(name string, v *F) engine.Scalar {
		return engine.Scalar{Name: name, Get: func() float64 { return float64(*v) }, Put: func(x float64) { *v = F(x) }}
	}
	list := []engine.Scalar{number("limit", &c.Limit), number("before", &c.EarlierDt), number("full", &c.Full),
		engine.SavesNumber("courant", &c.Courant),
		{Name: "waves", Get: func() float64 { return float64(s.combined(s.now()).Value()) },
			Put: func(x float64) {
				s.combined(s.now()).Reset()
				s.combined(s.now()).Take(F(x))
			}},
		engine.Saves("complex_edges", s.counters, "ComplexEdges"),
		engine.Saves("limited_fluxes", s.counters, "LimitedFluxes")}
	s.totals = make([]float64, len(s.series))
	for k := range s.totals {
		list = append(list, engine.SavesNumber(fmt.Sprintf("series_%d", k), &s.totals[k]))
	}
	return list
}

// readTotals reads the integrals of series, which are saved.
func (s *solver[F]) readTotals(context.Context) error {
	series, err := s.seriesTotals()
	for k := range series {
		s.totals[k] = series[k].Total
	}
	return err
}

// restored recomputes what depends on the state.
func (s *solver[F]) restored(context.Context) error {
	c, at := &s.clock.Host[0], s.Clock()
	c.Time, c.Steps, c.LastDt = at.Time, int64(at.Steps), F(at.Dt)
	s.forgetHostState()
	s.hostPeaksStep = -1
	if err := s.resetBed(); err != nil {
		return err
	}
	series, err := s.seriesTotals()
	if err != nil {
		return err
	}
	for k := range series {
		series[k].Total = s.totals[k]
	}
	return backend.Upload(s.dev, s.series, series)
}
