package smooth

import (
	"context"
	"errors"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/survey"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
)

// observer measures the mesh on the device while sweeps are queued.
type observer struct {
	solvers.ObservationBuffers[observation]
	found        []survey.Surveyed // one element
	cells        []pass            // measure the cells, and add them up
	others       []pass            // the same of edges and the boundary, and find the worst cell
	cellN, edgeN int64
}

// observation is the result for one state.
type observation struct {
	found, counters backend.Readback
	sweeps          int
}

// measured has the arrays of measures that a survey adds up.
type measured[F num.Float] struct {
	ids                  []int32          // of the cells, in the host's memory
	cells                []survey.Cell[F] // with their measures
	edges                int
	lengths              []F // in the metric: that of edge k is lengths[lengthAt + k*eachLength]
	eachLength, lengthAt int32
	listed               []int32 // sides of the boundary to add up, in the host's memory; all if empty
	sides                int     // of the boundary
	sizes                []F     // lengths or areas: that of side k is sizes[k*eachSize]
	eachSize             int32
}

// prepareObserver prepares surveys: measureCells and measureOthers are the loops that fill the arrays m.
func (e *engine[F, V]) prepareObserver(m *measured[F], measureCells pass, measureOthers []pass) error {
	o, b := &e.observer, &e.allocated
	o.found = backend.Fresh[survey.Surveyed](b, 1, "diagnostics")
	ids, listed := backend.Uploaded(b, m.ids, "cells"), backend.Uploaded(b, m.listed, "boundary")
	if b.Err() != nil {
		return b.Err()
	}
	for _, result := range o.All() {
		var err error
		if result.found, err = backend.NewReadback(e.dev, int(unsafe.Sizeof(survey.Surveyed{}))); err != nil {
			return err
		}
		b.Owns(result.found)
		if result.counters, err = backend.NewReadback(e.dev, int(unsafe.Sizeof(kernels.Counters{}))); err != nil {
			return err
		}
		b.Owns(result.counters)
	}
	o.cellN, o.edgeN = int64(len(m.cells)), int64(m.edges)
	to := &o.found[0]
	o.cells = []pass{{0, survey.Sums, survey.NewClearLoop(to)}, measureCells,
		{0, survey.Chunks(len(m.cells)), survey.NewAddCellsLoop(m.cells, to)}}
	o.others = append(measureOthers,
		pass{0, survey.Chunks(m.edges), survey.NewAddEdgesLoop(int32(m.edges), m.eachLength, m.lengthAt, m.lengths, to)},
		pass{0, survey.Chunks(m.sides), survey.NewAddSidesLoop(int32(m.sides), m.eachSize, listed, m.sizes, to)},
		pass{0, len(m.cells), survey.NewFindCellsLoop(ids, m.cells, to)})
	return nil
}

// numbersOf returns the memory of structs of numbers as one array of numbers; cellsOf returns it as measures of cells.
func numbersOf[F num.Float, T any](a []T) []F {
	return unsafe.Slice((*F)(unsafe.Pointer(unsafe.SliceData(a))), len(a)*int(sizeOf[T]()/sizeOf[F]()))
}

func cellsOf[F num.Float, T any](a []T) []survey.Cell[F] {
	return unsafe.Slice((*survey.Cell[F])(unsafe.Pointer(unsafe.SliceData(a))), len(a))
}

// observe queues a measurement of the current mesh.
func (e *engine[F, V]) observe(to *observation) error {
	e.run(e.observer.cells)
	e.run(e.observer.others)
	to.sweeps = e.Sweeps()
	return errors.Join(to.found.Start(solvers.BytesOf(e.observer.found)), to.counters.Start(solvers.BytesOf(e.counters)))
}

// diagnosticsOf combines the results of all ranks. moved and active are the numbers of vertices of this rank that moved
// and that were visited.
func (e *engine[F, V]) diagnosticsOf(ctx context.Context, of *observation, moved, active int64) (quality.Diagnostics,
	error) {
	found, err := of.found.Read()
	if err != nil {
		return quality.Diagnostics{}, err
	}
	counters, err := of.counters.Read()
	if err != nil {
		return quality.Diagnostics{}, err
	}
	o, n := &e.observer, (*kernels.Counters)(unsafe.Pointer(unsafe.SliceData(counters)))
	return quality.Reduce(ctx, e.comm, (*survey.Surveyed)(unsafe.Pointer(unsafe.SliceData(found))), quality.Counted{
		Cells: o.cellN, Edges: o.edgeN, Moved: moved, Active: active, Limited: n.Limited, Refused: n.Refused}, of.sweeps,
		&e.start)
}

func (e *engine[F, V]) Observe(context.Context) error {
	result, err := e.observer.Begin()
	if err != nil {
		return err
	}
	return e.observe(result)
}

func (e *engine[F, V]) Observed(ctx context.Context) (quality.Diagnostics, error) {
	result, err := e.observer.End()
	if err != nil {
		return quality.Diagnostics{}, err
	}
	return e.diagnosticsOf(ctx, result, 0, 0)
}

func (e *engine[F, V]) Diagnose(ctx context.Context) (quality.Diagnostics, error) {
	if e.diagnosed {
		return e.lastDiagnostics, nil
	}
	result := e.observer.Now()
	if err := e.observe(result); err != nil {
		return quality.Diagnostics{}, err
	}
	moved, err := e.countMoved()
	if err != nil {
		return quality.Diagnostics{}, err
	}
	active, err := e.countActive()
	if err != nil {
		return quality.Diagnostics{}, err
	}
	e.lastDiagnostics, err = e.diagnosticsOf(ctx, result, moved, active)
	e.diagnosed = err == nil
	return e.lastDiagnostics, err
}

// meanQuality returns the mean quality of the whole mesh.
func (e *engine[F, V]) meanQuality(ctx context.Context) (float64, error) {
	e.run(e.observer.cells)
	result := e.observer.Now()
	if err := result.found.Start(solvers.BytesOf(e.observer.found)); err != nil {
		return 0, err
	}
	bytes, err := result.found.Read()
	if err != nil {
		return 0, err
	}
	found := (*survey.Surveyed)(unsafe.Pointer(unsafe.SliceData(bytes)))
	e.qualitySum = dist.Accumulator{}
	e.qualitySum.AddWords((*[exact.Words]int64)(found.Sums[survey.Qualities:]))
	n, sum, err := sumOverRanks(ctx, e.comm, int(e.observer.cellN), &e.qualitySum)
	return sum / float64(n), err
}
