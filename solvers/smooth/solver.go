package smooth

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/faults"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// Solver smooths one rank's part of a mesh. All ranks make the same calls.
type Solver interface {
	// Sweep visits all vertices that move so many times, and returns the longest move of the last time, in the metric. It
	// makes fewer sweeps where the smoother ends by itself, and returns 0 then.
	// It allocates nothing.
	Sweep(ctx context.Context, sweeps int) (float64, error)
	// Untangle makes all cells upright, if some are not: see Config.Untangle. It is called once, before the sweeps.
	// Where some remain it returns a Refusal with the first of their ids.
	Untangle(ctx context.Context) (Untangling, error)
	// Halo is how ghosts travel: "nccl" between devices, "staged" through the host, "direct" where it holds the vertices.
	Halo() string
	// Bytes is what the arrays take that the kernels work on.
	Bytes() int64
	// Sweeps is how many there were, without those that untangled.
	Sweeps() int
	// Scale is the factor of the metric, 1 unless it was rescaled.
	Scale() float64
	// Coordinates returns where the owned vertices are, in the order of the part's Global: x, y and, in space, z.
	Coordinates() ([][]float64, error)
	// Positions returns where all vertices of the part are, in that order: ghosts as this rank knows them.
	Positions() ([][]float64, error)
	// Qualities returns the quality of the part's cells, in the order of Part.CellGlobal.
	Qualities() ([]float64, error)
	// Quality measures all cells, and tells where their qualities lie until the next call that measures them.
	Quality() solvers.View
	Diagnose(ctx context.Context) (quality.Diagnostics, error)
	// StateFields are what the vertices of the part hold, ghosts too.
	StateFields() []solvers.Field
	// State, Scalars and Restore are those of solvers.Restarter.
	State(ctx context.Context) ([]solvers.State, error)
	Scalars(ctx context.Context) (map[string]float64, error)
	Restore(ctx context.Context, at solvers.Clock, scalars map[string]float64, fill func() error) error
	// Ended tells whether further sweeps do nothing, since the smoother barrier has gone through its stages; others never
	// have.
	Ended() bool
	// Finish ends the smoothing with barrier: where the mean or the worst quality is below that of the start, vertices go
	// back to where neither was. After it no sweep does anything. Other smoothers know nothing of it.
	Finish(ctx context.Context) error
	// Hash is that of the coordinates of the vertices: see solvers.Hash.
	Hash(ctx context.Context) (string, error)
	// Resume puts the vertices where another solver of the same part and precision has them, before the first sweep.
	Resume(ctx context.Context, from Solver) error
	// SetPositions puts all vertices of the part, ghosts too, to positions where a solver of the part has had them, to be
	// measured there: no sweeps follow.
	SetPositions(ctx context.Context, places [][3]float64) error
	// Close gives back what the device holds.
	Close()
}

// New sets up the solver in the given precision, "float32" or "float64". It refuses a metric that is not positive
// definite at a vertex, and a mesh with triangles that are inverted or flat, on all ranks with the same Refusal.
func New(ctx context.Context, precision string, cfg Config, part *layout.Part, metric *sizing.Metric, comm dist.Comm,
	dev backend.Device) (Solver, error) {
	switch precision {
	case "float32":
		return setUp[float32](ctx, cfg, part, metric, comm, dev)
	case "float64":
		return setUp[float64](ctx, cfg, part, metric, comm, dev)
	}
	return nil, fmt.Errorf("precision %q is not known; choose float32 or float64", precision)
}

type solver[F num.Float] struct {
	engine[F, kernels.Vertex[F]]
	arrays[F]
	part   *layout.Part
	metric *sizing.Metric

	tiles       tiling[F]
	measureCell backend.Loop
	measureEdge backend.Loop
}

func setUp[F num.Float](ctx context.Context, cfg Config, part *layout.Part, metric *sizing.Metric, comm dist.Comm,
	dev backend.Device) (_ *solver[F], err error) {
	s := &solver[F]{part: part, metric: metric}
	s.engine = engine[F, kernels.Vertex[F]]{dimension: s, dim: 2, cfg: cfg, sub: &part.Subdomain,
		origin: [3][]float64{part.X, part.Y}, comm: comm, dev: dev}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	_, s.separate = dev.(backend.Memory)
	if err := checkCurves(&part.Subdomain, &cfg); err != nil {
		return nil, err
	}
	if s.params, err = parameters[F](cfg); err != nil {
		return nil, err
	}
	if err := s.relax(ctx); err != nil {
		return nil, err
	}
	field := sizing.In[F](&metric.Field)
	v := make([]kernels.Vertex[F], len(part.X))
	for i := range v {
		v[i].X, v[i].Y = F(part.X[i]), F(part.Y[i])
	}
	if cfg.Rescale && !cfg.Untangle {
		scale, err := rescale(ctx, comm, part, metric, part.X, part.Y)
		if err != nil {
			return nil, err
		}
		field.Scale = F(scale)
	}
	if err := faults.Agree(ctx, comm, initialise(part, &field, v, cfg.Untangle)); err != nil {
		return nil, err
	}
	if err := s.upload(v); err != nil {
		return nil, err
	}
	if err := s.uploadArrays(part, field); err != nil {
		return nil, err
	}
	if err := s.prepare(ctx, func(set *kernels.Set) backend.Loop { return s.mover(cfg.Smoother, set) }); err != nil {
		return nil, err
	}
	if err := s.tileSweeps(ctx); err != nil {
		return nil, err
	}
	s.start, err = s.Diagnose(ctx)
	return s, err
}

func (s *solver[F]) Scale() float64 { return float64(s.field.Scale) }
