package smooth

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/faults"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// NewSolid sets up a Solver of tetrahedra in the given precision, "float32" or "float64". In its diagnostics, areas
// are volumes and the perimeter is the area of the boundary. It refuses a metric that is not positive definite at a
// vertex, and a mesh with inverted or flat tetrahedra unless it is to be untangled, on all ranks with the same
// Refusal.
func NewSolid(ctx context.Context, precision string, cfg Config, part *layout.SolidPart, metric *sizing.SolidMetric,
	comm dist.Comm, dev backend.Device) (Solver, error) {
	switch precision {
	case "float32":
		return setUpSolid[float32](ctx, cfg, part, metric, comm, dev)
	case "float64":
		return setUpSolid[float64](ctx, cfg, part, metric, comm, dev)
	}
	return nil, fmt.Errorf("precision %q is not known; choose float32 or float64", precision)
}

// solidSolver is the engine with the arrays of tetrahedra.
type solidSolver[F num.Float] struct {
	engine[F, solid.Vertex[F]]
	part   *layout.SolidPart
	metric *sizing.SolidMetric

	constants solid.Params[F]
	mesh      solid.Mesh[F]
	field     solid.Field[F]
	shapes    []solid.Shape[F] // of cells
	lengths   []F              // of edges
	areas     []F              // of faces of the boundary

	hostShapes   []solid.Shape[F] // a host copy, for a device with separate memory
	measureCells pass
}

// solidParameters checks a configuration and returns the kernels' constants.
func solidParameters[F num.Float](cfg Config) (kernels.Params[F], error) {
	if cfg.Sweep == "tiles" {
		return kernels.Params[F]{}, fmt.Errorf("sweep = %q: sweeps over tetrahedra go set by set", cfg.Sweep)
	}
	p, err := parameters[F](cfg)
	p.Flat *= 4 // a volume is a sum of more products than an area
	return p, err
}

func setUpSolid[F num.Float](ctx context.Context, cfg Config, part *layout.SolidPart, metric *sizing.SolidMetric,
	comm dist.Comm, dev backend.Device) (_ *solidSolver[F], err error) {
	s := &solidSolver[F]{part: part, metric: metric}
	s.engine = engine[F, solid.Vertex[F]]{dimension: s, dim: 3, cfg: cfg, sub: &part.Subdomain,
		origin: [3][]float64{part.X, part.Y, part.Z}, comm: comm, dev: dev}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	_, s.separate = dev.(backend.Memory)
	if err := checkCurves(&part.Subdomain, &cfg); err != nil {
		return nil, err
	}
	if s.params, err = solidParameters[F](cfg); err != nil {
		return nil, err
	}
	if err := s.relax(ctx); err != nil {
		return nil, err
	}
	s.constants = solid.Params[F](s.params)
	s.field = sizing.SolidInPrecision[F](&metric.Field)
	if cfg.Rescale && !cfg.Untangle {
		scale, err := rescaleSolid(ctx, comm, part, metric, [][]float64{part.X, part.Y, part.Z})
		if err != nil {
			return nil, err
		}
		s.field.Scale = F(scale)
	}
	v := make([]solid.Vertex[F], len(part.X))
	for i := range v {
		v[i].X, v[i].Y, v[i].Z = F(part.X[i]), F(part.Y[i]), F(part.Z[i])
	}
	if err := faults.Agree(ctx, comm, s.initialise(v)); err != nil {
		return nil, err
	}
	if err := s.upload(v); err != nil {
		return nil, err
	}
	if err := s.uploadArrays(); err != nil {
		return nil, err
	}
	if err := s.prepare(ctx, s.moveLoop); err != nil {
		return nil, err
	}
	s.start, err = s.Diagnose(ctx)
	return s, err
}

// uploadArrays allocates the arrays on the device.
func (s *solidSolver[F]) uploadArrays() error {
	b := &s.allocated
	p := s.part
	frames := make([]solid.Frame[F], len(p.Frames))
	for i, f := range p.Frames {
		frames[i] = solid.Frame[F]{X: F(f.X), Y: F(f.Y), Z: F(f.Z), Tx: F(f.Tx), Ty: F(f.Ty), Tz: F(f.Tz), Ux: F(f.Ux),
			Uy: F(f.Uy), Uz: F(f.Uz), Px: F(f.Px), Py: F(f.Py), Pz: F(f.Pz), Qx: F(f.Qx), Qy: F(f.Qy), Qz: F(f.Qz),
			Rx: F(f.Rx), Ry: F(f.Ry), Rz: F(f.Rz), Reach: F(f.Reach), Axes: f.Axes}
	}
	s.mesh = solid.Mesh[F]{Spans: backend.Uploaded(b, p.Spans, "neighbours"), Neighbours: backend.Uploaded(b, p.Neighbours,
		"neighbours"), CavityFaces: backend.Uploaded(b, p.CavityFaces, "neighbours"),
		Frames: backend.Uploaded(b, frames, "frames")}
	f := &s.field
	f.Samples, f.SizesX = backend.Uploaded(b, f.Samples, metricArray), backend.Uploaded(b, f.SizesX, metricArray)
	f.SizesY, f.SizesZ = backend.Uploaded(b, f.SizesY, metricArray), backend.Uploaded(b, f.SizesZ, metricArray)
	f.Nodes, f.Background = backend.Uploaded(b, f.Nodes, metricArray), backend.Uploaded(b, f.Background, metricArray)
	f.Starts, f.Lists = backend.Uploaded(b, f.Starts, metricArray), backend.Uploaded(b, f.Lists, metricArray)
	f.Listed = backend.Uploaded(b, f.Listed, metricArray)
	s.shapes = backend.Fresh[solid.Shape[F]](b, len(p.Cells), "cells")
	s.lengths, s.areas = backend.Fresh[F](b, len(p.Edges), "edges"), backend.Fresh[F](b, len(p.BoundaryFaces), "boundary")
	cells, edges := backend.Uploaded(b, p.Cells, "cells"), backend.Uploaded(b, p.Edges, "edges")
	boundary := backend.Uploaded(b, p.BoundaryFaces, "boundary")
	s.measureCells = pass{0, len(cells), solid.NewMeasureCellLoop(cells, s.v, s.shapes)}
	s.count = solid.NewCountLoop(s.solidControl())
	s.prepareRating(b, pass{0, len(cells), solid.NewRateCellLoop(cells, s.v, &s.worstQuality[0])})
	return s.prepareObserver(&measured[F]{ids: p.CellGlobal, cells: cellsOf[F](s.shapes), edges: len(p.Edges),
		lengths: s.lengths, eachLength: 1, sides: len(p.BoundaryFaces), sizes: s.areas, eachSize: 1,
		measureCells: s.measureCells, measureEdges: pass{0, len(edges), solid.NewMeasureEdgeLoop(edges, s.v, s.lengths)},
		measureSides: []pass{{0, len(boundary), solid.NewMeasureFaceLoop(boundary, s.v, s.areas)}}})
}

// solidControl returns the control of the engine as the type of the kernels for tetrahedra, which has the same
// layout.
func (s *solidSolver[F]) solidControl() *solid.Control[F] { return (*solid.Control[F])(&s.control[0]) }

// solidSet returns a set as the type of the kernels for tetrahedra.
func solidSet(of *kernels.Set) *solid.Set {
	return &solid.Set{FirstSliding: of.FirstSliding, FirstFrame: of.FirstRail, Index: of.Index, Sets: of.Sets,
		Owned: of.Owned}
}

// moveLoop returns the loop that moves the vertices of a set by the smoother.
func (s *solidSolver[F]) moveLoop(of *kernels.Set) backend.Loop {
	set, n, most := solidSet(of), (*solid.Counters)(&s.counters[0]), &s.longestMove[0]
	p, c := &s.constants, s.solidControl()
	switch s.cfg.Smoother {
	case "pain":
		return solid.NewPainLoop(set, p, &s.mesh, &s.field, c, s.v, s.moved, s.seen, n, most)
	case "pain-exact":
		return solid.NewPainExactLoop(set, p, &s.mesh, &s.field, c, s.v, s.moved, s.seen, n, most)
	case "smart":
		return solid.NewSmartLoop(set, p, &s.mesh, &s.field, c, s.v, s.moved, s.seen, n, most)
	case "fjp":
		return solid.NewOptimiseLoop(set, p, &s.mesh, &s.field, c, s.v, s.moved, s.seen, n, most)
	case "barrier":
		return solid.NewBarrierLoop(set, p, &s.mesh, &s.field, c, s.v, s.moved, s.seen, n, most)
	default:
		return solid.NewHybridLoop(set, p, &s.mesh, &s.field, c, s.v, s.moved, s.seen, n, most)
	}
}

func (s *solidSolver[F]) Scale() float64 { return float64(s.field.Scale) }

func (s *solidSolver[F]) queue(ctx context.Context, sweeps int) error {
	return s.queueSets(ctx, sweeps)
}

func (s *solidSolver[F]) refreshGhosts(context.Context) error { return nil }
