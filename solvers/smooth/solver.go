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
	// Sweep makes `sweeps` sweeps over all moving vertices, and returns the longest move of the last sweep, in the
	// metric. If the smoother ends by itself, it makes fewer and returns 0. It allocates nothing.
	Sweep(ctx context.Context, sweeps int) (float64, error)
	// Untangle makes the area or volume of all cells positive, as Config.Untangle requests. It is called once,
	// before the sweeps. If some cells remain inverted it returns a Refusal with the first of their ids.
	Untangle(ctx context.Context) (Untangling, error)
	// Halo returns the exchanger of ghosts: "nccl" between devices, "staged" through the host, "direct" in the host's
	// memory.
	Halo() string
	// Bytes returns the size of the arrays on the device.
	Bytes() int64
	// Sweeps returns the number of sweeps, without those of Untangle.
	Sweeps() int
	// Scale returns the factor of the metric, 1 unless it was rescaled.
	Scale() float64
	// Coordinates returns the positions of the owned vertices, in the order of the part's Global: x, y and, in space,
	// z.
	Coordinates() ([][]float64, error)
	// Positions returns the positions of all vertices of the part, in that order, including ghosts as this rank has
	// them.
	Positions() ([][]float64, error)
	// Qualities returns the quality of the part's cells, in the order of Part.CellGlobal.
	Qualities() ([]float64, error)
	// Quality measures all cells, and returns a view of their qualities, valid until the next call that measures
	// them.
	Quality() solvers.View
	Diagnose(ctx context.Context) (quality.Diagnostics, error)
	// Observe and Observed are of solvers.Observer: they diagnose while the device does what is queued, but find no worst
	// and best cell, mean length and histograms, and count no moved and active vertices.
	Observe(ctx context.Context) error
	Observed(to *dist.Joint) (dist.Result[quality.Diagnostics], error)
	// StateFields are the saved fields of the vertices of the part, ghosts included.
	StateFields() []solvers.Field
	// State, Scalars and Restore implement solvers.Restarter.
	State(ctx context.Context) ([]solvers.State, error)
	Scalars(ctx context.Context) (map[string]float64, error)
	Restore(ctx context.Context, at solvers.Clock, scalars map[string]float64, fill func() error) error
	// Ended reports whether further sweeps do nothing, because the smoother barrier has finished its stages; it is
	// always false for others.
	Ended() bool
	// Finish ends smoothing with barrier: if the mean or the worst quality is below that of the start, vertices
	// return to positions where neither was. No sweep does anything afterwards. It has no effect on other smoothers.
	Finish(ctx context.Context) error
	// Hash returns the hash of the coordinates of the vertices: see solvers.Hash.
	Hash(ctx context.Context) (string, error)
	// Vertices returns a copy of the vertices of the part, from which another solver can resume.
	Vertices() (Vertices, error)
	// Resume sets the vertices to those of another solver of the same part and precision, before the first sweep.
	Resume(ctx context.Context, from Vertices) error
	// SetPositions sets the positions of all vertices of the part, ghosts included, in the order of Positions, so
	// that they can be measured; no sweeps may follow.
	SetPositions(ctx context.Context, positions [][3]float64) error
	// Close frees the memory on the device.
	Close()
}

// Vertices are the vertices of a part with their ghosts: []kernels.Vertex[F], or in space []solid.Vertex[F].
type Vertices any

// New sets up the solver in the given precision, "float32" or "float64". It refuses a metric that is not positive
// definite at a vertex, and a mesh with inverted or flat triangles, on all ranks with the same Refusal.
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
	field := sizing.InPrecision[F](&metric.Field)
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
	if err := s.prepare(ctx, func(set *kernels.Set) backend.Loop { return s.moveLoop(cfg.Smoother, set) }); err != nil {
		return nil, err
	}
	if err := s.tileSweeps(ctx); err != nil {
		return nil, err
	}
	s.start, err = s.Diagnose(ctx)
	return s, err
}

func (s *solver[F]) Scale() float64 { return float64(s.field.Scale) }
