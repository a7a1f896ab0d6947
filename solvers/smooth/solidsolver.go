package smooth

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/smooth/barrier"
	"github.com/atoll-hpc/atoll/solvers/smooth/faults"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/rescaling"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// NewSolid sets up a Solver of tetrahedra in the given precision, "float32" or "float64". In its diagnostics, areas
// are volumes and the perimeter is the area of the boundary. It refuses a metric that is not positive definite at a
// vertex, and a mesh with inverted or flat tetrahedra unless it is to be untangled, on all ranks with the same
// Refusal.
func NewSolid(ctx context.Context, env solvers.Env, precision string, cfg Config, part *layout.SolidPart,
	metric *sizing.SolidMetric) (*Solver, error) {
	switch precision {
	case "float32":
		s, err := setUpSolid[float32](ctx, env, cfg, part, metric)
		return solverOf(s, err)
	case "float64":
		s, err := setUpSolid[float64](ctx, env, cfg, part, metric)
		return solverOf(s, err)
	}
	return nil, fmt.Errorf("precision %q is not known; choose float32 or float64", precision)
}

// solidSolver is the mover with the arrays of tetrahedra.
type solidSolver[F num.Float] struct {
	mover[F, solid.Vertex[F]]
	part   *layout.SolidPart
	metric *sizing.SolidMetric

	constants solid.Params[F]
	mesh      solid.Mesh[F]
	field     solid.Field[F]
	shapes    *engine.Array[solid.Shape[F]] // of cells
	lengths   []F                           // of edges
	areas     []F                           // of faces of the boundary

	measureCells engine.Task
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

func setUpSolid[F num.Float](ctx context.Context, env solvers.Env, cfg Config, part *layout.SolidPart,
	metric *sizing.SolidMetric) (_ *solidSolver[F], err error) {
	s := &solidSolver[F]{part: part, metric: metric}
	s.mover = newMover[F, solid.Vertex[F]](env, cfg, &part.Subdomain, 3, [3][]float64{part.X, part.Y, part.Z})
	s.Owns(cfg.Shared)
	comm := env.Comm
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if err := checkCurves(&part.Subdomain, &cfg); err != nil {
		return nil, err
	}
	if s.params, err = solidParameters[F](cfg); err != nil {
		return nil, err
	}
	if err := s.relax(ctx, len(part.Cells), barrier.ShapeOfTetrahedron[F](part)); err != nil {
		return nil, err
	}
	s.constants = solid.Params[F](s.params)
	s.field = sizing.SolidInPrecision[F](&metric.Field)
	if cfg.Rescale && !cfg.Untangle {
		scale, err := rescaling.SolidFactor(ctx, comm, part, metric, [][]float64{part.X, part.Y, part.Z})
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
	s.declare(v)
	if err := s.prepare(ctx, s.moveLoop, s.declareMesh()); err != nil {
		return nil, err
	}
	s.start, err = s.Diagnose(ctx)
	return s, err
}

// declareMesh declares the arrays of tetrahedra, and returns those that surveys add up.
func (s *solidSolver[F]) declareMesh() *measured[F] {
	t, p := s.Table(), s.part
	frames := make([]solid.Frame[F], len(p.Frames))
	for i, f := range p.Frames {
		frames[i] = solid.Frame[F]{X: F(f.X), Y: F(f.Y), Z: F(f.Z), Tx: F(f.Tx), Ty: F(f.Ty), Tz: F(f.Tz), Ux: F(f.Ux),
			Uy: F(f.Uy), Uz: F(f.Uz), Px: F(f.Px), Py: F(f.Py), Pz: F(f.Pz), Qx: F(f.Qx), Qy: F(f.Qy), Qz: F(f.Qz),
			Rx: F(f.Rx), Ry: F(f.Ry), Rz: F(f.Rz), Reach: F(f.Reach), Axes: f.Axes}
	}
	s.mesh = solid.Mesh[F]{Spans: uploaded(t, "neighbours", p.Spans),
		Neighbours:  uploaded(t, "neighbours", p.Neighbours),
		CavityFaces: uploaded(t, "neighbours", p.CavityFaces), Frames: uploaded(t, "frames", frames)}
	s.field = sizing.SolidDeclared(t, s.field, s.cfg.Shared)
	s.shapes = engine.Add[solid.Shape[F]](t, "cells", len(p.Cells))
	s.lengths = engine.Add[F](t, "edges", len(p.Edges)).Data
	s.areas = engine.Add[F](t, "boundary", len(p.BoundaryFaces)).Data
	cells, edges := uploaded(t, "cells", p.Cells), uploaded(t, "edges", p.Edges)
	boundary := uploaded(t, "boundary", p.BoundaryFaces)
	if t.Err() != nil {
		return nil
	}
	s.measureCells = engine.Whole(solid.NewMeasureCellLoop(cells, s.v, s.shapes.Data), len(cells))
	s.countSweep = engine.Whole(solid.NewCountLoop(s.solidControl()), 1)
	s.declareStages(engine.Whole(solid.NewRateCellLoop(cells, s.v, &s.worst.Data[0]), len(cells)))
	return &measured[F]{ids: p.CellGlobal, cells: cellsOf[F](s.shapes.Data), edges: len(p.Edges),
		lengths: s.lengths, eachLength: 1, sides: len(p.BoundaryFaces), sizes: s.areas, eachSize: 1,
		measureCells: s.measureCells,
		measureEdges: engine.Whole(solid.NewMeasureEdgeLoop(edges, s.v, s.lengths), len(edges)),
		measureSides: []engine.Task{engine.Whole(solid.NewMeasureFaceLoop(boundary, s.v, s.areas), len(boundary))}}
}

// solidControl returns the control as the type of the kernels for tetrahedra, which has the same layout.
func (s *solidSolver[F]) solidControl() *solid.Control[F] { return (*solid.Control[F])(&s.control[0]) }

// solidSet returns a set as the type of the kernels for tetrahedra.
func solidSet(of *kernels.Set) *solid.Set {
	return &solid.Set{FirstSliding: of.FirstSliding, FirstFrame: of.FirstRail, Index: of.Index, Sets: of.Sets,
		Owned: of.Owned}
}

// moveLoop returns the loop that moves the vertices of a set by the smoother.
func (s *solidSolver[F]) moveLoop(of *kernels.Set) backend.Loop {
	set, n, most := solidSet(of), (*solid.Counters)(s.counters.At()), &s.longestMove[0]
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
