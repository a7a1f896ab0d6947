package smooth

import (
	"context"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/survey"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
	"github.com/atoll-hpc/atoll/solvers/smooth/rescaling"
)

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

	measureCells, measureEdges engine.Task
	measureSides               []engine.Task // none if measureEdges measures the sides
}

// surveys makes the loops that measure the cells, and add them up; for a row the same, and also of edges and the
// boundary; and for the whole all that, counts by quality and length, and the cells of the worst and best quality.
func (e *surveyor[F, V]) surveys(m *measured[F]) (cells, row, whole []engine.Task) {
	t, to := e.Table(), e.found.At()
	ids := engine.Input(t, "cells", len(m.ids), func() []int32 { return m.ids }).Data
	listed := engine.Input(t, "boundary", len(m.listed), func() []int32 { return m.listed }).Data
	e.cellN, e.edgeN = int64(len(m.cells)), int64(m.edges)
	tasks := func(whole bool) (cells, all []engine.Task) {
		cells = []engine.Task{engine.Whole(survey.NewClearLoop(to), survey.Sums)}
		cells = append(cells, e.inTurns(m.measureCells, survey.NewAddCellsLoop(whole, m.cells, to))...)
		edges := e.inTurns(m.measureEdges,
			survey.NewAddEdgesLoop(int32(m.edges), m.eachLength, m.lengthAt, whole, m.lengths, to))
		sides := engine.Whole(survey.NewAddSidesLoop(int32(m.sides), m.eachSize, listed, m.sizes, to),
			survey.Chunks(m.sides))
		all = append(append(append([]engine.Task{}, cells...), edges...), m.measureSides...)
		return cells, append(all, sides)
	}
	cells, row = tasks(false)
	_, whole = tasks(true)
	return cells, row, append(whole, engine.Whole(survey.NewFindCellsLoop(ids, m.cells, to), len(m.cells)))
}

// inTurns returns loops that measure all cells or edges, and add up their measures. In the host's memory they do both
// for some chunks at a time, whose measures stay in the caches.
func (e *surveyor[F, V]) inTurns(measure engine.Task, add backend.Loop) (tasks []engine.Task) {
	const chunks = 8 // for each thread
	size := measure.Hi
	if !e.separate {
		size = chunks * e.Env().Device.Threads() * survey.Chunk
	}
	for lo := 0; lo < measure.Hi; lo += size {
		hi := min(lo+size, measure.Hi)
		tasks = append(tasks, engine.Task{Loop: measure.Loop, Lo: lo, Hi: hi},
			engine.Task{Loop: add, Lo: lo / survey.Chunk, Hi: survey.Chunks(hi)})
	}
	return tasks
}

// numbersOf returns the memory of structs of numbers as one array of numbers; cellsOf returns it as measures of cells.
func numbersOf[F num.Float, T any](a []T) []F {
	return unsafe.Slice((*F)(unsafe.Pointer(unsafe.SliceData(a))), len(a)*int(sizeOf[T]()/sizeOf[F]()))
}

func cellsOf[F num.Float, T any](a []T) []survey.Cell[F] {
	return unsafe.Slice((*survey.Cell[F])(unsafe.Pointer(unsafe.SliceData(a))), len(a))
}

// measures declares what is measured: rows of tables find no worst and best cell, mean length and histograms, and count
// no moved and visited vertices.
func (e *surveyor[F, V]) measures(m *engine.Measures, row, whole []engine.Task) {
	m.Program = func(p *engine.Program, _ int, forRow bool) {
		if forRow {
			p.Run(row...)
			return
		}
		p.Run(whole...)
		p.Host(e.countVertices)
	}
	found, counters := engine.Measured(m, e.found), engine.Measured(m, e.counters)
	cells, edges, moved, active := m.Count(&e.cellN), m.Count(&e.edgeN), m.Count(&e.movedN), m.Count(&e.activeN)
	m.Quantities = func(ctx context.Context, o *engine.Observation) ([]solvers.Quantity, error) {
		all, n := found.All(o), counters.All(o)
		counted := quality.Counted{Cells: o.Count(cells), Edges: o.Count(edges), Limited: n.Limited, Refused: n.Refused}
		if !o.Row {
			counted.Moved, counted.Active = o.Count(moved), o.Count(active)
		}
		d := quality.Of(&all, counted, o.Steps, &e.start)
		if !o.Row {
			own := found.Own(o)
			if err := d.FindCells(ctx, e.Env().Comm, &own, e.cellN); err != nil {
				return nil, err
			}
		}
		e.lastDiagnostics = d
		return nil, nil
	}
}

// countVertices counts the vertices that have moved, and those that the last sweep visited.
func (e *surveyor[F, V]) countVertices(context.Context) (err error) {
	if e.movedN, err = e.countMoved(); err != nil {
		return err
	}
	e.activeN, err = e.countActive()
	return err
}

// Diagnose measures the mesh.
func (e *surveyor[F, V]) Diagnose(ctx context.Context) (quality.Diagnostics, error) {
	if !e.diagnosed {
		if _, err := e.Measure(ctx); err != nil {
			return quality.Diagnostics{}, err
		}
		e.diagnosed = true
	}
	return e.lastDiagnostics, nil
}

// DiagnoseRow returns the diagnostics of the earliest pending observation, without those that rows lack.
func (e *surveyor[F, V]) DiagnoseRow(ctx context.Context, to *dist.Joint) (dist.Result[quality.Diagnostics], error) {
	result, err := e.Observed(ctx, to)
	return func(ctx context.Context) (quality.Diagnostics, error) {
		before := e.lastDiagnostics
		defer func() { e.lastDiagnostics = before }()
		_, err := result(ctx)
		return e.lastDiagnostics, err
	}, err
}

// meanQuality returns the mean quality of the whole mesh.
func (e *surveyor[F, V]) meanQuality(ctx context.Context) (float64, error) {
	if err := e.sumCells(ctx); err != nil {
		return 0, err
	}
	found, err := e.found.Host()
	if err != nil {
		return 0, err
	}
	sum := quality.Sum(&found[0], survey.Qualities)
	n, total, err := rescaling.SumOverRanks(ctx, e.Env().Comm, int(e.cellN), &sum)
	return total / float64(n), err
}
