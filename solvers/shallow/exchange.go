package shallow

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// haloTag keeps the exchanges of the state apart from other messages.
const haloTag = 1

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
			return nil
		}
		if how == "nccl" {
			return fmt.Errorf("halo nccl cannot be: %s", why)
		}
	}
	if s.apart || how == "staged" {
		s.ghosts, err = halo.NewStaged[kernels.State[F]](plan, s.comm, s.dev, haloTag)
		return err
	}
	s.ghosts = halo.NewDirect[kernels.State[F]](plan, s.comm, haloTag)
	return nil
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

// leave takes the boundary cells of the next state.
func (s *solver[F]) leave(ctx context.Context) error {
	s.flying = true
	return s.ghosts.Start(ctx, s.state[1-s.now%2])
}

// settle completes the exchange that the last step began.
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
