package smooth

import (
	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// moveLoop returns the loop that moves the vertices of a set by a smoother.
func (a *solver[F]) moveLoop(smoother string, set *kernels.Set) backend.Loop {
	c, n, longest := &a.control[0], a.counters.At(), &a.longestMove[0]
	switch smoother {
	case "pain":
		return kernels.NewPainLoop(set, &a.params, &a.mesh, &a.field, c, a.v, a.moved, a.seen, n, longest)
	case "pain-exact":
		return kernels.NewPainExactLoop(set, &a.params, &a.mesh, &a.field, c, a.v, a.moved, a.seen, n, longest)
	case "smart":
		return kernels.NewSmartLoop(set, &a.params, &a.mesh, &a.field, c, a.v, a.moved, a.seen, n, longest)
	case "fjp":
		return kernels.NewOptimiseLoop(set, &a.params, &a.mesh, &a.field, c, a.v, a.moved, a.seen, n, longest)
	case "barrier":
		return kernels.NewBarrierLoop(set, &a.params, &a.mesh, &a.field, c, a.v, a.moved, a.seen, n, longest)
	default:
		return kernels.NewHybridLoop(set, &a.params, &a.mesh, &a.field, c, a.v, a.moved, a.seen, n, longest)
	}
}

// arrays are the arrays of triangles besides those of the mover, in the device's memory.
type arrays[F num.Float] struct {
	mesh        kernels.Mesh[F]
	field       kernels.Field[F]
	cells       []kernels.Cell
	edges       []kernels.Edge
	shapes      *engine.Array[kernels.Shape[F]]
	edgeLengths []kernels.EdgeLengths[F]
}

// uploaded declares an array that the host has.
func uploaded[T any](t *engine.Table, what string, src []T) []T {
	return engine.Input(t, what, len(src), func() []T { return src }).Data
}

// declareMesh declares the arrays of triangles, and returns those that surveys add up.
func (a *solver[F]) declareMesh(p *layout.Part, field kernels.Field[F]) *measured[F] {
	t := a.Table()
	rails := make([]kernels.Rail[F], len(p.Rails))
	for i, r := range p.Rails {
		rails[i] = kernels.Rail[F]{X: F(r.X), Y: F(r.Y), Tx: F(r.Tx), Ty: F(r.Ty), Bx: F(r.Bx), By: F(r.By), Low: F(r.Low),
			High: F(r.High)}
	}
	a.mesh = kernels.Mesh[F]{Rings: uploaded(t, "rings", p.Rings), More: uploaded(t, "rings", p.MoreNeighbours),
		Rails: uploaded(t, "rails", rails)}
	a.field = sizing.Declared(t, field, a.cfg.Shared)
	a.cells, a.edges = uploaded(t, "cells", p.Cells), uploaded(t, "edges", p.Edges)
	a.shapes = engine.Add[kernels.Shape[F]](t, "cells", len(p.Cells))
	a.edgeLengths = engine.Add[kernels.EdgeLengths[F]](t, "edges", len(p.Edges)).Data
	if t.Err() != nil {
		return nil
	}
	a.countSweep = engine.Whole(kernels.NewCountLoop(&a.control[0]), 1)
	a.measureCells = engine.Whole(kernels.NewMeasureCellLoop(a.cells, a.v, a.shapes.Data), len(a.cells))
	a.declareStages(engine.Whole(kernels.NewRateCellLoop(a.cells, a.v, &a.worst.Data[0]), len(a.cells)))
	lengths := numbersOf[F](a.edgeLengths)
	m := &measured[F]{ids: p.CellGlobal, cells: cellsOf[F](a.shapes.Data), edges: len(p.Edges), lengths: lengths,
		eachLength: 2, lengthAt: 1, sizes: lengths, eachSize: 2, measureCells: a.measureCells,
		measureEdges: engine.Whole(kernels.NewMeasureEdgeLoop(a.edges, a.v, a.edgeLengths), len(a.edges))}
	for i, on := range p.OnBoundary {
		if on {
			m.listed = append(m.listed, int32(i))
		}
	}
	m.sides = len(m.listed)
	return m
}
