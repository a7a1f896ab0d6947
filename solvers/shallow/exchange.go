package shallow

import (
	"context"
	"unsafe"

	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// Message tags of the exchanges of states and of slopes.
const (
	haloTag  = 1
	slopeTag = 4
)

// connectHalo sets up the exchange of ghosts.
func (s *solver[F]) connectHalo(ctx context.Context, plan *halo.Plan, exchanger string) (err error) {
	if s.ghosts, err = halo.Connect[kernels.State[F]](ctx, plan, s.comm, s.dev, haloTag, exchanger); err != nil {
		return err
	}
	s.linked, _ = s.ghosts.(*halo.DeviceExchanger[kernels.State[F]])
	if s.slopes != nil {
		s.slopeGhosts, err = halo.ConnectLike[kernels.Slopes[F]](s.ghosts, plan, slopeTag)
	}
	return err
}

func (s *solver[F]) Halo() string { return s.ghosts.Kind() }

// startExchange sends the boundary cells of a state whose core cells are still being computed.
func (s *solver[F]) startExchange(ctx context.Context, state []kernels.State[F]) error {
	s.exchanging = true
	return s.ghosts.Start(ctx, state)
}

// finishExchange completes the exchange that the last step or stage began.
func (s *solver[F]) finishExchange(ctx context.Context) error {
	if !s.exchanging {
		return nil
	}
	s.exchanging = false
	return s.ghosts.Finish(ctx)
}

// limitBits returns limit k as an integer that is larger for smaller limits (see [atomics.Least]).
func (a *arrays[F]) limitBits(k cycleStep) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(&a.stepLimits[k])), 1)
}
