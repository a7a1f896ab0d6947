package smooth

import (
	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
)

// moveLoop returns the loop that moves the vertices of a set by a smoother.
func (a *solver[F]) moveLoop(smoother string, set *kernels.Set) backend.Loop {
	c, n, longest := &a.control[0], &a.counters[0], &a.longestMove[0]
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

// arrays are the arrays of triangles besides those of the engine, in the device's memory unless they are host
// copies.
type arrays[F num.Float] struct {
	mesh        kernels.Mesh[F]
	field       kernels.Field[F]
	cells       []kernels.Cell
	edges       []kernels.Edge
	shapes      []kernels.Shape[F]
	edgeLengths []kernels.EdgeLengths[F]

	hostShapes []kernels.Shape[F] // a host copy, for a device with separate memory
}

// metricArray is the name of the metric's arrays in errors of allocation.
const metricArray = "metric"

// uploadArrays allocates the arrays on the device.
func (a *solver[F]) uploadArrays(p *layout.Part, field kernels.Field[F]) error {
	b := &a.allocated
	rails := make([]kernels.Rail[F], len(p.Rails))
	for i, r := range p.Rails {
		rails[i] = kernels.Rail[F]{X: F(r.X), Y: F(r.Y), Tx: F(r.Tx), Ty: F(r.Ty), Bx: F(r.Bx), By: F(r.By), Low: F(r.Low),
			High: F(r.High)}
	}
	a.mesh = kernels.Mesh[F]{Rings: backend.Uploaded(b, p.Rings, "rings"), More: backend.Uploaded(b, p.MoreNeighbours,
		"rings"),
		Rails: backend.Uploaded(b, rails, "rails")}
	a.field = field
	a.field.Samples = backend.Uploaded(b, field.Samples, metricArray)
	a.field.SizesX = backend.Uploaded(b, field.SizesX, metricArray)
	a.field.SizesY = backend.Uploaded(b, field.SizesY, metricArray)
	a.field.Nodes = backend.Uploaded(b, field.Nodes, metricArray)
	a.field.Background = backend.Uploaded(b, field.Background, metricArray)
	a.field.Starts = backend.Uploaded(b, field.Starts, metricArray)
	a.field.Lists = backend.Uploaded(b, field.Lists, metricArray)
	a.field.Listed = backend.Uploaded(b, field.Listed, metricArray)
	a.cells, a.edges = backend.Uploaded(b, p.Cells, "cells"), backend.Uploaded(b, p.Edges, "edges")
	a.shapes = backend.Fresh[kernels.Shape[F]](b, len(p.Cells), "cells")
	a.edgeLengths = backend.Fresh[kernels.EdgeLengths[F]](b, len(p.Edges), "edges")
	a.count = kernels.NewCountLoop(&a.control[0])
	a.measureCell = kernels.NewMeasureCellLoop(a.cells, a.v, a.shapes)
	a.prepareRating(b, pass{0, len(a.cells), kernels.NewRateCellLoop(a.cells, a.v, &a.worstQuality[0])})
	m := &measured[F]{ids: p.CellGlobal, cells: cellsOf[F](a.shapes), edges: len(p.Edges),
		lengths: numbersOf[F](a.edgeLengths), eachLength: 2, lengthAt: 1, sizes: numbersOf[F](a.edgeLengths), eachSize: 2,
		measureCells: pass{0, len(a.cells), a.measureCell},
		measureEdges: pass{0, len(a.edges), kernels.NewMeasureEdgeLoop(a.edges, a.v, a.edgeLengths)}}
	for i, on := range p.OnBoundary {
		if on {
			m.listed = append(m.listed, int32(i))
		}
	}
	m.sides = len(m.listed)
	return a.prepareObserver(m)
}
