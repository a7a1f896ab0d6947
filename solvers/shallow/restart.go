package shallow

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

func (s *solver[F]) StateField(on *solvers.Space) solvers.Field {
	f := s.field(on, nil)
	f.View = func() solvers.View { return solvers.ViewOf[F](s.dev, s.current(), 0) }
	return f
}

func (s *solver[F]) ValueFromState(name string) func(cell int, state []byte) float64 {
	if len(s.uplift.Rises) > 0 {
		return nil
	}
	return func(cell int, state []byte) float64 {
		return s.quantity(name, float64(s.beds[cell].Depth), (*kernels.State[F])(unsafe.Pointer(unsafe.SliceData(state))))
	}
}

// field returns a state in all cells of the part as a field.
func (s *solver[F]) field(on *solvers.Space, w []kernels.State[F]) solvers.Field {
	return solvers.Field{Name: "state", Doc: "thicknesses in m and mass flows in m²/s", Space: on,
		Hashed: true, Saved: true,
		Components: []string{"h1", "q1x", "q1y", "h2", "q2x", "q2y"}, NotNegative: []string{"h1", "h2"},
		View: func() solvers.View { return solvers.ViewOf[F](s.dev, w, 0) }}
}

// visibleField is field for messages: with one layer, it has the components of this layer only.
func (s *solver[F]) visibleField(on *solvers.Space, w []kernels.State[F]) solvers.Field {
	f := s.field(on, w)
	if s.oneLayer {
		f.Components, f.NotNegative = []string{"h", "qx", "qy"}, []string{"h"}
		f.View = func() solvers.View {
			return solvers.ViewOf[F](s.dev, w, unsafe.Offsetof(kernels.State[F]{}.H2))
		}
	}
	return f
}

func (s *solver[F]) BudgetFields() (list []solvers.Field) {
	if len(s.openGroups) > 0 {
		edges := &solvers.Space{Name: "edge", Owned: len(s.outletKeys), Key: func(i int) int64 { return s.outletKeys[i] }}
		list = append(list, solvers.Field{Name: "passed", Unit: "m³", Doc: "what has left since the start", Space: edges,
			Saved: true, Components: []string{"v1", "v2"},
			View: func() solvers.View { return solvers.ViewOf[float64](s.dev, s.boundary.Passed, 0) }})
	}
	if s.evaporation || s.infiltration {
		cells := &solvers.Space{Name: "cell", Owned: s.part.Owned, Key: func(i int) int64 { return int64(s.part.Global[i]) }}
		list = append(list, solvers.Field{Name: "lost", Unit: "m", Doc: "what was lost since the start", Space: cells,
			Saved: true, Components: []string{"evaporated", "soaked", "fallen"},
			View: func() solvers.View { return solvers.ViewOf[float64](s.dev, s.forcing.Lost, 0) }})
	}
	return list
}

// seriesTotals returns the series with their integrals since the start.
func (s *solver[F]) seriesTotals() ([]kernels.Series, error) {
	list := make([]kernels.Series, len(s.series))
	return list, backend.Download(s.dev, list, s.series)
}

func (s *solver[F]) Quiesce(ctx context.Context) error { return s.quiesce(ctx) }

// Scalars returns the parts of the clock that solvers.Clock does not have, the latest minimum of all ranks' limits,
// which lagged steps use later, the counters, and the integrals of series.
func (s *solver[F]) Scalars(ctx context.Context) (map[string]float64, error) {
	n, err := s.sumCounters(ctx)
	if err != nil {
		return nil, err
	}
	series, err := s.seriesTotals()
	c := &s.hostClock[0]
	all := map[string]float64{
		"limit": float64(c.Limit), "before": float64(c.EarlierDt), "full": float64(c.Full), "courant": c.Courant,
		"waves":         s.reducer.last,
		"complex_edges": float64(n.ComplexEdges), "limited_fluxes": float64(n.LimitedFluxes),
	}
	for k := range series {
		all[totalName(k)] = series[k].Total
	}
	return all, err
}

// totalName is the name of the integral of series k.
func totalName(k int) string { return fmt.Sprintf("series_%d", k) }

// sumCounters returns the sums of all ranks' counters on the devices.
func (s *solver[F]) sumCounters(ctx context.Context) (kernels.Counters, error) {
	counters := make([]kernels.Counters, 1)
	if err := backend.Download(s.dev, counters, s.counters); err != nil {
		return kernels.Counters{}, err
	}
	n := []int64{counters[0].ComplexEdges, counters[0].LimitedFluxes}
	err := s.comm.AllreduceInt64(ctx, dist.Sum, n)
	return kernels.Counters{ComplexEdges: n[0], LimitedFluxes: n[1]}, err
}

func (s *solver[F]) Restore(ctx context.Context, at solvers.Clock, scalars map[string]float64,
	fill func() error) error {
	if err := s.quiesce(ctx); err != nil {
		return err
	}
	if err := s.finishExchange(ctx); err != nil {
		return err
	}
	if err := fill(); err != nil {
		return err
	}
	c := &s.hostClock[0]
	c.Time, c.Steps, c.LastDt, c.EarlierDt = at.Time, int64(at.Steps), F(at.Dt), F(scalars["before"])
	c.Limit, c.Full, c.Courant = F(scalars["limit"]), F(scalars["full"]), scalars["courant"]
	s.reducer.last = scalars["waves"]
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
		series[k].Total = scalars[totalName(k)]
	}
	if err := backend.Upload(s.dev, s.series, series); err != nil {
		return err
	}
	var counted kernels.Counters // of all ranks, on one
	if s.comm.Rank() == 0 {
		counted = kernels.Counters{ComplexEdges: int64(scalars["complex_edges"]),
			LimitedFluxes: int64(scalars["limited_fluxes"])}
	}
	return backend.Upload(s.dev, s.counters, []kernels.Counters{counted})
}
