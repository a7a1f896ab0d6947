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
	found  []kernels.Surveyed // one element
	clear  backend.Loop
	survey [2]backend.Loop // by state
}

// observation is the result for one state. The host knows the sources at once.
type observation struct {
	cells, counters backend.Readback
	courant         float64
	sources         []Source
}

// prepareObserver prepares surveys of the owned cells.
func (a *arrays[F]) prepareObserver(beds []kernels.Bed[F], owned int) error {
	o, p := &a.observer, &a.allocated
	o.found = backend.Fresh[kernels.Surveyed](p, 1, "diagnostics")
	if p.Err() != nil {
		return p.Err()
	}
	for _, room := range o.All() {
		var err error
		if room.cells, err = backend.NewReadback(p.Device, int(unsafe.Sizeof(kernels.Surveyed{}))); err != nil {
			return err
		}
		p.Owns(room.cells)
		if room.counters, err = backend.NewReadback(p.Device, int(unsafe.Sizeof(kernels.Counters{}))); err != nil {
			return err
		}
		p.Owns(room.counters)
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
	if err := errors.Join(to.cells.Start(asBytes(o.found)), to.counters.Start(asBytes(s.counters))); err != nil {
		return err
	}
	to.courant = s.hostClock[0].Courant
	to.sources, err = s.allSources(ctx)
	return err
}

func asBytes[T any](a []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a))), len(a)*int(unsafe.Sizeof(t)))
}

// diagnosticsOf combines the results of all ranks.
func (s *solver[F]) diagnosticsOf(ctx context.Context, of *observation) (d Diagnostics, err error) {
	if _, err := s.reducer.latest(ctx); err != nil {
		return d, err
	}
	cells, err := of.cells.Read()
	if err != nil {
		return d, err
	}
	counters, err := of.counters.Read()
	if err != nil {
		return d, err
	}
	found := (*kernels.Surveyed)(unsafe.Pointer(unsafe.SliceData(cells)))
	var sums [kernels.Sums / exact.Words]dist.Accumulator
	all := make([]*dist.Accumulator, len(sums))
	for k := range sums {
		sums[k].AddWords((*[exact.Words]int64)(found.Sums[k*exact.Words:]))
		all[k] = &sums[k]
	}
	if err := dist.AllreduceSum(ctx, s.comm, all...); err != nil {
		return d, err
	}
	most := make([]float64, kernels.Extremes)
	for k, rank := range found.Extremes {
		most[k] = exact.FromRank(rank)
	}
	if err := s.comm.AllreduceFloat64(ctx, dist.Max, most); err != nil {
		return d, err
	}
	counted, err := s.reduceCounters(ctx, (*kernels.Counters)(unsafe.Pointer(unsafe.SliceData(counters))))
	if err != nil {
		return d, err
	}
	sum := func(first int) float64 { return sums[first/exact.Words].Float64() }
	return Diagnostics{Mass1: sum(kernels.Mass1), Mass2: sum(kernels.Mass2), Z1AbsIntegral: sum(kernels.AbsZ1),
		H2SqIntegral: sum(kernels.SquareH2), H1Max: most[kernels.MaxH1], H1Min: -most[kernels.NegMinH1],
		H2Max: most[kernels.MaxH2], H2Min: -most[kernels.NegMinH2], SpeedMax: most[kernels.MaxSpeed],
		ComplexEdges: counted.ComplexEdges, LimitedFluxes: counted.LimitedFluxes, CFLMax: of.courant,
		Sources: of.sources}, nil
}

func (s *solver[F]) Diagnose(ctx context.Context) (Diagnostics, error) {
	room := s.observer.Now()
	if err := s.observe(ctx, room); err != nil {
		return Diagnostics{}, err
	}
	return s.diagnosticsOf(ctx, room)
}

func (s *solver[F]) Observe(ctx context.Context) error {
	room, err := s.observer.Begin()
	if err != nil {
		return err
	}
	return s.observe(ctx, room)
}

func (s *solver[F]) Observed(ctx context.Context) (Diagnostics, error) {
	room, err := s.observer.End()
	if err != nil {
		return Diagnostics{}, err
	}
	return s.diagnosticsOf(ctx, room)
}
