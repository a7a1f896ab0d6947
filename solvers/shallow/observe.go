package shallow

import (
	"context"
	"errors"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// observer measures diagnostics of the owned cells on the device while steps are queued.
type observer struct {
	solvers.ObservationBuffers[observation]
	found  []kernels.Surveyed // the result of a survey on the device, one element
	clear  backend.Loop       // clears found
	survey [2]backend.Loop    // one for each array of states
}

// observation is the result of a survey of one state. The host knows the CFL number and the sources when it is queued.
type observation struct {
	cells, counters backend.Readback
	courant         float64 // Diagnostics.CFLMax
	sources         []Source
}

// prepareObserver prepares surveys of the owned cells.
func (a *arrays[F]) prepareObserver(beds []kernels.Bed[F], owned int) error {
	o, p := &a.observer, &a.allocated
	o.found = backend.Fresh[kernels.Surveyed](p, 1, "diagnostics")
	if p.Err() != nil {
		return p.Err()
	}
	for _, observation := range o.All() {
		var err error
		if observation.cells, err = backend.NewReadback(p.Device, int(unsafe.Sizeof(kernels.Surveyed{}))); err != nil {
			return err
		}
		p.Owns(observation.cells)
		if observation.counters, err = backend.NewReadback(p.Device, int(unsafe.Sizeof(kernels.Counters{}))); err != nil {
			return err
		}
		p.Owns(observation.counters)
	}
	o.clear = kernels.NewClearSurveyLoop(&o.found[0])
	for k := range o.survey {
		o.survey[k] = kernels.NewSurveyLoop(int32(owned), &a.params, beds, a.state[k], &o.found[0])
	}
	return nil
}

// observe queues a measurement of the current state.
func (s *solver[F]) observe(ctx context.Context, to *observation) (err error) {
	if err := s.quiesce(ctx); err != nil {
		return err
	}
	o := &s.observer
	s.dev.Run(o.clear, 0, kernels.Sums+kernels.Extremes)
	s.dev.Run(o.survey[s.now.from()], 0, kernels.SurveyChunks(s.part.Owned))
	err = errors.Join(to.cells.Start(solvers.BytesOf(o.found)), to.counters.Start(solvers.BytesOf(s.counters)))
	if err != nil {
		return err
	}
	to.courant = s.hostClock[0].Courant
	to.sources, err = s.allSources(ctx)
	return err
}

// diagnosticsOf combines the results of all ranks.
func (s *solver[F]) diagnosticsOf(ctx context.Context, o *observation, to *dist.Joint) (dist.Result[Diagnostics],
	error) {
	if _, err := s.reducer.latest(ctx); err != nil {
		return nil, err
	}
	cells, err := o.cells.Read()
	if err != nil {
		return nil, err
	}
	counters, err := o.counters.Read()
	if err != nil {
		return nil, err
	}
	found := (*kernels.Surveyed)(unsafe.Pointer(unsafe.SliceData(cells)))
	var sums [kernels.Sums / exact.Words]dist.Accumulator
	for k := range sums {
		sums[k].AddWords((*[exact.Words]int64)(found.Sums[k*exact.Words:]))
		to.Sum(&sums[k])
	}
	extremes := make([]float64, kernels.Extremes)
	for k, bits := range found.Extremes {
		extremes[k] = exact.FromOrderedBits(bits)
	}
	to.MaxFloat64(extremes)
	counted := *(*kernels.Counters)(unsafe.Pointer(unsafe.SliceData(counters)))
	edges := []int64{counted.ComplexEdges, counted.LimitedFluxes}
	to.SumInt64(edges)
	sum := func(first int) float64 { return sums[first/exact.Words].Float64() }
	return func(context.Context) (Diagnostics, error) {
		return Diagnostics{Mass1: sum(kernels.Mass1), Mass2: sum(kernels.Mass2), Z1AbsIntegral: sum(kernels.AbsZ1),
			H2SqIntegral: sum(kernels.SquareH2), H1Max: extremes[kernels.MaxH1], H1Min: -extremes[kernels.NegMinH1],
			H2Max: extremes[kernels.MaxH2], H2Min: -extremes[kernels.NegMinH2], SpeedMax: extremes[kernels.MaxSpeed],
			ComplexEdges: edges[0], LimitedFluxes: edges[1], CFLMax: o.courant, Sources: o.sources}, nil
	}, nil
}

func (s *solver[F]) Diagnose(ctx context.Context) (Diagnostics, error) {
	now := s.observer.Now()
	if err := s.observe(ctx, now); err != nil {
		return Diagnostics{}, err
	}
	return dist.ReduceFor(ctx, s.comm, func(to *dist.Joint) (dist.Result[Diagnostics], error) {
		return s.diagnosticsOf(ctx, now, to)
	})
}

func (s *solver[F]) Observe(ctx context.Context) error {
	next, err := s.observer.Begin()
	if err != nil {
		return err
	}
	return s.observe(ctx, next)
}

func (s *solver[F]) Observed(ctx context.Context, to *dist.Joint) (dist.Result[Diagnostics], error) {
	earliest, err := s.observer.End()
	if err != nil {
		return nil, err
	}
	return s.diagnosticsOf(ctx, earliest, to)
}
