package shallow

import (
	"context"
	"unsafe"

	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// Tags keep the exchanges of states and of slopes apart from other messages.
const (
	haloTag  = 1
	slopeTag = 4
)

// connect prepares the exchange of ghosts.
func (s *solver[F]) connect(ctx context.Context, plan *halo.Plan, how string) (err error) {
	if s.ghosts, err = halo.Connect[kernels.State[F]](ctx, plan, s.comm, s.dev, haloTag, how); err != nil {
		return err
	}
	s.linked, _ = s.ghosts.(*halo.DeviceExchanger[kernels.State[F]])
	if s.slopes != nil {
		s.tilts, err = halo.ConnectLike[kernels.Slopes[F]](s.ghosts, plan, s.comm, s.dev, slopeTag)
	}
	return err
}

func (s *solver[F]) Halo() string { return s.ghosts.Path() }

// leave takes the boundary cells of a state that is being made.
func (s *solver[F]) leave(ctx context.Context, state []kernels.State[F]) error {
	s.flying = true
	return s.ghosts.Start(ctx, state)
}

// settle completes the exchange that the last step or stage began.
func (s *solver[F]) settle(ctx context.Context) error {
	if !s.flying {
		return nil
	}
	s.flying = false
	return s.ghosts.Finish(ctx)
}

// keys is a minimum as the number that links of devices know.
func (a *arrays[F]) keys(k int) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(&a.least[k])), 1)
}
