package smooth

import (
	"context"
	"errors"
	"slices"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
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
	row          []pass            // the same, and also of edges and the boundary
	whole        []pass            // all that, counts by quality and length, and the cells of the worst and best quality
	cellN, edgeN int64
}

// observation is the result for one state.
type observation struct {
	found, counters backend.Readback
	sweeps          int
}

// measured has the arrays of measures that a survey adds up, and the loops that fill them.
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

	measureCells, measureEdges pass
	measureSides               []pass // none if measureEdges measures the sides
}

// prepareObserver prepares surveys.
func (e *engine[F, V]) prepareObserver(m *measured[F]) error {
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
	passes := func(whole bool) (cells, all []pass) {
		cells = []pass{{0, survey.Sums, survey.NewClearLoop(to)}}
		cells = append(cells, e.inTurns(m.measureCells, survey.NewAddCellsLoop(whole, m.cells, to))...)
		edges := e.inTurns(m.measureEdges,
			survey.NewAddEdgesLoop(int32(m.edges), m.eachLength, m.lengthAt, whole, m.lengths, to))
		sides := pass{0, survey.Chunks(m.sides),
			survey.NewAddSidesLoop(int32(m.sides), m.eachSize, listed, m.sizes, to)}
		return cells, slices.Concat(cells, edges, m.measureSides, []pass{sides})
	}
	o.cells, o.row = passes(false)
	_, all := passes(true)
	o.whole = append(all, pass{0, len(m.cells), survey.NewFindCellsLoop(ids, m.cells, to)})
	return nil
}

// inTurns returns passes that measure all cells or edges, and add up their measures. In the host's memory they do both
// for some chunks at a time, whose measures stay in the caches.
func (e *engine[F, V]) inTurns(measure pass, add backend.Loop) (passes []pass) {
	const chunks = 8 // for each thread
	size := measure.hi
	if !e.separate {
		size = chunks * e.dev.Threads() * survey.Chunk
	}
	for lo := 0; lo < measure.hi; lo += size {
		hi := min(lo+size, measure.hi)
		passes = append(passes, pass{lo, hi, measure.loop}, pass{lo / survey.Chunk, survey.Chunks(hi), add})
	}
	return passes
}

// numbersOf returns the memory of structs of numbers as one array of numbers; cellsOf returns it as measures of cells.
func numbersOf[F num.Float, T any](a []T) []F {
	return unsafe.Slice((*F)(unsafe.Pointer(unsafe.SliceData(a))), len(a)*int(sizeOf[T]()/sizeOf[F]()))
}

func cellsOf[F num.Float, T any](a []T) []survey.Cell[F] {
	return unsafe.Slice((*survey.Cell[F])(unsafe.Pointer(unsafe.SliceData(a))), len(a))
}

// observe queues a measurement of the current mesh by passes.
func (e *engine[F, V]) observe(to *observation, passes []pass) error {
	e.run(passes)
	to.sweeps = e.Sweeps()
	return errors.Join(to.found.Start(solvers.BytesOf(e.observer.found)), to.counters.Start(solvers.BytesOf(e.counters)))
}

// survey waits for the result of a survey.
func (o *observation) survey() (*survey.Surveyed, error) {
	bytes, err := o.found.Read()
	return (*survey.Surveyed)(unsafe.Pointer(unsafe.SliceData(bytes))), err
}

// diagnosticsOf adds what ranks must reduce, and returns the diagnostics without the worst and best cell. moved and
// active are the numbers of vertices of this rank that moved and that were visited.
func (e *engine[F, V]) diagnosticsOf(of *observation, moved, active int64, to *dist.Joint) (
	dist.Result[quality.Diagnostics], error) {
	found, err := of.survey()
	if err != nil {
		return nil, err
	}
	counters, err := of.counters.Read()
	if err != nil {
		return nil, err
	}
	o, n := &e.observer, (*kernels.Counters)(unsafe.Pointer(unsafe.SliceData(counters)))
	return quality.Reduce(to, found, quality.Counted{Cells: o.cellN, Edges: o.edgeN, Moved: moved, Active: active,
		Limited: n.Limited, Refused: n.Refused}, of.sweeps, &e.start), nil
}

func (e *engine[F, V]) Observe(context.Context) error {
	result, err := e.observer.Begin()
	if err != nil {
		return err
	}
	return e.observe(result, e.observer.row)
}

func (e *engine[F, V]) Observed(to *dist.Joint) (dist.Result[quality.Diagnostics], error) {
	result, err := e.observer.End()
	if err != nil {
		return nil, err
	}
	return e.diagnosticsOf(result, 0, 0, to)
}

func (e *engine[F, V]) Diagnose(ctx context.Context) (quality.Diagnostics, error) {
	if e.diagnosed {
		return e.lastDiagnostics, nil
	}
	result := e.observer.Now()
	if err := e.observe(result, e.observer.whole); err != nil {
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
	d, err := dist.ReduceFor(ctx, e.comm, func(to *dist.Joint) (dist.Result[quality.Diagnostics], error) {
		return e.diagnosticsOf(result, moved, active, to)
	})
	if err != nil {
		return d, err
	}
	found, err := result.survey()
	if err != nil {
		return d, err
	}
	err = d.FindCells(ctx, e.comm, found, e.observer.cellN)
	e.lastDiagnostics, e.diagnosed = d, err == nil
	return d, err
}

// meanQuality returns the mean quality of the whole mesh.
func (e *engine[F, V]) meanQuality(ctx context.Context) (float64, error) {
	now := e.observer.Now()
	if err := e.observe(now, e.observer.cells); err != nil {
		return 0, err
	}
	found, err := now.survey()
	if err != nil {
		return 0, err
	}
	e.qualitySum = quality.Sum(found, survey.Qualities)
	n, sum, err := sumOverRanks(ctx, e.comm, int(e.observer.cellN), &e.qualitySum)
	return sum / float64(n), err
}
