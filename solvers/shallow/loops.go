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

// The loops run a kernel over a range of indices. One loop a scheme keeps the choice of scheme out of the inner loop.

type pvmLoop[F kernels.Float] struct{ a *arrays[F] }

func (l *pvmLoop[F]) Range(lo, hi int) {
	a := l.a
	for e := lo; e < hi; e++ {
		kernels.FluxPVM(e, &a.params, &a.mesh, &a.clock, a.now, a.flux, &a.counters)
	}
}

type irRoeLoop[F kernels.Float] struct{ a *arrays[F] }

func (l *irRoeLoop[F]) Range(lo, hi int) {
	a := l.a
	for e := lo; e < hi; e++ {
		kernels.FluxIRRoe(e, &a.params, &a.mesh, &a.clock, a.now, a.flux, &a.counters)
	}
}

type roeLoop[F kernels.Float] struct{ a *arrays[F] }

func (l *roeLoop[F]) Range(lo, hi int) {
	a := l.a
	for e := lo; e < hi; e++ {
		kernels.FluxRoe(e, &a.params, &a.mesh, &a.clock, a.now, a.flux, &a.counters)
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
