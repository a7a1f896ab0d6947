package smooth

import (
	"context"
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
)

// NewSolid sets up a Solver of tetrahedra in the given precision, "float32" or "float64". Of its diagnostics, areas are
// volumes and the perimeter is the area of the boundary. It refuses a metric that is not positive definite at a
// vertex, and a mesh with tetrahedra that are turned over or flat, on all ranks with the same Refusal.
func NewSolid(ctx context.Context, precision string, cfg Config, part *SolidPart, metric *SolidMetric, comm dist.Comm,
	dev backend.Device) (Solver, error) {
	switch precision {
	case "float32":
		return setUpSolid[float32](ctx, cfg, part, metric, comm, dev)
	case "float64":
		return setUpSolid[float64](ctx, cfg, part, metric, comm, dev)
	}
	return nil, fmt.Errorf("precision %q is not known; choose float32 or float64", precision)
}

// solidSolver is the engine with the arrays of tetrahedra.
type solidSolver[F kernels.Float] struct {
	engine[F, solid.Vertex[F]]
	part *SolidPart

	constants solid.Params[F]
	mesh      solid.Mesh[F]
	field     solid.Field[F]
	shapes    []solid.Shape[F] // of cells
	lengths   []F              // of edges
	areas     []F              // of faces of the boundary
	cells     pass             // measures cells
	others    []pass           // measure edges and faces
}

// solidParameters checks a configuration and makes the constants of kernels from it.
func solidParameters[F kernels.Float](cfg Config) (kernels.Params[F], error) {
	if cfg.Untangle || cfg.Sweep == "tiles" {
		return kernels.Params[F]{}, fmt.Errorf("untangle = %v, sweep = %q: tetrahedra that are turned over are refused, and "+
			"sweeps go set by set", cfg.Untangle, cfg.Sweep)
	}
	p, err := parameters[F](cfg)
	p.Flat *= 4
	return p, err
}

func setUpSolid[F kernels.Float](ctx context.Context, cfg Config, part *SolidPart, metric *SolidMetric, comm dist.Comm,
	dev backend.Device) (_ *solidSolver[F], err error) {
	s := &solidSolver[F]{part: part}
	s.engine = engine[F, solid.Vertex[F]]{dimension: s, dim: 3, cfg: cfg, sub: &part.Subdomain,
		origin: [3][]float64{part.X, part.Y, part.Z}, comm: comm, dev: dev}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	_, s.apart = dev.(backend.Memory)
	if err := part.visitable(s.apart, cfg.Cull); err != nil {
		return nil, err
	}
	if s.params, err = solidParameters[F](cfg); err != nil {
		return nil, err
	}
	s.constants = solid.Params[F](s.params)
	s.field = solidFieldIn[F](&metric.field)
	if cfg.Rescale {
		scale, err := rescaleSolid(ctx, comm, part, metric)
		if err != nil {
			return nil, err
		}
		s.field.Scale = F(scale)
	}
	v := make([]solid.Vertex[F], len(part.X))
	if err := agree(ctx, comm, s.begin(v)); err != nil {
		return nil, err
	}
	if err := s.place(v); err != nil {
		return nil, err
	}
	if err := s.furnish(); err != nil {
		return nil, err
	}
	if err := s.prepare(ctx, s.mover); err != nil {
		return nil, err
	}
	s.start, err = s.Diagnose(ctx)
	return s, err
}

// begin puts every vertex where it is, with its metric, and tells what cannot be smoothed.
func (s *solidSolver[F]) begin(v []solid.Vertex[F]) complaint {
	c := flatSolidPatches(&s.field)
	for i := range v {
		p := &v[i]
		p.X, p.Y, p.Z = F(s.part.X[i]), F(s.part.Y[i]), F(s.part.Z[i])
		at := s.field.At(solid.Vector[F]{X: p.X, Y: p.Y, Z: p.Z})
		p.M11, p.M12, p.M13, p.M22, p.M23, p.M33 = at.M11, at.M12, at.M13, at.M22, at.M23, at.M33
		m := Six{float64(at.M11), float64(at.M12), float64(at.M13), float64(at.M22), float64(at.M23), float64(at.M33)}
		if i < s.part.Owned && !m.positive() {
			c.add(s.part.Global[i], "vertex %d at (%g, %g, %g): the metric is not positive definite: m11, m12, m13, m22, "+
				"m23, m33 = %v",
				s.part.Global[i], p.X, p.Y, p.Z, m)
		}
	}
	for k, cell := range s.part.Cells {
		a := v[cell.At[0]]
		if !solid.Upright(&a, &v[cell.At[1]], &v[cell.At[2]], &v[cell.At[3]], s.params.Flat) {
			c.add(s.part.CellGlobal[k], "cell %d at (%g, %g, %g) is turned over or flat", s.part.CellGlobal[k], a.X, a.Y, a.Z)
		}
	}
	return c
}

// furnish puts the arrays on the device.
func (s *solidSolver[F]) furnish() error {
	b := s.placer()
	p := s.part
	frames := make([]solid.Frame[F], len(p.Frames))
	for i, f := range p.Frames {
		frames[i] = solid.Frame[F]{X: F(f.X), Y: F(f.Y), Z: F(f.Z), Tx: F(f.Tx), Ty: F(f.Ty), Tz: F(f.Tz), Ux: F(f.Ux),
			Uy: F(f.Uy), Uz: F(f.Uz), Axes: f.Axes}
	}
	s.mesh = solid.Mesh[F]{Spans: onDevice(b, p.Spans), Near: onDevice(b, p.Near), Sides: onDevice(b, p.Sides),
		Frames: onDevice(b, frames)}
	f := &s.field
	f.Samples, f.Wide, f.Deep, f.Upright = onDevice(b, f.Samples), onDevice(b, f.Wide), onDevice(b, f.Deep), onDevice(b,
		f.Upright)
	f.Nodes, f.Patches, f.Starts = onDevice(b, f.Nodes), onDevice(b, f.Patches), onDevice(b, f.Starts)
	f.Lists, f.Listed = onDevice(b, f.Lists), onDevice(b, f.Listed)
	s.shapes = onDevice(b, make([]solid.Shape[F], len(p.Cells)))
	s.lengths, s.areas = onDevice(b, make([]F, len(p.Edges))), onDevice(b, make([]F, len(p.Skin)))
	cells, edges, skin := onDevice(b, p.Cells), onDevice(b, p.Edges), onDevice(b, p.Skin)
	s.cells = pass{0, len(cells), solid.NewMeasureCellLoop(cells, s.v, s.shapes)}
	s.others = []pass{{0, len(edges), solid.NewMeasureEdgeLoop(edges, s.v, s.lengths)},
		{0, len(skin), solid.NewMeasureSideLoop(skin, s.v, s.areas)}}
	s.count = solid.NewCountLoop(s.tick())
	return b.err
}

// tick is the control of the engine, which has the same fields in the plane and in space.
func (s *solidSolver[F]) tick() *solid.Control[F] { return (*solid.Control[F])(&s.control[0]) }

// mover prepares the kernel of the smoother for a set.
func (s *solidSolver[F]) mover(of *kernels.Set) backend.Loop {
	set, n, most := (*solid.Set)(of), (*solid.Counters)(&s.counters[0]), &s.most[0]
	p, c := &s.constants, s.tick()
	switch s.cfg.Smoother {
	case "laplacian":
		return solid.NewLaplaceLoop(set, p, &s.mesh, &s.field, c, s.v, s.moved, s.seen, n, most)
	case "pain":
		return solid.NewPainLoop(set, p, &s.mesh, &s.field, c, s.v, s.moved, s.seen, n, most)
	case "pain-newton":
		return solid.NewPainNewtonLoop(set, p, &s.mesh, &s.field, c, s.v, s.moved, s.seen, n, most)
	case "pain-exact":
		return solid.NewPainExactLoop(set, p, &s.mesh, &s.field, c, s.v, s.moved, s.seen, n, most)
	case "smart":
		return solid.NewSmartLoop(set, p, &s.mesh, &s.field, c, s.v, s.moved, s.seen, n, most)
	case "fjp":
		return solid.NewOptimiseLoop(set, p, &s.mesh, &s.field, c, s.v, s.moved, s.seen, n, most)
	default:
		return solid.NewHybridLoop(set, p, &s.mesh, &s.field, c, s.v, s.moved, s.seen, n, most)
	}
}

func (s *solidSolver[F]) Scale() float64 { return float64(s.field.Scale) }

func (s *solidSolver[F]) queue(ctx context.Context, sweeps int) error {
	return s.queueSets(ctx, sweeps)
}

// Untangle has nothing to do: tetrahedra that are turned over have been refused.
func (s *solidSolver[F]) Untangle(context.Context) (Untangling, error) {
	return Untangling{}, errors.New("tetrahedra cannot be untangled")
}
