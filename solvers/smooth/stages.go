package smooth

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/smooth/barrier"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// stages is the state of the smoother barrier.
type stages[V any] struct {
	current               barrier.Stage
	sweeps                int              // in this stage
	saved                 *engine.Array[V] // the vertices to which the mesh may return
	startLevel, lastLevel barrier.Level    // before the first sweep, and at the last measurement
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
	return e.beginStage(barrier.Opening, s.startLevel, true)
}

// beginStage begins a stage on a mesh with the given qualities, and with save saves the positions of the vertices.
func (e *mover[F, V]) beginStage(next barrier.Stage, at barrier.Level, save bool) error {
	s := e.stages
	s.current, s.sweeps, s.lastLevel = next, 0, at
	if next == barrier.Ended {
		return nil
	}
	r, c := next.Rule(), &e.hostControl[0]
	c.Floor, c.Doublings, c.Rising = F(r.Floor(at)), r.Doublings[e.dim], r.Rising
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

// endSweep raises the floor, and begins the next stage if this one has ended.
func (e *mover[F, V]) endSweep(ctx context.Context) error {
	s := e.stages
	r := s.current.Rule()
	s.sweeps++
	if !barrier.Measures(s.sweeps) {
		worst, err := e.measureWorst(ctx)
		e.hostControl[0].Floor = max(e.hostControl[0].Floor, F(worst))
		return err
	}
	at, err := e.measureLevel(ctx)
	if err != nil {
		return err
	}
	e.hostControl[0].Floor = max(e.hostControl[0].Floor, F(at.Worst))
	last := s.lastLevel
	if s.lastLevel = at; r.Continues(s.sweeps, last, at) {
		return nil
	}
	next, restore, save := s.current.Next(e.dim, s.startLevel, at)
	if restore {
		if err := e.restoreSaved(); err != nil {
			return err
		}
		if next == barrier.Cautious {
			at = s.startLevel
		}
	}
	return e.beginStage(next, at, save)
}

// Ended reports whether further sweeps would do nothing.
func (e *mover[F, V]) Ended() bool { return e.stages != nil && e.stages.current == barrier.Ended }

// Finish ends the smoothing.
func (e *mover[F, V]) Finish(ctx context.Context) error {
	s := e.stages
	if s == nil || !s.begun || s.current == barrier.Ended {
		return nil
	}
	at, err := e.measureLevel(ctx)
	if err != nil {
		return err
	}
	if !at.AtLeast(s.startLevel) {
		if err := e.restoreSaved(); err != nil {
			return err
		}
	}
	return e.beginStage(barrier.Ended, at, false)
}

// measureLevel measures the mean and the worst quality.
func (e *mover[F, V]) measureLevel(ctx context.Context) (l barrier.Level, err error) {
	if l.Worst, err = e.measureWorst(ctx); err != nil {
		return l, err
	}
	l.Mean, err = e.meanQuality(ctx)
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

// relax sets the least shape of barrier, if that is kept, and its relaxation if none is given.
func (e *mover[F, V]) relax(ctx context.Context, cells int, shape func(cell int) float64) (err error) {
	if e.cfg.Smoother == "barrier" && e.cfg.KeepShape {
		e.params.Shape, err = barrier.LeastShape[F](ctx, e.Env().Comm, cells, shape)
	}
	if err != nil || e.cfg.Smoother != "barrier" || e.cfg.Relax != 0 {
		return err
	}
	relax, err := barrier.Relaxation(ctx, e.Env().Comm, e.sub.Owned, e.dim)
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
