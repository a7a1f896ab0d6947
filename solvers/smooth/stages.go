package smooth

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
)

// The smoother barrier lowers Σ (1/q)ᵖ in stages, each until it gains no more: it opens with p = 1, lifts the worst
// cells with a large p, and closes with p = 1 again. A floor that only rises, the worst quality before each sweep,
// holds throughout. Where a stage would leave the mean or the worst quality below those of the start, vertices go back,
// so that neither ever is in the end.
//
// In space, where the least Σ 1/q is farther from the greatest mean quality, it then goes toward that, which ends 0.002
// to 0.006 higher. Without that one of the 33 cases beside Mmg in the checks would be 0.0034 below its bound. It costs
// bad tetrahedra, up to a floor of nearly half of the mean, without which they would be two to three times as many
// below 0.2, and the mean up to 0.03 higher. In meshes that are good, of means above 0.6, the floor is higher, so that
// they do not get bad ones for little. In the plane the mean would be 0.001 to 0.003 higher, and meshes that follow a
// field would interpolate it worse.

type stage int

const (
	opening stage = iota
	careful       // instead of the others where opening has lowered the mean: no move lowers the mean around its vertex
	lifting
	closing
	averaging // in space alone
	ended
)

// stageRule is how a stage goes and what follows it.
type stageRule struct {
	doublings   [4]int32 // log₂ p, in so many dimensions; below 0 for the mean quality itself
	rising      bool     // no move lowers the mean around its vertex
	most        int      // sweeps
	mean, worst bool     // it goes on while one of these rises

	// No cell becomes the worst around a vertex below this share of the mean quality, nor below that of its square.
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
	stageLook = 10   // sweeps between two looks at the qualities
	stageRise = 1e-3 // of a quality from one look to the next, that is worth going on
)

// level is the mean and the worst quality of a mesh.
type level struct{ mean, worst float64 }

// atLeast tells whether neither the mean nor the worst is below another's.
func (l level) atLeast(other level) bool { return l.mean >= other.mean && l.worst >= other.worst }

// stages is the state of the smoother barrier.
type stages[V any] struct {
	now         stage
	sweeps      int   // made in it
	kept        []V   // on the device: the vertices to which it goes back
	start, last level // before the first sweep, and at the last look
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

// beginStage begins a stage at a level; keep saves the positions of the vertices.
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

// restore moves the vertices back to the saved positions.
func (e *engine[F, V]) restore() error {
	e.known = false
	return backend.Copy(e.dev, e.v, e.stages.kept)
}

// endSweep raises the floor, and begins the next stage where this one has ended.
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

// Ended tells whether further sweeps would do nothing.
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

// worst is the least quality of the whole mesh.
func (e *engine[F, V]) worst(ctx context.Context) (float64, error) {
	e.lowest[0].Reset()
	if err := backend.Upload(e.dev, e.least, e.lowest[:]); err != nil {
		return 0, err
	}
	e.dev.Run(e.rating.loop, e.rating.lo, e.rating.hi)
	if err := backend.Download(e.dev, e.lowest[:], e.least); err != nil {
		return 0, err
	}
	e.reduced[0] = math.Inf(1) // of a rank without cells
	if e.rating.lo < e.rating.hi {
		e.reduced[0] = float64(e.lowest[0].Value())
	}
	if err := e.comm.AllreduceFloat64(ctx, dist.Min, e.reduced[:]); err != nil {
		return 0, fmt.Errorf("worst quality: %w", err)
	}
	return e.reduced[0], nil
}

// overRelaxed is the relaxation with which the smoother barrier needs the fewest sweeps on a mesh of so many vertices
// of all ranks: 2/(1 + 4/n) for n of them a side.
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

// relax sets the relaxation of the smoother barrier, where none is given.
func (e *engine[F, V]) relax(ctx context.Context) error {
	if e.cfg.Smoother != "barrier" || e.cfg.Relax != 0 {
		return nil
	}
	relax, err := overRelaxed(ctx, e.comm, e.sub.Owned, e.dim)
	e.params.Relax = F(relax)
	return err
}

// prepareRating prepares the reduction of the worst quality, with the kernel that rates the cells.
func (e *engine[F, V]) prepareRating(b *backend.Arrays, rating pass) {
	if e.cfg.Smoother == "barrier" {
		e.stages, e.rating = &stages[V]{kept: backend.Fresh[V](b, len(e.v), "vertices to go back to")}, rating
	}
}
