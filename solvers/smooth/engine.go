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

// engine is what smoothing triangles and tetrahedra has in common: sets of vertices that move one after the other, and
// exchanges between them. V is a vertex: it begins with its coordinates and its metric, all of type F.
type engine[F num.Float, V any] struct {
	dimension
	dim    int // coordinates of a vertex
	cfg    Config
	sub    *layout.Subdomain
	origin [3][]float64 // coordinates of the vertices at the start
	comm   dist.Comm
	dev    backend.Device

	// separate tells that the device has memory of its own. The host then has a copy of the vertices, of which only those
	// that are exchanged are current between sweeps.
	separate  bool
	host      []V
	hostMoved []int32

	// These live on the device; on one with memory of its own the host must not look into them.
	params      kernels.Params[F]
	v           []V
	moved, seen []int32              // a vertex's last move and visit, where Cull asks for them
	control     []kernels.Control[F] // one
	counters    []kernels.Counters   // one
	most        []atomics.Most[F]    // one: the longest move
	least       []atomics.Least[F]   // one: the worst quality
	allocated   backend.Arrays

	first, rest [][]pass // of each set: what other ranks need, and the rest

	tiled              bool   // sweeps that are repeated go by tiles
	toTiles, fromTiles []pass // of tiles: before sweeps are repeated, and after
	aim                []pass // finds which samples of the metric the tiles hold

	ghosts  []halo.GhostExchanger[V] // unless Cull leaves vertices alone
	linked  *halo.DeviceExchanger[V] // one of these, if it goes from device to device
	between halo.GhostExchanger[V]   // of tiles: what goes from rank to rank between batches
	changes []*changes[V]            // instead of ghosts, where Cull does
	count   backend.Loop             // of sweeps, on the device
	replay  backend.Recording        // of several sweeps, made when it is first asked for
	ran     bool                     // several sweeps were queued
	now     [1]kernels.Control[F]
	longest [1]atomics.Most[F]
	lowest  [1]atomics.Least[F]
	reduced [1]float64
	mean    dist.Accumulator
	start   quality.Diagnostics // before the first sweep
	last    quality.Diagnostics // where the vertices are now, if known
	known   bool
	stages  *stages[V]
	rating  pass // of the smoother barrier: finds the worst quality
}

// dimension is what differs between triangles and tetrahedra.
type dimension interface {
	// queue queues so many sweeps, at the end of each of which the device counts it.
	queue(ctx context.Context, sweeps int) error
	// refresh brings what came from other ranks up to date after sweeps by tiles.
	refresh(ctx context.Context) error
	// survey tells a tally of the cells, edges and boundary that the rank measures.
	survey(t *quality.Tally) error
	// sumQualities adds the qualities of the rank's cells, and returns how many there are.
	sumQualities(sum *dist.Accumulator) (int, error)
}

// pass is a kernel over a range of vertices.
type pass struct {
	lo, hi int
	loop   backend.Loop
}

// haloTag and those after it tell the exchanges of sets from each other.
const haloTag = 16

// upload puts the vertices on the device, and what all kernels share.
func (e *engine[F, V]) upload(v []V) error {
	e.allocated.Device = e.dev
	b := &e.allocated
	e.v = backend.Uploaded(b, v, "vertices")
	if e.params.Cull {
		e.moved, e.seen = backend.Fresh[int32](b, len(v), "moves"), backend.Fresh[int32](b, len(v), "visits")
	}
	e.control = backend.Fresh[kernels.Control[F]](b, 1, "control")
	e.counters = backend.Fresh[kernels.Counters](b, 1, "counters")
	e.most = backend.Fresh[atomics.Most[F]](b, 1, "longest move")
	e.least = backend.Fresh[atomics.Least[F]](b, 1, "worst quality")
	if e.separate {
		e.host, e.hostMoved = v, make([]int32, len(e.moved))
	}
	return b.Err()
}

// prepare makes the kernels of all sets, and their exchanges.
func (e *engine[F, V]) prepare(ctx context.Context, mover func(*kernels.Set) backend.Loop) error {
	e.first, e.rest = e.eachSet(true, mover)
	return e.connect(ctx)
}

// eachSet prepares a kernel for all sets: for the vertices of each that other ranks need, and for the rest; with the
// vertices that slide, or without them.
func (e *engine[F, V]) eachSet(sliding bool, mover func(*kernels.Set) backend.Loop) (first, rest [][]pass) {
	p := e.sub
	of := func(set int, spans ...layout.Span) (all []pass) {
		for _, sp := range spans {
			hi := sp.Hi
			if !sliding {
				hi = sp.Slide
			}
			if sp.Lo < hi {
				k := &kernels.Set{Slide: sp.Slide, Rail: sp.Rail, Index: int32(set), Sets: int32(p.Sets),
					Owned: int32(p.Owned)}
				all = append(all, pass{int(sp.Lo), int(hi), mover(k)})
			}
		}
		return all
	}
	for set := range p.Sets {
		first = append(first, of(set, p.First[set]))
		rest = append(rest, of(set, p.Rest[set], p.Copies[set]))
	}
	if stripped(e.dev, p) {
		stripsFirst(p, rest)
	}
	return first, rest
}

// numbers are the coordinates of a vertex and the components of its metric.
func (e *engine[F, V]) numbers(v *V) []F {
	return unsafe.Slice((*F)(unsafe.Pointer(v)), e.dim+e.dim*(e.dim+1)/2)
}

func (e *engine[F, V]) Sweeps() int { return int(e.now[0].Sweep) }

func (e *engine[F, V]) Close() {
	if e.replay != nil {
		e.replay.Close()
		e.replay = nil
	}
	e.disconnect()
	e.allocated.Free()
}
