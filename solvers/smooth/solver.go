package smooth

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/smooth/barrier"
	"github.com/atoll-hpc/atoll/solvers/smooth/faults"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
	"github.com/atoll-hpc/atoll/solvers/smooth/rescaling"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// Solver smooths one rank's part of a mesh. All ranks make the same calls. Its fields are those of the vertices of the
// part, ghosts included.
type Solver struct {
	*engine.Engine
	smoother
}

// smoother is what the solvers of triangles and tetrahedra do in any precision.
type smoother interface {
	Sweep(ctx context.Context, sweeps int) (float64, error)
	// Untangle makes the area or volume of all cells positive, as Config.Untangle requests. It is called once,
	// before the sweeps. If some cells remain inverted it returns a Refusal with the first of their ids.
	Untangle(ctx context.Context) (Untangling, error)
	Halo() string
	// Sweeps returns the number of sweeps, without those of Untangle.
	Sweeps() int
	// Scale returns the factor of the metric, 1 unless it was rescaled.
	Scale() float64
	// Coordinates returns the positions of the owned vertices, in the order of the part's Global: x, y and, in space,
	// z; and Positions those of all vertices of the part, including ghosts as this rank has them.
	Coordinates() ([][]float64, error)
	Positions() ([][]float64, error)
	Qualities() ([]float64, error)
	Quality() solvers.View
	Diagnose(ctx context.Context) (quality.Diagnostics, error)
	DiagnoseRow(ctx context.Context, to *dist.Joint) (dist.Result[quality.Diagnostics], error)
	Ended() bool
	Finish(ctx context.Context) error
	// Vertices returns a copy of the vertices of the part, from which another solver can resume.
	Vertices() (Vertices, error)
	// Resume sets the vertices to those of another solver of the same part and precision, before the first sweep.
	Resume(ctx context.Context, from Vertices) error
	// SetPositions sets the positions of all vertices of the part, ghosts included, in the order of Positions, so
	// that they can be measured; no sweeps may follow.
	SetPositions(ctx context.Context, positions [][3]float64) error
	engine() *engine.Engine
}

// Hash returns the hash of the coordinates of the vertices: see solvers.Hash.
func (s *Solver) Hash(ctx context.Context) (string, error) { return solvers.Hash(ctx, s.Env().Comm, s) }

func (e *points[F, V]) engine() *engine.Engine { return e.Engine }

// solverOf hides the types of a solver that was set up without an error.
func solverOf(s smoother, err error) (*Solver, error) {
	if err != nil {
		return nil, err
	}
	return &Solver{s.engine(), s}, nil
}

// Vertices are the vertices of a part with their ghosts: []kernels.Vertex[F], or in space []solid.Vertex[F].
type Vertices any

// New sets up the solver in the given precision, "float32" or "float64". It refuses a metric that is not positive
// definite at a vertex, and a mesh with inverted or flat triangles, on all ranks with the same Refusal.
func New(ctx context.Context, env solvers.Env, precision string, cfg Config, part *layout.Part,
	metric *sizing.Metric) (*Solver, error) {
	switch precision {
	case "float32":
		s, err := setUp[float32](ctx, env, cfg, part, metric)
		return solverOf(s, err)
	case "float64":
		s, err := setUp[float64](ctx, env, cfg, part, metric)
		return solverOf(s, err)
	}
	return nil, fmt.Errorf("precision %q is not known; choose float32 or float64", precision)
}

type solver[F num.Float] struct {
	mover[F, kernels.Vertex[F]]
	arrays[F]
	part   *layout.Part
	metric *sizing.Metric

	tiles        tiling[F]
	measureCells engine.Task
}

func setUp[F num.Float](ctx context.Context, env solvers.Env, cfg Config, part *layout.Part,
	metric *sizing.Metric) (_ *solver[F], err error) {
	s := &solver[F]{part: part, metric: metric}
	s.mover = newMover[F, kernels.Vertex[F]](env, cfg, &part.Subdomain, 2, [3][]float64{part.X, part.Y})
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
	if s.params, err = parameters[F](cfg); err != nil {
		return nil, err
	}
	if err := s.relax(ctx, len(part.Cells), barrier.ShapeOfTriangle[F](part)); err != nil {
		return nil, err
	}
	field := sizing.InPrecision[F](&metric.Field)
	v := make([]kernels.Vertex[F], len(part.X))
	for i := range v {
		v[i].X, v[i].Y = F(part.X[i]), F(part.Y[i])
	}
	if cfg.Rescale && !cfg.Untangle {
		scale, err := rescaling.Factor(ctx, comm, part, metric, part.X, part.Y)
		if err != nil {
			return nil, err
		}
		field.Scale = F(scale)
	}
	if err := faults.Agree(ctx, comm, s.initialise(&field, v)); err != nil {
		return nil, err
	}
	s.declare(v)
	m := s.declareMesh(part, field)
	if err := s.prepare(ctx, func(set *kernels.Set) backend.Loop { return s.moveLoop(cfg.Smoother, set) }, m); err != nil {
		return nil, err
	}
	if err := s.tileSweeps(ctx); err != nil {
		return nil, err
	}
	s.start, err = s.Diagnose(ctx)
	return s, err
}

func (s *solver[F]) Scale() float64 { return float64(s.field.Scale) }
