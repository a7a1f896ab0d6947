package smooth

import (
	"context"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/halo"
)

// connect prepares the exchange of ghosts, one of
//
//	changes   after each set, or sweep of a deep part, of vertices that are elsewhere than before: culled sweeps. The
//	          host finds out which
//	ghosts    after each set, through the host or its memory: links of devices for each set would cost more than they
//	          save
//	ghosts    after each sweep, of a deep part; from device to device where those of all ranks are linked
//
// and tiles have another besides (connectTiles), which goes between batches of sweeps.
func (s *engine[F, V]) connect(ctx context.Context) error {
	if s.comm.Size() > 1 && s.cfg.Halo == halo.NCCL && (s.params.Cull || !s.sub.Deep) {
		return fmt.Errorf("halo nccl is for deep ghosts (deep = true) that are not culled, since it exchanges once a sweep")
	}
	for k, plan := range s.sub.Plans {
		if s.params.Cull {
			v := s.v
			if s.separate {
				v = s.host
			}
			s.changes = append(s.changes, newChanges(plan, s.comm, haloTag+k, v, s.dim*int(sizeOf[F]())))
			continue
		}
		how := s.cfg.Halo
		if !s.sub.Deep && (how == "" || how == "auto") {
			how = halo.Staged
		}
		g, err := halo.Connect[V](ctx, plan, s.comm, s.dev, haloTag+k, how)
		if err != nil {
			return err
		}
		s.ghosts = append(s.ghosts, g)
		s.deviceGhosts, _ = g.(*halo.DeviceExchanger[V])
	}
	return nil
}

func (s *engine[F, V]) Bytes() int64 { return s.allocated.Bytes() }

func (s *engine[F, V]) Halo() string {
	switch {
	case len(s.ghosts) > 0:
		return s.ghosts[0].Path()
	case s.separate:
		return halo.Staged
	}
	return halo.Direct
}

// finishGhosts completes an exchange of devices.
func (s *engine[F, V]) finishGhosts(ctx context.Context, k int) error {
	// What is staged waits for the kernels before it when it fetches. A rank that has nothing to send fetches nothing,
	// while kernels may still read the ghosts that are to be replaced.
	peers := s.sub.Plans[k].Peers
	sends := slices.ContainsFunc(peers, func(p halo.Peer) bool { return len(p.Send) > 0 })
	if s.deviceGhosts == nil && len(peers) > 0 && !sends {
		if err := s.wait(ctx); err != nil {
			return err
		}
	}
	if err := s.ghosts[k].Send(ctx); err != nil {
		return err
	}
	return s.ghosts[k].Finish(ctx)
}

// disconnect frees what exchanges hold. What cannot be freed is freed with the device.
func (s *engine[F, V]) disconnect() {
	if s.batchGhosts != nil {
		_ = s.batchGhosts.Close()
		s.batchGhosts = nil
	}
	for _, g := range s.ghosts {
		_ = g.Close()
	}
	s.ghosts = nil
}
