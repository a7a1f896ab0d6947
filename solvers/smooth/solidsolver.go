package smooth

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
)

// SolidSmoothers are the smoothers that there are for tetrahedra.
var SolidSmoothers = []string{"laplacian", "pain", "pain-newton", "pain-exact", "smart"}

// SolidSolver smooths one rank's part of a mesh of tetrahedra. All ranks make the same calls. Its methods are those of
// Solver, with a third coordinate; of Diagnostics, areas are volumes and the perimeter is the area of the boundary.
type SolidSolver interface {
	Sweeper
	Coordinates() (x, y, z []float64, err error)
	Qualities() ([]float64, error)
	Hash(ctx context.Context) (string, error)
	Close()
}

// NewSolid sets up the solver in the given precision, "float32" or "float64". It refuses a metric that is not positive
// definite at a vertex, and a mesh with tetrahedra that are turned over or flat, on all ranks with the same Refusal.
func NewSolid(ctx context.Context, precision string, cfg Config, part *SolidPart, metric *SolidMetric, comm dist.Comm,
	dev backend.Device) (SolidSolver, error) {
	switch precision {
	case "float32":
		return setUpSolid[float32](ctx, cfg, part, metric, comm, dev)
	case "float64":
		return setUpSolid[float64](ctx, cfg, part, metric, comm, dev)
	}
	return nil, fmt.Errorf("precision %q is not known; choose float32 or float64", precision)
}

type solidSolver[F kernels.Float] struct {
	part *SolidPart
	comm dist.Comm
	dev  backend.Device

	params   solid.Params[F]
	mesh     solid.Mesh[F]
	field    solid.Field[F]
	v        []solid.Vertex[F]
	counters []solid.Counters  // one
	most     []atomics.Most[F] // one: the longest move
	shapes   []solid.Shape[F]  // of cells
	lengths  []F               // of edges
	areas    []F               // of faces of the boundary
	taken    []func() error    // gives each array back
	first    [][]pass          // of each set: what other ranks need
	rest     [][]pass          // and what they do not
	halos    []halo.Ghosts[solid.Vertex[F]]
	measures []pass

	sweeps  int
	longest [1]atomics.Most[F]
	reduced [1]float64
	start   Diagnostics
	order   []int32
}

// solidParameters checks a configuration and makes the constants of kernels from it.
func solidParameters[F kernels.Float](cfg Config) (solid.Params[F], error) {
	switch {
	case !slices.Contains(SolidSmoothers, cfg.Smoother):
		return solid.Params[F]{}, fmt.Errorf("there is no smoother %q of tetrahedra; choose one of %s", cfg.Smoother,
			strings.Join(SolidSmoothers, ", "))
	case cfg.Cull || cfg.Rescale || cfg.Sweep == "tiles":
		return solid.Params[F]{}, fmt.Errorf("cull = %v, rescale = %v, sweep = %q: tetrahedra are visited in every sweep, set by set, "+
			"in the metric as it is", cfg.Cull, cfg.Rescale, cfg.Sweep)
	}
	p, err := parameters[F](cfg)
	if err != nil {
		return solid.Params[F]{}, err
	}
	return solid.Params[F]{Relax: p.Relax, Excess: p.Excess, Gain: p.Gain, Flat: 4 * p.Flat, Guard: p.Guard}, nil
}

func setUpSolid[F kernels.Float](ctx context.Context, cfg Config, part *SolidPart, metric *SolidMetric, comm dist.Comm,
	dev backend.Device) (_ *solidSolver[F], err error) {
	s := &solidSolver[F]{part: part, comm: comm, dev: dev}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if s.params, err = solidParameters[F](cfg); err != nil {
		return nil, err
	}
	s.field = solidFieldIn[F](&metric.field)
	s.v = make([]solid.Vertex[F], len(part.X))
	if err := agree(ctx, comm, s.begin()); err != nil {
		return nil, err
	}
	if err := s.place(); err != nil {
		return nil, err
	}
	if err := s.prepare(cfg.Smoother); err != nil {
		return nil, err
	}
	s.start, err = s.Diagnose(ctx)
	return s, err
}

// begin puts every vertex where it is, with its metric, and tells what cannot be smoothed.
func (s *solidSolver[F]) begin() complaint {
	var c complaint
	for i := range s.v {
		p := &s.v[i]
		p.X, p.Y, p.Z = F(s.part.X[i]), F(s.part.Y[i]), F(s.part.Z[i])
		at := s.field.At(solid.Vector[F]{X: p.X, Y: p.Y, Z: p.Z})
		p.M11, p.M12, p.M13, p.M22, p.M23, p.M33 = at.M11, at.M12, at.M13, at.M22, at.M23, at.M33
		m := Six{float64(at.M11), float64(at.M12), float64(at.M13), float64(at.M22), float64(at.M23), float64(at.M33)}
		if i < s.part.Owned && !m.positive() {
			c.add(s.part.Global[i], "vertex %d at (%g, %g, %g): the metric is not positive definite: m11, m12, m13, m22, m23, m33 = %v",
				s.part.Global[i], p.X, p.Y, p.Z, m)
		}
	}
	for k, cell := range s.part.Cells {
		a := s.v[cell.At[0]]
		if !solid.Upright(&a, &s.v[cell.At[1]], &s.v[cell.At[2]], &s.v[cell.At[3]], s.params.Flat) {
			c.add(s.part.CellGlobal[k], "cell %d at (%g, %g, %g) is turned over or flat", s.part.CellGlobal[k], a.X, a.Y, a.Z)
		}
	}
	return c
}

// place puts the arrays on the device.
func (s *solidSolver[F]) place() error {
	b := &placer{dev: s.dev, taken: &s.taken}
	p := s.part
	frames := make([]solid.Frame[F], len(p.Frames))
	for i, f := range p.Frames {
		frames[i] = solid.Frame[F]{X: F(f.X), Y: F(f.Y), Z: F(f.Z), Tx: F(f.Tx), Ty: F(f.Ty), Tz: F(f.Tz), Ux: F(f.Ux),
			Uy: F(f.Uy), Uz: F(f.Uz), Axes: f.Axes}
	}
	s.mesh = solid.Mesh[F]{Spans: onDevice(b, p.Spans), Near: onDevice(b, p.Near), Sides: onDevice(b, p.Sides),
		Frames: onDevice(b, frames)}
	s.field.Samples = onDevice(b, s.field.Samples)
	s.field.Wide, s.field.Deep = onDevice(b, s.field.Wide), onDevice(b, s.field.Deep)
	s.field.Upright = onDevice(b, s.field.Upright)
	s.v = onDevice(b, s.v)
	s.counters, s.most = onDevice(b, make([]solid.Counters, 1)), onDevice(b, make([]atomics.Most[F], 1))
	s.shapes = onDevice(b, make([]solid.Shape[F], len(p.Cells)))
	s.lengths, s.areas = onDevice(b, make([]F, len(p.Edges))), onDevice(b, make([]F, len(p.Skin)))
	cells, edges, skin := onDevice(b, p.Cells), onDevice(b, p.Edges), onDevice(b, p.Skin)
	s.measures = []pass{{0, len(cells), solid.NewMeasureCellLoop(cells, s.v, s.shapes)},
		{0, len(edges), solid.NewMeasureEdgeLoop(edges, s.v, s.lengths)},
		{0, len(skin), solid.NewMeasureSideLoop(skin, s.v, s.areas)}}
	return b.err
}

// prepare makes the kernels and exchanges of all sets.
func (s *solidSolver[F]) prepare(smoother string) error {
	p := s.part
	passes := func(spans ...Span) (all []pass) {
		for _, sp := range spans {
			if sp.Lo < sp.Hi {
				set := &solid.Set{Slide: sp.Slide, Frame: sp.Rail, Owned: int32(p.Owned)}
				all = append(all, pass{int(sp.Lo), int(sp.Hi), s.mover(smoother, set)})
			}
		}
		return all
	}
	for set := range p.Sets {
		s.first = append(s.first, passes(p.First[set]))
		s.rest = append(s.rest, passes(p.Rest[set], p.Copies[set]))
	}
	if s.comm.Size() == 1 {
		return nil
	}
	_, apart := s.dev.(backend.Memory)
	for k, plan := range p.Plans {
		if !apart {
			s.halos = append(s.halos, halo.NewDirect[solid.Vertex[F]](plan, s.comm, haloTag+k))
			continue
		}
		x, err := halo.NewStaged[solid.Vertex[F]](plan, s.comm, s.dev, haloTag+k)
		if err != nil {
			return err
		}
		s.halos = append(s.halos, x)
	}
	return nil
}

// mover prepares the kernel of a smoother for a set.
func (s *solidSolver[F]) mover(smoother string, set *solid.Set) backend.Loop {
	n, most := &s.counters[0], &s.most[0]
	switch smoother {
	case "laplacian":
		return solid.NewLaplaceLoop(set, &s.params, &s.mesh, &s.field, s.v, n, most)
	case "pain":
		return solid.NewPainLoop(set, &s.params, &s.mesh, &s.field, s.v, n, most)
	case "pain-newton":
		return solid.NewPainNewtonLoop(set, &s.params, &s.mesh, &s.field, s.v, n, most)
	case "pain-exact":
		return solid.NewPainExactLoop(set, &s.params, &s.mesh, &s.field, s.v, n, most)
	default:
		return solid.NewSmartLoop(set, &s.params, &s.mesh, &s.field, s.v, n, most)
	}
}

func (s *solidSolver[F]) Sweeps() int { return s.sweeps }

func (s *solidSolver[F]) Sweep(ctx context.Context, sweeps int) (float64, error) {
	for k := range sweeps {
		if k == sweeps-1 {
			s.longest[0].Reset()
			if err := backend.Upload(s.dev, s.most, s.longest[:]); err != nil {
				return 0, err
			}
		}
		if err := s.sweep(ctx); err != nil {
			return 0, err
		}
		s.sweeps++
	}
	if sweeps == 0 {
		return 0, nil
	}
	if err := backend.Download(s.dev, s.longest[:], s.most); err != nil {
		return 0, err
	}
	// A rank without vertices has moved none. A NaN wins, here and over ranks.
	s.reduced[0] = max(0, float64(s.longest[0].Value()))
	if err := s.comm.AllreduceFloat64(ctx, dist.Max, s.reduced[:]); err != nil {
		return 0, fmt.Errorf("longest move: %w", err)
	}
	if far := s.reduced[0]; far-far != 0 {
		return far, s.broken(ctx)
	}
	return math.Sqrt(s.reduced[0]), nil
}

// sweep moves the sets one after the other. While the vertices that others need travel, the others of their set move:
// they are no neighbours of what arrives. A deep part moves copies of other ranks' vertices too, and exchanges once.
func (s *solidSolver[F]) sweep(ctx context.Context) error {
	for set := range s.first {
		s.move(s.first[set])
		if s.part.Deep || len(s.halos) == 0 {
			s.move(s.rest[set])
			continue
		}
		if err := s.exchange(ctx, set, s.rest[set]); err != nil {
			return err
		}
	}
	if s.part.Deep && len(s.halos) > 0 {
		return s.exchange(ctx, 0, nil)
	}
	return nil
}

func (s *solidSolver[F]) move(passes []pass) {
	for _, p := range passes {
		s.dev.Run(p.loop, p.lo, p.hi)
	}
}

// exchange brings ghosts up to date while other vertices move.
func (s *solidSolver[F]) exchange(ctx context.Context, k int, meanwhile []pass) error {
	n := s.part.Plans[k].Owned + s.part.Plans[k].Ghosts
	if err := s.halos[k].Start(ctx, s.v[:n]); err != nil {
		return err
	}
	s.move(meanwhile)
	if err := s.halos[k].Send(ctx); err != nil {
		return err
	}
	return s.halos[k].Finish(ctx)
}

func (s *solidSolver[F]) Close() {
	for _, x := range s.halos {
		_ = x.Close()
	}
	for _, give := range s.taken {
		_ = give()
	}
	s.halos, s.taken = nil, nil
}
