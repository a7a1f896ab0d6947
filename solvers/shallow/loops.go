package shallow

import (
	"math"
	"sync"

	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// arrays is what the kernels of a rank work on.
type arrays[F kernels.Float] struct {
	params   kernels.Params[F]
	mesh     kernels.Mesh[F]
	clock    kernels.Clock[F]
	now      []kernels.State[F]
	next     []kernels.State[F]
	flux     []kernels.Flux[F]
	manning  []F
	counters kernels.Counters
}

// tile is how many edges go through a stage before the next one begins. The work on one edge is a long chain of
// operations that wait for each other; in stages a processor overlaps those of several edges (measured: 93 ns an edge
// against 165), and the faces of a tile stay in the first-level cache.
const tile = 32

// fluxLoop runs kernels.FluxPVM, FluxIRRoe or FluxRoe, stage by stage.
type fluxLoop[F kernels.Float] struct {
	a        *arrays[F]
	roe      bool // or PVM-IFCP
	contacts bool // the tangential flux of the classical scheme
}

func (l *fluxLoop[F]) Range(lo, hi int) {
	a := l.a
	var faces [tile]kernels.Face[F]
	for ; lo < hi; lo += tile {
		f := faces[:min(tile, hi-lo)]
		for i := range f {
			f[i].Look(lo+i, &a.params, &a.mesh, a.now)
		}
		for i := range f {
			f[i].Waves(&a.params)
		}
		if l.roe {
			for i := range f {
				f[i].Roe(&a.params)
			}
		} else {
			for i := range f {
				f[i].PVM(&a.params)
			}
		}
		for i := range f {
			f[i].Split(lo+i, &a.params, &a.mesh, &a.clock, l.contacts, a.flux, &a.counters)
		}
	}
}

// updateLoop also takes the minimum of what the kernel returns; a NaN wins over any number.
type updateLoop[F kernels.Float] struct {
	a  *arrays[F]
	mu sync.Mutex
	dt F
}

func (l *updateLoop[F]) reset() { l.dt = F(math.Inf(1)) }

func (l *updateLoop[F]) Range(lo, hi int) {
	a := l.a
	least := F(math.Inf(1))
	for i := lo; i < hi; i++ {
		dt := kernels.UpdateCell(i, &a.params, &a.mesh, &a.clock, a.now, a.flux, a.manning, a.next)
		if !(dt >= least) {
			least = dt
		}
		if least != least {
			break
		}
	}
	l.mu.Lock()
	if !(least >= l.dt) && l.dt == l.dt {
		l.dt = least
	}
	l.mu.Unlock()
}
