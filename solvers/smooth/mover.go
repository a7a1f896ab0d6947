package smooth

import (
	"context"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/smooth/changes"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/survey"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
)

// points are the vertices of a part, their sets and the exchanges of their ghosts. V is the struct of a vertex; its
// first fields are its coordinates and its metric, of type F.
type points[F num.Float, V any] struct {
	*engine.Engine
	dim    int // number of coordinates
	cfg    Config
	sub    *layout.Subdomain
	params kernels.Params[F]
	origin [3][]float64 // initial coordinates of the vertices

	// separate is true for a device with separate memory. The host then has a copy of the vertices, in which only
	// those that are exchanged are current between sweeps.
	separate  bool
	host      []V
	hostMoved []int32

	// The following are in the device's memory; the host must not access them if that is separate. Sets in moved and
	// seen are counted from 1, over all sweeps.
	vertices    *engine.Array[V]
	v           []V     // of vertices
	moved, seen []int32 // of each vertex, the set of its last move and visit; nil unless Cull

	exchanges []*engine.Exchange     // one for each exchange of a sweep; none with Cull
	changes   []*changes.Exchange[V] // instead of exchanges, with Cull
}

// surveyor measures the mesh.
type surveyor[F num.Float, V any] struct {
	points[F, V]
	counters        *engine.Result[kernels.Counters]
	found           *engine.Result[survey.Surveyed]
	sumCells        func(ctx context.Context) error // measures the cells, and adds them up
	start           quality.Diagnostics             // before the first sweep
	lastDiagnostics quality.Diagnostics             // those of the present vertices, if diagnosed
	diagnosed       bool
	cellN, edgeN    int64                 // numbers of the rank's cells and edges
	movedN, activeN int64                 // of its vertices that moved, and that were visited, when they were counted
	hostControl     [1]kernels.Control[F] // host copy of the control of sweeps
}

// mover is the common part of the solvers of triangles and of tetrahedra: sets of vertices that move one after the
// other, and exchanges of ghosts between them.
type mover[F num.Float, V any] struct {
	surveyor[F, V]
	control     []kernels.Control[F] // in the device's memory, one element, as the next have
	longestMove []atomics.Most[F]    // the longest displacement of a vertex
	worst       *engine.Array[atomics.Least[F]]

	loops      sweepLoops
	countSweep engine.Task // counts sweeps on the device
	raiseFloor engine.Task // raises the floor of barrier on the device
	rating     engine.Task // for the smoother barrier: computes the worst quality

	single      func(ctx context.Context) error // a sweep
	several     *engine.Batch                   // sweepsPerRecording sweeps, by sets or tiles
	floored     *engine.Batch                   // a sweep of barrier, before which the device raises the floor
	rateCells   func(ctx context.Context) error // plays rating
	tiled       bool                            // several goes by tiles
	aroundTiles struct {                        // nil unless tiled
		before, centre, after func(ctx context.Context) error
	}

	hostLongest [1]atomics.Most[F] // host copies of longestMove and worst
	hostWorst   [1]atomics.Least[F]
	reduction   [1]float64
	stages      *stages[V] // of the smoother barrier
}

// sweepLoops are the loops of each set, over the vertices that other ranks need, over the rank's other vertices, and
// over its copies of other ranks' vertices. Deep parts have no sent ones, and others no copies.
type sweepLoops struct{ sent, unsent, copies [][]engine.Task }

// haloTag is the message tag of the exchange of set 0; those of further sets and of batches follow.
const haloTag = 16

// environment returns the environment of the engine: a part that is not deep exchanges after each set, from the host's
// memory, since an exchange between devices after each set would take longer.
func environment(env solvers.Env, sub *layout.Subdomain) solvers.Env {
	if !sub.Deep && (env.Halo == "" || env.Halo == "auto") {
		env.Halo = halo.Staged
	}
	return env
}

// newMover begins a solver, whose arrays follow.
func newMover[F num.Float, V any](env solvers.Env, cfg Config, sub *layout.Subdomain, dim int,
	origin [3][]float64) mover[F, V] {
	env = environment(env, sub)
	_, separate := env.Device.(backend.Memory)
	return mover[F, V]{surveyor: surveyor[F, V]{points: points[F, V]{Engine: engine.New(env, engine.NewTable(env.Device)),
		dim: dim, cfg: cfg, sub: sub, origin: origin, separate: separate}}}
}

// declare declares what all kernels share.
func (e *mover[F, V]) declare(v []V) {
	t, n := e.Table(), len(v)
	e.vertices = engine.Input(t, "vertices", n, func() []V { return v })
	e.v = e.vertices.Data
	if e.params.Cull {
		e.moved, e.seen = engine.Add[int32](t, "moves", n).Data, engine.Add[int32](t, "visits", n).Data
	}
	e.control = engine.Add[kernels.Control[F]](t, "control", 1).Data
	e.counters = engine.NewResult[kernels.Counters](t, "counters", true)
	e.longestMove = engine.Add[atomics.Most[F]](t, "longest move", 1).Data
	e.worst = engine.Add[atomics.Least[F]](t, "worst quality", 1)
	e.found = engine.NewResult[survey.Surveyed](t, "diagnostics", true, "Worst", "Best")
	if e.separate {
		e.host, e.hostMoved = v, make([]int32, len(e.moved))
	}
}

// prepare makes the exchanges and the programs, after all arrays were declared.
func (e *mover[F, V]) prepare(ctx context.Context, move func(*kernels.Set) backend.Loop, m *measured[F]) error {
	if err := e.Table().Err(); err != nil {
		return err
	}
	e.loops = e.loopsOfSets(true, move)
	if err := e.connect(ctx); err != nil {
		return err
	}
	var err error
	e.single = e.Prepared(func(p *engine.Program) { e.sweep(p, &e.loops) })
	e.several, err = e.NewBatch(ctx, sweepsPerRecording, func(p *engine.Program) { e.sweep(p, &e.loops) })
	if err != nil {
		return err
	}
	if e.stages != nil {
		if e.floored, err = e.NewBatch(ctx, 1, e.flooredSweep); err != nil {
			return err
		}
		e.rateCells = e.Prepared(func(p *engine.Program) { p.Run(e.rating) })
	}
	cells, row, whole := e.surveys(m)
	e.sumCells = e.Prepared(func(p *engine.Program) { p.Run(cells...) })
	return e.Define(ctx, engine.Definition{Model: e, Advance: e.advance, Fields: e.stateFields(), Saved: e.saved(),
		Restored: e.restored, Measured: func(m *engine.Measures) { e.measures(m, row, whole) }})
}

// advance takes sweeps, whose clock is their number.
func (e *mover[F, V]) advance(ctx context.Context, until, pause float64, steps int) (done bool, err error) {
	n := min(steps, int(min(until, pause))-e.Sweeps())
	_, err = e.Sweep(ctx, n)
	return e.Ended(), err
}

// setSweeps sets the number of sweeps.
func (e *mover[F, V]) setSweeps(n int32) {
	e.hostControl[0].Sweep = n
	e.Now(solvers.Clock{Time: float64(n), Steps: int(n), Dt: 1})
}

// loopsOfSets makes the loops of each set, with or without vertices that slide along the boundary.
func (e *points[F, V]) loopsOfSets(sliding bool, move func(*kernels.Set) backend.Loop) (l sweepLoops) {
	p := e.sub
	over := func(set int, sp layout.Span) (tasks []engine.Task) {
		hi := sp.Hi
		if !sliding {
			hi = sp.FirstSliding
		}
		if sp.Lo < hi {
			k := &kernels.Set{FirstSliding: sp.FirstSliding, FirstRail: sp.FirstRail, Index: int32(set), Sets: int32(p.Sets),
				Owned: int32(p.Owned)}
			tasks = append(tasks, engine.Task{Loop: move(k), Lo: int(sp.Lo), Hi: int(hi)})
		}
		return tasks
	}
	for set := range p.Sets {
		l.sent = append(l.sent, over(set, p.Sent[set]))
		l.unsent = append(l.unsent, over(set, p.Unsent[set]))
		l.copies = append(l.copies, over(set, p.Copies[set]))
	}
	if usesStrips(e.Env().Device, p) {
		insertStrips(p, l.unsent)
	}
	return l
}

// numbers returns the coordinates of a vertex and the components of its metric.
func (e *points[F, V]) numbers(v *V) []F {
	return unsafe.Slice((*F)(unsafe.Pointer(v)), e.dim+e.dim*(e.dim+1)/2)
}

func (e *surveyor[F, V]) Sweeps() int { return int(e.hostControl[0].Sweep) }

// Halo returns the exchanger of ghosts: "nccl" or "p2p" between devices, "staged" through the host, "direct" in the
// host's memory.
func (e *points[F, V]) Halo() string {
	switch kind := e.Size().Halo; {
	case kind != "":
		return kind
	case e.separate:
		return halo.Staged
	}
	return halo.Direct
}
