package smooth

import (
	"context"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
)

// engine is the common part of the solvers of triangles and of tetrahedra: sets of vertices that move one after the
// other, and exchanges of ghosts between them. V is the struct of a vertex; its first fields are its coordinates
// and its metric, of type F.
type engine[F num.Float, V any] struct {
	dimension
	dim    int // number of coordinates
	cfg    Config
	sub    *layout.Subdomain
	origin [3][]float64 // initial coordinates of the vertices
	comm   dist.Comm
	dev    backend.Device

	// separate is true for a device with separate memory. The host then has a copy of the vertices, in which only
	// those that are exchanged are current between sweeps.
	separate  bool
	host      []V
	hostMoved []int32

	// The following are in the device's memory; the host must not access them if that is separate. Sets in moved and
	// seen are counted from 1, over all sweeps.
	params       kernels.Params[F]
	v            []V
	moved, seen  []int32              // of each vertex, the set of its last move and visit; nil unless Cull
	control      []kernels.Control[F] // one element, as the next three have
	counters     []kernels.Counters   // moves, visits and others
	longestMove  []atomics.Most[F]    // the longest displacement of a vertex
	worstQuality []atomics.Least[F]   // the worst quality of a cell
	allocated    backend.Arrays

	// For each set: the passes over the vertices that other ranks need, and over its other vertices and its copies.
	sentPasses, unsentPasses [][]pass

	tiled              bool   // sweeps go by tiles
	toTiles, fromTiles []pass // copy the vertices to the arrays of the tiles before such sweeps, and back afterwards
	centreWindows      []pass // centre the windows of the tiles on their vertices

	ghosts          []halo.GhostExchanger[V] // one for each exchange of a sweep; none with Cull
	deviceGhosts    *halo.DeviceExchanger[V] // the last of ghosts, if devices exchange it directly
	batchGhosts     halo.GhostExchanger[V]   // with tiles: once a batch
	changes         []*changeExchange[V]     // instead of ghosts, with Cull
	count           backend.Loop             // counts sweeps on the device
	raiseFloor      backend.Loop             // raises the floor of barrier on the device
	sweeps          backend.Replay           // of sweepsPerRecording sweeps, or of one of barrier
	hostControl     [1]kernels.Control[F]    // host copies of control, longestMove and worstQuality
	hostLongest     [1]atomics.Most[F]
	hostWorst       [1]atomics.Least[F]
	reduction       [1]float64
	qualitySum      dist.Accumulator
	start           quality.Diagnostics // before the first sweep
	lastDiagnostics quality.Diagnostics // those of the present vertices, if diagnosed
	diagnosed       bool
	observer        observer
	stages          *stages[V]
	ratePass        pass // for the smoother barrier: computes the worst quality
}

// dimension holds the operations that differ between triangles and tetrahedra.
type dimension interface {
	// queue queues a number of sweeps. The device counts each at its end.
	queue(ctx context.Context, sweeps int) error
	// refreshGhosts updates the ghosts after sweeps by tiles.
	refreshGhosts(ctx context.Context) error
}

// pass is a loop over a range of vertices.
type pass struct {
	lo, hi int
	loop   backend.Loop
}

// haloTag is the message tag of the exchange of set 0; those of further sets and of batches follow.
const haloTag = 16

// upload copies the vertices to the device, and allocates what all kernels share.
func (e *engine[F, V]) upload(v []V) error {
	e.allocated.Device = e.dev
	b := &e.allocated
	e.v = backend.Uploaded(b, v, "vertices")
	if e.params.Cull {
		e.moved, e.seen = backend.Fresh[int32](b, len(v), "moves"), backend.Fresh[int32](b, len(v), "visits")
	}
	e.control = backend.Fresh[kernels.Control[F]](b, 1, "control")
	e.counters = backend.Fresh[kernels.Counters](b, 1, "counters")
	e.longestMove = backend.Fresh[atomics.Most[F]](b, 1, "longest move")
	e.worstQuality = backend.Fresh[atomics.Least[F]](b, 1, "worst quality")
	if e.separate {
		e.host, e.hostMoved = v, make([]int32, len(e.moved))
	}
	return b.Err()
}

// prepare makes the loops of all sets, and their exchanges.
func (e *engine[F, V]) prepare(ctx context.Context, newLoop func(*kernels.Set) backend.Loop) error {
	e.sentPasses, e.unsentPasses = e.passesOfSets(true, newLoop)
	return e.connect(ctx)
}

// passesOfSets makes the passes of each set, over the vertices that other ranks need and over the others, with or
// without vertices that slide along the boundary.
func (e *engine[F, V]) passesOfSets(sliding bool, newLoop func(*kernels.Set) backend.Loop) (first, rest [][]pass) {
	p := e.sub
	passesOver := func(set int, spans ...layout.Span) (passes []pass) {
		for _, sp := range spans {
			hi := sp.Hi
			if !sliding {
				hi = sp.FirstSliding
			}
			if sp.Lo < hi {
				k := &kernels.Set{FirstSliding: sp.FirstSliding, FirstRail: sp.FirstRail, Index: int32(set), Sets: int32(p.Sets),
					Owned: int32(p.Owned)}
				passes = append(passes, pass{int(sp.Lo), int(hi), newLoop(k)})
			}
		}
		return passes
	}
	for set := range p.Sets {
		first = append(first, passesOver(set, p.Sent[set]))
		rest = append(rest, passesOver(set, p.Unsent[set], p.Copies[set]))
	}
	if usesStrips(e.dev, p) {
		insertStrips(p, rest)
	}
	return first, rest
}

// numbers returns the coordinates of a vertex and the components of its metric.
func (e *engine[F, V]) numbers(v *V) []F {
	return unsafe.Slice((*F)(unsafe.Pointer(v)), e.dim+e.dim*(e.dim+1)/2)
}

func (e *engine[F, V]) Sweeps() int { return int(e.hostControl[0].Sweep) }

func (e *engine[F, V]) Close() {
	e.sweeps.Close()
	e.disconnect()
	e.allocated.Free()
}
