package smooth

import (
	"context"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/smooth/barrier"
	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
)

// sweep is the step of this solver. It moves the sets, colours of which no two vertices share an edge, one after the
// other, each from the positions that the earlier ones have reached (Gauss–Seidel), by one kernel for a vertex, which
// also evaluates the metric where the vertex arrives. Vertices that other ranks need move first, and are sent while the
// rest of their set moves, which has no neighbours among the ghosts that arrive; on processors the rest of the first
// set may have with it the inner vertices of strips, of all sets (package layout has why that is the same). A deep part
// sends nothing between sets: it moves its copies of other ranks' vertices too, on linked devices beside its own, since
// a GPU takes hardly longer for both than for one; and it exchanges once a sweep. With Cull, share and await send only
// the vertices that have moved, which the host finds. Recordings of sweeps by tiles are sweepTiles.
func (s *mover[F, V]) sweep(p *engine.Program, by *sweepLoops) {
	for set := range by.unsent {
		if s.sub.Deep {
			p.Beside(s.exchange(0), by.copies[set], by.unsent[set]...)
			continue
		}
		s.share(p, set, by.sent[set])
		p.Run(by.unsent[set]...)
		s.await(p, set)
	}
	if s.sub.Deep {
		s.share(p, 0, nil)
		s.await(p, 0)
	}
	if s.params.Cull {
		p.Run(s.countSweep)
	}
}

// flooredSweep is a sweep of barrier, before which the device raises the floor to the worst quality.
func (s *mover[F, V]) flooredSweep(p *engine.Program) {
	p.Run(s.rating)
	if x := s.exchange(0); x != nil {
		p.Reduce(engine.ExtremeOf(x, s.worst, 0)) // the minimum
	}
	p.Run(s.raiseFloor) // which empties worst and longestMove for the sweep
	s.sweep(p, &s.loops)
}

// Sweep makes `sweeps` sweeps over all moving vertices, and returns the longest move of the last sweep, in the metric.
// If the smoother ends by itself, it makes fewer and returns 0. It allocates nothing.
func (s *mover[F, V]) Sweep(ctx context.Context, sweeps int) (float64, error) {
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
		if err := s.single(ctx); err != nil {
			return 0, err
		}
		made := 1
		if s.raisesFloor() {
			made = min(sweeps-k, barrier.UntilMeasured(s.stages.sweeps))
			if err := s.repeatWithFloor(ctx, made-1); err != nil {
				return 0, err
			}
		}
		if err := ctx.Err(); err != nil { // a single rank makes no call that would detect that ctx was cancelled
			return 0, err
		}
		s.setSweeps(s.hostControl[0].Sweep + int32(made))
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
	if err := backend.Download(s.Env().Device, s.hostLongest[:], s.longestMove); err != nil {
		return 0, err
	}
	// A rank without vertices has no move. NaN counts as the longest move, here and over ranks.
	s.reduction[0] = max(0, float64(s.hostLongest[0].Value()))
	if err := s.Env().Comm.AllreduceFloat64(ctx, dist.Max, s.reduction[:]); err != nil {
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
func (s *mover[F, V]) beginSweep(ctx context.Context, last bool) error {
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
		if err := backend.Upload(s.Env().Device, s.control, s.hostControl[:]); err != nil {
			return err
		}
	}
	if !last {
		return nil
	}
	s.hostLongest[0].Reset()
	return backend.Upload(s.Env().Device, s.longestMove, s.hostLongest[:])
}

// checkFinite reports the first vertex with non-finite coordinates.
func (s *mover[F, V]) checkFinite(ctx context.Context) error {
	text, err := solvers.FirstInvalid(ctx, s.Env().Comm, s.Sweeps(), s.Fields(), nil)
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
