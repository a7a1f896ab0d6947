package smooth

import (
	"context"
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// Solver smooths one rank's part of a mesh. All ranks make the same calls.
type Solver interface {
	// Sweep visits all vertices that move so many times, and returns the longest move of the last time, in the metric.
	// It allocates nothing.
	Sweep(ctx context.Context, sweeps int) (float64, error)
	// Untangle makes all triangles upright, if some are not; see Config.Untangle.
	Untangle(ctx context.Context) (Untangling, error)
	// Halo is how ghosts travel: "nccl" between devices, "staged" through the host, "direct" where it holds the vertices.
	Halo() string
	// Sweeps is how many there were, without those that untangled.
	Sweeps() int
	// Scale is the factor of the metric, 1 unless it was rescaled.
	Scale() float64
	// Coordinates returns where the owned vertices are, in the order of Part.Global.
	Coordinates() (x, y []float64, err error)
	// Places returns where all vertices of the part are, in the order of Part.Global: ghosts as this rank knows them.
	Places() (x, y []float64, err error)
	// Qualities returns the quality of the part's cells, in the order of Part.CellGlobal.
	Qualities() ([]float64, error)
	Diagnose(ctx context.Context) (Diagnostics, error)
	// Hash returns the SHA-256 of the coordinates in global order, x and then y of each vertex.
	Hash(ctx context.Context) (string, error)
	// Close gives back what the device holds.
	Close()
}

// New sets up the solver in the given precision, "float32" or "float64". It refuses a metric that is not positive
// definite at a vertex, and a mesh with triangles that are turned over or flat, on all ranks with the same Refusal.
func New(ctx context.Context, precision string, cfg Config, part *Part, metric *Metric, comm dist.Comm,
	dev backend.Device) (Solver, error) {
	switch precision {
	case "float32":
		return setUp[float32](ctx, cfg, part, metric, comm, dev)
	case "float64":
		return setUp[float64](ctx, cfg, part, metric, comm, dev)
	}
	return nil, fmt.Errorf("precision %q is not known; choose float32 or float64", precision)
}

type solver[F kernels.Float] struct {
	cfg    Config
	part   *Part
	metric *Metric
	comm   dist.Comm
	dev    backend.Device
	arrays[F]

	// apart tells that the device has memory of its own. The host then has a copy of the vertices, of which only those
	// that are exchanged are current between sweeps.
	apart     bool
	host      []kernels.Vertex[F]
	hostMoved []int32

	first, rest [][]pass // of each set: what other ranks need, and the rest
	halos       []*halo.Exchanger
	ghosts      []halo.Ghosts[kernels.Vertex[F]] // instead of halos, where devices exchange them
	linked      bool                             // these go from device to device
	changes     []*changes[F]                    // instead of halos, where Cull leaves vertices alone
	count       backend.Loop                     // of sweeps, on the device
	replay      backend.Recording                // of several sweeps, made when it is first asked for
	ntiles      int                              // 0 if sweeps go by sets
	measureCell backend.Loop
	measureEdge backend.Loop
	now         [1]kernels.Control[F]
	longest     [1]atomics.Most[F]
	reduced     [1]float64
	start       Diagnostics // before the first sweep
	order       []int32     // owned vertices in ascending global order
}

// pass is a kernel over a range of vertices.
type pass struct {
	lo, hi int
	loop   backend.Loop
}

func setUp[F kernels.Float](ctx context.Context, cfg Config, part *Part, metric *Metric, comm dist.Comm,
	dev backend.Device) (_ *solver[F], err error) {
	s := &solver[F]{cfg: cfg, part: part, metric: metric, comm: comm, dev: dev}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	_, s.apart = dev.(backend.Memory)
	if part.Clustered && (s.apart || cfg.Cull) {
		return nil, errors.New("clusters are visited one vertex after the other, neither on devices nor in culled sweeps: " +
			"set LayoutOptions.Spread")
	}
	if s.params, err = parameters[F](cfg); err != nil {
		return nil, err
	}
	field := fieldIn[F](&metric.field)
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
	if err := agree(ctx, comm, start(part, &field, v, cfg.Untangle)); err != nil {
		return nil, err
	}
	if err := s.place(dev, part, v, field); err != nil {
		return nil, err
	}
	if s.apart {
		s.host, s.hostMoved = v, make([]int32, len(s.moved))
	}
	s.prepare()
	if err := s.connect(ctx); err != nil {
		return nil, err
	}
	if err := s.tileSweeps(); err != nil {
		return nil, err
	}
	s.start, err = s.Diagnose(ctx)
	return s, err
}

// prepare makes the kernels of all sets.
func (s *solver[F]) prepare() {
	p := s.part
	s.first, s.rest = s.eachSet(true, func(set *kernels.Set) backend.Loop { return s.mover(s.cfg.Smoother, set) })
	for k, plan := range p.Plans {
		if s.params.Cull {
			v := s.v
			if s.apart {
				v = s.host
			}
			s.changes = append(s.changes, newChanges(plan, s.comm, haloTag+k, v))
			continue
		}
		s.halos = append(s.halos, halo.NewExchanger(plan, s.comm, haloTag+k, int(sizeOf[kernels.Vertex[F]]())))
	}
	s.count = kernels.NewCountLoop(&s.control[0])
	s.measureCell = kernels.NewMeasureCellLoop(s.cells, s.v, s.shapes)
	s.measureEdge = kernels.NewMeasureEdgeLoop(s.edges, s.v, s.sides)
}

// eachSet prepares a kernel for all sets: for what other ranks need of each, and the rest; with the vertices that slide, or
// without them.
func (s *solver[F]) eachSet(sliding bool, mover func(*kernels.Set) backend.Loop) (first, rest [][]pass) {
	p := s.part
	of := func(set int, spans ...Span) (all []pass) {
		for _, sp := range spans {
			hi := sp.Hi
			if !sliding {
				hi = sp.Slide
			}
			if sp.Lo < hi {
				k := &kernels.Set{Slide: sp.Slide, Rail: sp.Rail, Index: int32(set), Sets: int32(p.Sets),
					Owned: int32(p.Owned)}
				loop := mover(k)
				if p.Clustered {
					loop = &clustered{loop, p.Clusters, int(hi)}
				}
				all = append(all, pass{int(sp.Lo), int(hi), loop})
			}
		}
		return all
	}
	for set := range p.Sets {
		first = append(first, of(set, p.First[set]))
		rest = append(rest, of(set, p.Rest[set], p.Copies[set]))
	}
	return first, rest
}

// haloTag and those after it keep the exchanges of sets apart.
const haloTag = 16

func (s *solver[F]) Sweeps() int    { return int(s.now[0].Sweep) }
func (s *solver[F]) Scale() float64 { return float64(s.field.Scale) }

func (s *solver[F]) Close() {
	if s.replay != nil {
		s.replay.Close()
		s.replay = nil
	}
	s.disconnect()
	s.free()
}
