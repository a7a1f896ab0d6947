package shallow

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// Tags keep the exchanges of states and of slopes apart from other messages.
const (
	haloTag  = 1
	slopeTag = 4
)

type ghosts[F num.Float] = halo.Ghosts[kernels.State[F]]

// connect prepares the exchange of ghosts.
func (s *solver[F]) connect(ctx context.Context, plan *halo.Plan, how string) (err error) {
	switch how {
	case "", "auto", "staged", "nccl":
	default:
		return fmt.Errorf("halo %q is not known; choose auto, staged or nccl", how)
	}
	if s.comm.Size() > 1 && (how == "nccl" || how != "staged" && s.apart) {
		linked, why, err := halo.NewLinked[kernels.State[F]](ctx, plan, s.comm, s.dev)
		if err != nil {
			return fmt.Errorf("halo: %w", err)
		}
		if linked != nil {
			s.linked, s.ghosts = linked, linked
			if s.slopes != nil {
				s.tilts, err = halo.Alongside[kernels.Slopes[F]](linked, plan)
			}
			return err
		}
		if how == "nccl" {
			return fmt.Errorf("halo nccl cannot be: %s", why)
		}
	}
	staged := s.apart || how == "staged"
	if s.ghosts, err = ghostsOf[kernels.State[F]](plan, s.comm, s.dev, haloTag, staged); err != nil || s.slopes == nil {
		return err
	}
	s.tilts, err = ghostsOf[kernels.Slopes[F]](plan, s.comm, s.dev, slopeTag, staged)
	return err
}

// ghostsOf prepares exchanges that go through the transport.
func ghostsOf[T any](plan *halo.Plan, comm dist.Comm, dev backend.Device, tag int,
	staged bool) (halo.Ghosts[T], error) {
	if staged {
		return halo.NewStaged[T](plan, comm, dev, tag)
	}
	return halo.NewDirect[T](plan, comm, tag), nil
}

func (s *solver[F]) Halo() string {
	switch {
	case s.linked != nil:
		return "nccl"
	case s.apart:
		return "staged"
	}
	return "direct"
}

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
