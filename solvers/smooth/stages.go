package smooth

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// The smoother barrier minimizes Σ (1/q)ᵖ in stages, each until it has converged: opening with p = 1, lifting of
// the worst cells with a large p, and closing with p = 1 again. No move may lower the quality of a cell below a
// floor, which is the worst quality before each sweep and never falls. If a stage would leave the mean or the worst
// quality below those of the start, vertices return to saved positions, so that neither is lower in the end.
//
// In space, where the minimum of Σ 1/q is farther from the maximum of the mean quality, it then maximizes the mean,
// which gains 0.002 to 0.006; without that stage, one of the 33 cases compared with Mmg (atoll verify smooth) would
// be 0.0034 below its bound. The cost is bad tetrahedra; a floor of nearly half of the mean limits them: without it
// two to three times as many would be below 0.2, and the mean up to 0.03 higher. For good meshes, with means above
// 0.6, the floor is higher, so that they do not get bad cells for little gain. In the plane the mean would gain
// only 0.001 to 0.003, and interpolation on meshes that follow a field would be worse.

type stage int

const (
	opening  stage = iota
	cautious       // instead of the others if opening has lowered the mean: no move lowers the mean around its vertex
	lifting
	closing
	averaging // in space only
	ended
)

// stageRule has the parameters of a stage, and its successor.
type stageRule struct {
	doublings   [4]int32 // log₂ p by dimension; negative for the mean quality itself
	rising      bool     // no move lowers the mean around its vertex
	maxSweeps   int      // largest number of sweeps
	mean, worst bool     // the stage continues while the mean, or the worst quality, rises

	// The floor is at least meanShare times the mean quality, and at least squareShare times its square.
	meanShare, squareShare float64
}

var stageRules = [ended]stageRule{
	opening:   {maxSweeps: 100, mean: true, worst: true},
	cautious:  {rising: true, maxSweeps: 100, mean: true, worst: true},
	lifting:   {doublings: [4]int32{2: 3, 3: 2}, maxSweeps: 50, worst: true},
	closing:   {maxSweeps: 50, mean: true},
	averaging: {doublings: [4]int32{3: -1}, maxSweeps: 50, mean: true, meanShare: .48, squareShare: .8},
}

const (
	measureInterval = 10   // sweeps between two measurements of the qualities
	minRise         = 1e-3 // least rise of a quality between measurements for which the stage continues

	// A stage also continues while the worst quality is below sliver and grows by this factor between measurements:
	// each sweep multiplies the quality of a sliver by a factor of up to 2.
	sliver, sliverGrowth = .01, 2
)

// qualityLevel is the mean and the worst quality of a mesh.
type qualityLevel struct{ mean, worst float64 }

// atLeast reports whether neither the mean nor the worst quality is below another's.
func (l qualityLevel) atLeast(other qualityLevel) bool {
	return l.mean >= other.mean && l.worst >= other.worst
}

// stages is the state of the smoother barrier.
type stages[V any] struct {
	current               stage
	sweeps                int              // in this stage
	saved                 *engine.Array[V] // the vertices to which the mesh may return
	startLevel, lastLevel qualityLevel     // before the first sweep, and at the last measurement
	begun                 bool
}

// beginStages measures the mesh before its first sweep.
func (e *mover[F, V]) beginStages(ctx context.Context) (err error) {
	s := e.stages
	if s.begun {
		return nil
	}
	if s.startLevel, err = e.measureLevel(ctx); err != nil {
		return err
	}
	s.begun = true
	return e.beginStage(opening, s.startLevel, true)
}

// beginStage begins a stage on a mesh with the given qualities; if save is set it saves the positions of the
// vertices.
func (e *mover[F, V]) beginStage(next stage, at qualityLevel, save bool) error {
	s := e.stages
	s.current, s.sweeps, s.lastLevel = next, 0, at
	if next == ended {
		return nil
	}
	r := stageRules[next]
	floor := max(at.worst, r.meanShare*at.mean, r.squareShare*at.mean*at.mean)
	e.hostControl[0].Floor, e.hostControl[0].Doublings, e.hostControl[0].Rising = F(floor), r.doublings[e.dim], r.rising
	if save {
		return s.saved.Copy(e.vertices)
	}
	return nil
}

// restoreSaved returns the vertices to the saved positions.
func (e *mover[F, V]) restoreSaved() error {
	e.diagnosed = false
	return e.vertices.Copy(e.stages.saved)
}

// untilMeasured returns the number of sweeps up to the next measurement, at least 1.
func (s *stages[V]) untilMeasured() int { return measureInterval - s.sweeps%measureInterval }

// endSweep raises the floor, and begins the next stage if this one has ended.
func (e *mover[F, V]) endSweep(ctx context.Context) error {
	s := e.stages
	r := stageRules[s.current]
	s.sweeps++
	if s.sweeps%measureInterval != 0 {
		worst, err := e.measureWorst(ctx)
		e.hostControl[0].Floor = max(e.hostControl[0].Floor, F(worst))
		return err
	}
	at, err := e.measureLevel(ctx)
	if err != nil {
		return err
	}
	e.hostControl[0].Floor = max(e.hostControl[0].Floor, F(at.worst))
	rises := r.mean && at.mean-s.lastLevel.mean > minRise || r.worst && at.worst-s.lastLevel.worst > minRise ||
		at.worst < sliver && at.worst > sliverGrowth*s.lastLevel.worst
	s.lastLevel = at
	if rises && s.sweeps < r.maxSweeps {
		return nil
	}
	switch {
	case s.current == opening && at.atLeast(s.startLevel):
		return e.beginStage(lifting, at, true)
	case s.current == lifting:
		return e.beginStage(closing, at, false)
	case s.current == closing && e.dim == 3:
		return e.beginStage(averaging, at, false)
	case at.atLeast(s.startLevel):
		return e.beginStage(ended, at, false)
	}
	if err := e.restoreSaved(); err != nil {
		return err
	}
	if s.current == opening {
		return e.beginStage(cautious, s.startLevel, false)
	}
	return e.beginStage(ended, at, false)
}

// Ended reports whether further sweeps would do nothing.
func (e *mover[F, V]) Ended() bool { return e.stages != nil && e.stages.current == ended }

// Finish ends the smoothing.
func (e *mover[F, V]) Finish(ctx context.Context) error {
	s := e.stages
	if s == nil || !s.begun || s.current == ended {
		return nil
	}
	at, err := e.measureLevel(ctx)
	if err != nil {
		return err
	}
	if !at.atLeast(s.startLevel) {
		if err := e.restoreSaved(); err != nil {
			return err
		}
	}
	return e.beginStage(ended, at, false)
}

// measureLevel measures the mean and the worst quality.
func (e *mover[F, V]) measureLevel(ctx context.Context) (l qualityLevel, err error) {
	if l.worst, err = e.measureWorst(ctx); err != nil {
		return l, err
	}
	l.mean, err = e.meanQuality(ctx)
	return l, err
}

// measureWorst measures the worst quality of the whole mesh.
func (e *mover[F, V]) measureWorst(ctx context.Context) (float64, error) {
	e.hostWorst[0].Reset()
	if err := errors.Join(e.worst.Set(e.hostWorst[:]), e.rateCells(ctx)); err != nil {
		return 0, err
	}
	if err := backend.Download(e.Env().Device, e.hostWorst[:], e.worst.Data); err != nil {
		return 0, err
	}
	e.reduction[0] = math.Inf(1) // for a rank without cells
	if e.rating.Lo < e.rating.Hi {
		e.reduction[0] = float64(e.hostWorst[0].Value())
	}
	if err := e.Env().Comm.AllreduceFloat64(ctx, dist.Min, e.reduction[:]); err != nil {
		return 0, fmt.Errorf("worst quality: %w", err)
	}
	return e.reduction[0], nil
}

// bestRelaxation returns the relaxation with which barrier needs the fewest sweeps: 2/(1 + 4/n), with n the
// square root, in space the cube root, of the number of vertices of the whole mesh.
func bestRelaxation(ctx context.Context, comm dist.Comm, owned, dim int) (float64, error) {
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
func (e *mover[F, V]) relax(ctx context.Context) error {
	if e.cfg.Smoother != "barrier" || e.cfg.Relax != 0 {
		return nil
	}
	relax, err := bestRelaxation(ctx, e.Env().Comm, e.sub.Owned, e.dim)
	e.params.Relax = F(relax)
	return err
}

// declareStages declares what the stages of barrier need, with the loop that rates the cells.
func (e *mover[F, V]) declareStages(rating engine.Task) {
	if e.cfg.Smoother == "barrier" {
		e.stages = &stages[V]{saved: engine.Add[V](e.Table(), "vertices to go back to", len(e.sub.Global))}
		e.rating = rating
		e.raiseFloor = engine.Whole(kernels.NewRaiseFloorLoop(&e.control[0], &e.worst.Data[0], &e.longestMove[0]), 1)
	}
}
