package smooth

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
)

func (s *engine[F, V]) Sweep(ctx context.Context, sweeps int) (float64, error) {
	if s.Ended() {
		return 0, nil
	}
	if int64(s.hostControl[0].Sweep)+int64(sweeps) > maxSweeps {
		return 0, fmt.Errorf("%d sweeps after %d exceed the limit of %d in a run: use fewer", sweeps,
			s.hostControl[0].Sweep, maxSweeps)
	}
	s.diagnosed = s.diagnosed && sweeps == 0
	done, err := s.repeatSweeps(ctx, sweeps-1)
	if err != nil {
		return 0, err
	}
	for k := done; k < sweeps && !s.Ended(); {
		if err := s.beginSweep(ctx, k == sweeps-1); err != nil {
			return 0, err
		}
		if err := s.sweep(ctx); err != nil {
			return 0, err
		}
		made := 1
		if s.raisesFloor() {
			made = min(sweeps-k, s.stages.untilMeasured())
			if err := s.repeatWithFloor(ctx, made-1); err != nil {
				return 0, err
			}
		}
		if err := ctx.Err(); err != nil { // a single rank makes no call that would detect that ctx was cancelled
			return 0, err
		}
		s.hostControl[0].Sweep += int32(made)
		k += made
		if s.stages == nil {
			continue
		}
		if err := s.endSweep(ctx); err != nil {
			return 0, err
		}
	}
	if sweeps == 0 || s.Ended() {
		return 0, nil
	}
	if err := backend.Download(s.dev, s.hostLongest[:], s.longestMove); err != nil {
		return 0, err
	}
	// A rank without vertices has no move. NaN counts as the longest move, here and over ranks.
	s.reduction[0] = max(0, float64(s.hostLongest[0].Value()))
	if err := s.comm.AllreduceFloat64(ctx, dist.Max, s.reduction[:]); err != nil {
		return 0, fmt.Errorf("longest move: %w", err)
	}
	if move := s.reduction[0]; move-move != 0 {
		return move, s.checkFinite(ctx)
	}
	return math.Sqrt(s.reduction[0]), nil
}

// maxSweeps keeps the numbers of sets, over all sweeps, within int32.
const maxSweeps = math.MaxInt32 / (2 * colouring.MaxColours)

// beginSweep uploads the number of the sweep and other values that the smoother needs. last is true before the last
// sweep of a call, whose longest move is returned.
func (s *engine[F, V]) beginSweep(ctx context.Context, last bool) error {
	if s.cfg.Smoother == "hybrid" {
		s.hostControl[0].Floor = F(s.cfg.Floor)
		if s.cfg.Floor == 0 {
			mean, err := s.meanQuality(ctx)
			if err != nil {
				return err
			}
			if s.dim == 3 { // tetrahedra are rarely as good as triangles, and half of them are below the mean
				mean /= 2
			}
			s.hostControl[0].Floor = F(mean)
		}
	}
	if s.stages != nil {
		if err := s.beginStages(ctx); err != nil {
			return err
		}
		last = true // since barrier may end with any sweep
	}
	if s.params.Cull || s.stages != nil || s.cfg.Smoother == "hybrid" { // other smoothers do not read the control
		if err := backend.Upload(s.dev, s.control, s.hostControl[:]); err != nil {
			return err
		}
	}
	if !last {
		return nil
	}
	s.hostLongest[0].Reset()
	return backend.Upload(s.dev, s.longestMove, s.hostLongest[:])
}

// sweep moves the sets one after the other. The vertices that other ranks need move first, and are sent while the
// rest of their set moves, which has no neighbours among the ghosts that arrive. A deep part moves copies of other
// ranks' vertices too, and exchanges once a sweep.
func (s *engine[F, V]) sweep(ctx context.Context) error {
	for set := range s.sentPasses {
		if s.sub.Deep {
			if err := s.moveSet(ctx, set); err != nil {
				return err
			}
			continue
		}
		s.run(s.sentPasses[set])
		if err := s.startHalo(ctx, set, set, set+1); err != nil {
			return err
		}
		s.run(s.unsentPasses[set])
		if err := s.finishHalo(ctx, set); err != nil {
			return err
		}
	}
	if !s.sub.Deep || len(s.sub.Plans) == 0 {
		return nil
	}
	return s.exchangeAll(ctx)
}

// moveSet moves the vertices of a set: on linked devices the own vertices and the copies at the same time, since a GPU
// takes hardly longer for both than for one.
func (s *engine[F, V]) moveSet(ctx context.Context, set int) error {
	s.run(s.sentPasses[set])
	passes := s.unsentPasses[set]
	if s.deviceGhosts == nil || len(passes) < 2 {
		s.run(passes)
		return nil
	}
	err := s.deviceGhosts.Fork(func() error {
		s.run(passes[1:])
		return nil
	})
	s.run(passes[:1])
	return errors.Join(err, s.deviceGhosts.Finish(ctx))
}

// exchangeAll is the exchange of a deep part after a sweep.
func (s *engine[F, V]) exchangeAll(ctx context.Context) error {
	if err := s.startHalo(ctx, 0, 0, len(s.sentPasses)); err != nil {
		return err
	}
	return s.finishHalo(ctx, 0)
}

// startHalo starts exchange k: it sends the vertices of the sets [from, to) that other ranks need.
func (s *engine[F, V]) startHalo(ctx context.Context, k, from, to int) error {
	v, moved := s.v, s.moved
	n := s.sub.Plans[k].Owned + s.sub.Plans[k].Ghosts
	if !s.params.Cull {
		return s.ghosts[k].Start(ctx, v[:n])
	}
	if s.separate {
		v, moved = s.host, s.hostMoved
		if err := s.downloadMoves(from, to); err != nil {
			return err
		}
	}
	return s.changes[k].Start(ctx, v[:n], moved[:n])
}

// downloadMoves copies the vertices of the sets [from, to) that other ranks may need to the host, with their moves.
func (s *engine[F, V]) downloadMoves(from, to int) error {
	passes := []pass{{hi: s.sub.Owned}}
	if !s.sub.Deep {
		passes = slices.Concat(s.sentPasses[from:to]...)
	}
	for _, p := range passes {
		err := errors.Join(backend.Download(s.dev, s.host[p.lo:p.hi], s.v[p.lo:p.hi]),
			backend.Download(s.dev, s.hostMoved[p.lo:p.hi], s.moved[p.lo:p.hi]))
		if err != nil {
			return err
		}
	}
	return nil
}

// finishHalo completes exchange k: it receives the vertices that other ranks have sent.
func (s *engine[F, V]) finishHalo(ctx context.Context, k int) error {
	if !s.params.Cull {
		return s.finishGhosts(ctx, k)
	}
	if err := s.changes[k].Finish(ctx); err != nil || !s.separate {
		return err
	}
	for _, p := range s.sub.Plans[k].Peers {
		if err := backend.Upload(s.dev, s.v[p.Lo:p.Hi], s.host[p.Lo:p.Hi]); err != nil {
			return err
		}
		if err := backend.Upload(s.dev, s.moved[p.Lo:p.Hi], s.hostMoved[p.Lo:p.Hi]); err != nil {
			return err
		}
	}
	return nil
}

// checkFinite reports the first vertex with non-finite coordinates.
func (s *engine[F, V]) checkFinite(ctx context.Context) error {
	text, err := solvers.FirstInvalid(ctx, s.comm, s.Sweeps(), s.StateFields(), nil)
	switch {
	case err != nil:
		return err
	case text != "":
		text += ": try a guard, or a smaller relaxation"
	default:
		text = fmt.Sprintf("within %s a vertex displacement is not finite", words.Count(s.hostControl[0].Sweep, "sweep"))
	}
	return &solvers.InvalidState{Err: errors.New(text)}
}

func sizeOf[T any]() uintptr {
	var t T
	return unsafe.Sizeof(t)
}
