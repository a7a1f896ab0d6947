package smooth

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
)

// The smoother barrier minimizes Σ (1/q)ᵖ in stages, each until it has converged: opening with p = 1, lifting of the
// worst cells with a large p, and closing with p = 1 again. A floor that only rises, the worst quality before each
// sweep, holds throughout. If a stage would leave the mean or the worst quality below those of the start, vertices
// return, so that neither is ever lower in the end.
//
// In space, where the minimum of Σ 1/q is farther from the maximum of the mean quality, it then maximizes the mean,
// which gains 0.002 to 0.006; without that, one of the 33 cases compared with Mmg would be 0.0034 below its bound.
// The cost is bad tetrahedra; a floor of nearly half of the mean limits them: without it two to three times as many
// would be below 0.2, and the mean up to 0.03 higher. For good meshes, with means above 0.6, the floor is higher, so
// that they do not get bad cells for little gain. In the plane the mean would gain only 0.001 to 0.003, and
// interpolation on meshes that follow a field would be worse.

type stage int

const (
	opening stage = iota
	careful       // instead of the others if opening has lowered the mean: no move lowers the mean around its vertex
	lifting
	closing
	averaging // in space only
	ended
)

// stageRule has the parameters of a stage, and its successor.
type stageRule struct {
	doublings   [4]int32 // log₂ p by dimension; negative for the mean quality itself
	rising      bool     // no move lowers the mean around its vertex
	most        int      // largest number of sweeps
	mean, worst bool     // it continues while one of these rises

	// No cell becomes the worst around a vertex below this fraction of the mean quality, nor below that of its
	// square.
	share, square float64
}

var stageRules = [ended]stageRule{
	opening:   {most: 100, mean: true, worst: true},
	careful:   {rising: true, most: 100, mean: true, worst: true},
	lifting:   {doublings: [4]int32{2: 3, 3: 2}, most: 50, worst: true},
	closing:   {most: 50, mean: true},
	averaging: {doublings: [4]int32{3: -1}, most: 50, mean: true, share: .48, square: .8},
}

const (
	stageLook = 10   // sweeps between two measurements of the qualities
	stageRise = 1e-3 // least rise of a quality between measurements for which the stage continues
)

// level is the mean and the worst quality of a mesh.
type level struct{ mean, worst float64 }

// atLeast reports whether neither the mean nor the worst quality is below another's.
func (l level) atLeast(other level) bool { return l.mean >= other.mean && l.worst >= other.worst }

// stages is the state of the smoother barrier.
type stages[V any] struct {
	now         stage
	sweeps      int   // in this stage
	kept        []V   // on the device: the vertices to return to
	start, last level // before the first sweep, and at the last measurement
	begun       bool
}

// beginStages measures the mesh before its first sweep.
func (e *engine[F, V]) beginStages(ctx context.Context) (err error) {
	s := e.stages
	if s.begun {
		return nil
	}
	if s.start, err = e.level(ctx); err != nil {
		return err
	}
	s.begun = true
	return e.beginStage(opening, s.start, true)
}

// beginStage begins a stage at a level; if keep is set it saves the positions of the vertices.
func (e *engine[F, V]) beginStage(next stage, at level, keep bool) error {
	s := e.stages
	s.now, s.sweeps, s.last = next, 0, at
	if next == ended {
		return nil
	}
	r := stageRules[next]
	floor := max(at.worst, r.share*at.mean, r.square*at.mean*at.mean)
	e.now[0].Floor, e.now[0].Doublings, e.now[0].Rising = F(floor), r.doublings[e.dim], r.rising
	if keep {
		return backend.Copy(e.dev, s.kept, e.v)
	}
	return nil
}

// restore returns the vertices to the saved positions.
func (e *engine[F, V]) restore() error {
	e.known = false
	return backend.Copy(e.dev, e.v, e.stages.kept)
}

// endSweep raises the floor, and begins the next stage if this one has ended.
func (e *engine[F, V]) endSweep(ctx context.Context) error {
	s := e.stages
	r := stageRules[s.now]
	s.sweeps++
	if s.sweeps%stageLook != 0 {
		worst, err := e.worst(ctx)
		e.now[0].Floor = max(e.now[0].Floor, F(worst))
		return err
	}
	at, err := e.level(ctx)
	if err != nil {
		return err
	}
	e.now[0].Floor = max(e.now[0].Floor, F(at.worst))
	rises := r.mean && at.mean-s.last.mean > stageRise || r.worst && at.worst-s.last.worst > stageRise
	s.last = at
	if rises && s.sweeps < r.most {
		return nil
	}
	switch {
	case s.now == opening && at.atLeast(s.start):
		return e.beginStage(lifting, at, true)
	case s.now == lifting:
		return e.beginStage(closing, at, false)
	case s.now == closing && e.dim == 3:
		return e.beginStage(averaging, at, false)
	case at.atLeast(s.start):
		return e.beginStage(ended, at, false)
	}
	if err := e.restore(); err != nil {
		return err
	}
	if s.now == opening {
		return e.beginStage(careful, s.start, false)
	}
	return e.beginStage(ended, at, false)
}

// Ended reports whether further sweeps would do nothing.
func (e *engine[F, V]) Ended() bool { return e.stages != nil && e.stages.now == ended }

// Finish ends the smoothing.
func (e *engine[F, V]) Finish(ctx context.Context) error {
	s := e.stages
	if s == nil || !s.begun || s.now == ended {
		return nil
	}
	at, err := e.level(ctx)
	if err != nil {
		return err
	}
	if !at.atLeast(s.start) {
		if err := e.restore(); err != nil {
			return err
		}
	}
	return e.beginStage(ended, at, false)
}

// level measures the mean and the worst quality.
func (e *engine[F, V]) level(ctx context.Context) (l level, err error) {
	if l.worst, err = e.worst(ctx); err != nil {
		return l, err
	}
	l.mean, err = e.meanQuality(ctx)
	return l, err
}

// worst returns the least quality of the whole mesh.
func (e *engine[F, V]) worst(ctx context.Context) (float64, error) {
	e.lowest[0].Reset()
	if err := backend.Upload(e.dev, e.least, e.lowest[:]); err != nil {
		return 0, err
	}
	e.dev.Run(e.rating.loop, e.rating.lo, e.rating.hi)
	if err := backend.Download(e.dev, e.lowest[:], e.least); err != nil {
		return 0, err
	}
	e.reduced[0] = math.Inf(1) // for a rank without cells
	if e.rating.lo < e.rating.hi {
		e.reduced[0] = float64(e.lowest[0].Value())
	}
	if err := e.comm.AllreduceFloat64(ctx, dist.Min, e.reduced[:]); err != nil {
		return 0, fmt.Errorf("worst quality: %w", err)
	}
	return e.reduced[0], nil
}

// overRelaxed returns the relaxation with which barrier needs the fewest sweeps, for the number of vertices on all
// ranks: 2/(1 + 4/n) for n of them along a side.
func overRelaxed(ctx context.Context, comm dist.Comm, owned, dim int) (float64, error) {
	n := []int64{int64(owned)}
	if err := comm.AllreduceInt64(ctx, dist.Sum, n); err != nil {
		return 0, err
	}
	side := math.Sqrt(float64(n[0]))
	if dim == 3 {
		side = math.Cbrt(float64(n[0]))
	}
	return 2 / (1 + 4/side), nil
}

// relax sets the relaxation of barrier if none is given.
func (e *engine[F, V]) relax(ctx context.Context) error {
	if e.cfg.Smoother != "barrier" || e.cfg.Relax != 0 {
		return nil
	}
	relax, err := overRelaxed(ctx, e.comm, e.sub.Owned, e.dim)
	e.params.Relax = F(relax)
	return err
}

// prepareRating prepares the reduction of the worst quality, with the loop that rates the cells.
func (e *engine[F, V]) prepareRating(b *backend.Arrays, rating pass) {
	if e.cfg.Smoother == "barrier" {
		e.stages, e.rating = &stages[V]{kept: backend.Fresh[V](b, len(e.v), "vertices to go back to")}, rating
	}
}
