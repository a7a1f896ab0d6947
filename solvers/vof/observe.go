package vof

import (
	"context"
	"errors"
	"math"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// observer measures diagnostics on the device while steps are queued.
type observer[F num.Float] struct {
	reference    []float64    // field with which errors are computed, in the block's own cells
	referenceSum float64      // sum of reference over all ranks if it is not the initial field; otherwise 0
	clear        backend.Loop // clears found
	// The following loops are for the two fields with which a step may end.
	planes [2]indexedLoop // reconstruct all mixed cells, if planes are stored
	sizes  [2]indexedLoop // compute the size of the interface in mixed cells, for rowSurvey
	survey [2]surveyLoops
	found  []int64 // results of a survey on the device: kernels.SurveyWords
	solvers.ObservationBuffers[observation]
}

// surveyLoops are surveys of the same field with and without errors.
type surveyLoops struct{ withErrors, withoutErrors indexedLoop }

// observation is the result of a survey of one state.
type observation struct {
	report  backend.Readback
	steps   int
	longest float64 // the largest step so far
	errors  bool    // the survey is one with errors
}

// prepare makes the loops of a survey. start is the initial volume fraction of each cell of the block.
func (o *observer[F]) prepare(s *solver[F], start []float64) error {
	b, a := s.block, &s.allocated
	o.reference = backend.Uploaded(a, start, "reference volume fractions")
	o.found = backend.Fresh[int64](a, kernels.SurveyWords, "diagnostics")
	if a.Err() != nil {
		return a.Err()
	}
	for _, observation := range o.All() {
		r, err := backend.NewReadback(s.dev, kernels.SurveyWords*int(unsafe.Sizeof(int64(0))))
		if err != nil {
			return err
		}
		observation.report = r
		a.Owns(r)
	}
	o.clear = kernels.NewClearSurveyLoop(o.found)
	own, layout, h := abi.Box{Hi: b.N}, lattice(b), s.cellSides()
	for k, f := range s.fields[:len(o.survey)] {
		if f == nil {
			continue
		}
		newSurvey := func(errors bool) (*kernels.Survey[F], int) {
			return kernels.NewSurvey(layout, b.N, h, roundOff[F](), f, errors, o.reference, o.found)
		}
		m, tiles := newSurvey(true)
		short, _ := newSurvey(false)
		if b.Grid.Dim == 2 {
			of := &kernels.Sweep2[F]{Lattice: layout, Normal: s.cfg.normalMethod(), Stored: s.costlyNormals,
				DifferenceStep: differenceStep[F](),
				RoundOff:       roundOff[F](), F: f, Planes: s.planes2}
			o.planes[k] = s.narrowBand.restrict(kernels.NewReconstruct2Loop(own, of), own)
			o.sizes[k] = s.narrowBand.restrict(kernels.NewSize2Loop(own, m, of, s.fields[1]), own)
			o.survey[k] = surveyLoops{wholeLoop(kernels.NewSurvey2Loop(m, of), tiles),
				wholeLoop(kernels.NewSurvey2Loop(short, of), tiles)}
		} else {
			of := &kernels.Sweep3[F]{Lattice: layout, Normal: s.cfg.normalMethod(), Stored: s.costlyNormals,
				DifferenceStep: differenceStep[F](),
				RoundOff:       roundOff[F](), F: f, Planes: s.planes3}
			o.planes[k] = s.narrowBand.restrict(kernels.NewReconstruct3Loop(own, of), own)
			o.sizes[k] = s.narrowBand.restrict(kernels.NewSize3Loop(own, m, of, s.fields[1]), own)
			o.survey[k] = surveyLoops{wholeLoop(kernels.NewSurvey3Loop(m, of), tiles),
				wholeLoop(kernels.NewSurvey3Loop(short, of), tiles)}
		}
		if s.narrowBand != nil { // the second field is free between steps, in mixed cells
			byRows := func(errors bool) indexedLoop {
				return wholeLoop(&rowSurvey[F]{b, roundOff[F](), f, s.fields[1], errors, o.reference, o.found}, b.N[1]*b.N[2])
			}
			o.survey[k] = surveyLoops{byRows(true), byRows(false)}
		}
	}
	return nil
}

// SetReference replaces the field with which errors are computed, initially that at the start. All ranks call it.
func (s *solver[F]) SetReference(ctx context.Context, fractions []float64) error {
	var sum dist.Accumulator
	for _, f := range fractions {
		sum.Add(f)
	}
	if err := dist.AllreduceSum(ctx, s.comm, &sum); err != nil {
		return err
	}
	s.observer.referenceSum = sum.Float64()
	return backend.Upload(s.dev, s.observer.reference, fractions)
}

// queueSurvey queues a survey of the current state, with or without errors.
func (s *solver[F]) queueSurvey(ctx context.Context, to *observation, errors bool) error {
	if err := s.fillGhosts(ctx); err != nil {
		return err
	}
	o, now := &s.observer, s.currentField()
	s.dev.Run(o.clear, 0, len(o.found))
	if s.costlyNormals {
		s.run(o.planes[now])
	}
	if s.narrowBand != nil {
		s.run(o.sizes[now])
	}
	survey := o.survey[now].withoutErrors
	if errors {
		survey = o.survey[now].withErrors
	}
	s.run(survey)
	to.steps, to.longest, to.errors = s.steps, s.longest, errors
	return to.report.Start(solvers.BytesOf(o.found))
}

func (s *solver[F]) Observe(ctx context.Context) error {
	next, err := s.observer.Begin()
	if err != nil {
		return err
	}
	return s.queueSurvey(ctx, next, false)
}

func (s *solver[F]) Observed(to *dist.Joint) (dist.Result[Diagnostics], error) {
	earliest, err := s.observer.End()
	if err != nil {
		return nil, err
	}
	return s.diagnosticsOf(earliest, to)
}

func (s *solver[F]) Diagnose(ctx context.Context) (Diagnostics, error) {
	now := s.observer.Now()
	if err := s.queueSurvey(ctx, now, true); err != nil {
		return Diagnostics{}, err
	}
	return dist.ReduceFor(ctx, s.comm, func(to *dist.Joint) (dist.Result[Diagnostics], error) {
		return s.diagnosticsOf(now, to)
	})
}

// diagnosticsOf combines the results of all ranks.
func (s *solver[F]) diagnosticsOf(o *observation, to *dist.Joint) (dist.Result[Diagnostics], error) {
	bytes, err := o.report.Read()
	if err != nil {
		return nil, err
	}
	found := unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(bytes))), kernels.SurveyWords)
	var volume, change, size dist.Accumulator
	volume.AddWords((*[exact.Words]int64)(found[kernels.SurveyVolume:]))
	change.AddWords((*[exact.Words]int64)(found[kernels.SurveyChange:]))
	size.AddWords((*[exact.Words]int64)(found[kernels.SurveySize:]))
	to.Sum(&volume, &change, &size)
	mixed := []int64{found[kernels.SurveyMixed]}
	to.SumInt64(mixed)
	broken := found[kernels.SurveyBroken]
	maxima := []int64{found[kernels.SurveyExcess], min(broken, 1)}
	to.MaxInt64(maxima)
	return func(ctx context.Context) (d Diagnostics, err error) {
		if maxima[1] != 0 {
			return d, s.invalidAt(ctx, o.steps, broken)
		}
		cell := s.block.Grid.CellVolume()
		d = Diagnostics{Volume: volume.Float64() * cell, BoundExcess: math.Float64frombits(uint64(maxima[0])),
			MixedCells: mixed[0], InterfaceSize: size.Float64(), DivergenceMax: s.rates[2],
			CFLSum: o.longest * s.rates[0], CFLAxis: o.longest * s.rates[1]}
		if s.volume > 0 {
			d.VolumeDrift = (d.Volume - s.volume) / s.volume
		}
		if !o.errors {
			return d, nil
		}
		d.L1Error = change.Float64() * cell
		if sum := s.observer.referenceSum; sum > 0 {
			d.RelError = change.Float64() / sum
		} else if s.volume > 0 {
			d.RelError = d.L1Error / s.volume
		}
		return d, nil
	}, nil
}

// invalidAt describes the first volume fraction that was not finite after some steps; word is this rank's result of
// the survey.
func (s *solver[F]) invalidAt(ctx context.Context, steps int, word int64) error {
	cell, f := kernels.BrokenCell(word)
	text, err := solvers.DescribeInvalid(ctx, s.comm, steps, &s.state()[0], cell, []float64{f})
	if err != nil {
		return err
	}
	return &solvers.InvalidState{Err: errors.New(text)}
}
