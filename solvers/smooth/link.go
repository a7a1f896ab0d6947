package smooth

import (
	"context"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/halo"
)

// connect lets devices exchange ghosts: by themselves, where those of all ranks are linked and one exchange does for a
// sweep; else through pinned memory, where the device has that. Culled sweeps go through the host, which finds out what
// has changed. A link of its own for each set would cost more than it saves.
func (s *engine[F, V]) connect(ctx context.Context) error {
	if s.comm.Size() == 1 {
		return nil
	}
	if s.cfg.Halo == "nccl" && (s.params.Cull || !s.sub.Deep) {
		return fmt.Errorf("halo nccl is for deep ghosts (deep = true) that are not culled, since it exchanges once a sweep")
	}
	if s.params.Cull {
		return nil
	}
	if s.sub.Deep && s.cfg.Halo != "staged" {
		// All ranks ask, whatever device they have.
		linked, why, err := halo.NewLinked[V](ctx, s.sub.Plans[0], s.comm, s.dev)
		if err != nil {
			return fmt.Errorf("halo: %w", err)
		}
		if why == "" {
			s.ghosts, s.linked = append(s.ghosts, linked), linked
			return nil
		}
		if s.cfg.Halo == "nccl" {
			return fmt.Errorf("halo nccl cannot be: %s", why)
		}
	}
	if _, stages := s.dev.(backend.Staging); !stages || !s.apart {
		return nil
	}
	for k, plan := range s.sub.Plans {
		g, err := halo.NewStaged[V](plan, s.comm, s.dev, haloTag+k)
		if err != nil {
			return err
		}
		s.ghosts = append(s.ghosts, g)
	}
	return nil
}

func (s *engine[F, V]) Halo() string {
	switch {
	case s.linked != nil:
		return "nccl"
	case s.apart:
		return "staged"
	}
	return "direct"
}

// finishGhosts completes an exchange of devices.
func (s *engine[F, V]) finishGhosts(ctx context.Context, k int) error {
	// What is staged waits for the kernels before it when it fetches. A rank that has nothing to send fetches nothing,
	// while kernels may still read the ghosts that are to be replaced.
	if s.linked == nil && !slices.ContainsFunc(s.sub.Plans[k].Peers, func(p halo.Peer) bool { return len(p.Send) > 0 }) {
		if err := s.wait(ctx); err != nil {
			return err
		}
	}
	if err := s.ghosts[k].Send(ctx); err != nil {
		return err
	}
	return s.ghosts[k].Finish(ctx)
}

// disconnect gives back what exchanges hold. What cannot be freed goes with the device.
func (s *engine[F, V]) disconnect() {
	if s.between != nil {
		_ = s.between.Close()
		s.between = nil
	}
	for _, g := range s.ghosts {
		_ = g.Close()
	}
	s.ghosts = nil
}
