package smooth

import (
	"context"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/halo"
)

// connect sets up the exchange of ghosts, one of
//
// changes: after each set, or each sweep of a deep part, of the vertices that have moved, for culled sweeps; the host
// finds out which.
//
// ghosts: after each set, through the host or in its memory: device communicators for each set would cost more than
// they save; or after each sweep of a deep part, from device to device if the devices of all ranks are linked.
//
// Tiles have another exchange besides (connectTiles), between batches of sweeps.
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
		exchanger := s.cfg.Halo
		if !s.sub.Deep && (exchanger == "" || exchanger == "auto") {
			exchanger = halo.Staged
		}
		g, err := halo.Connect[V](ctx, plan, s.comm, s.dev, haloTag+k, exchanger)
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
		return s.ghosts[0].Kind()
	case s.separate:
		return halo.Staged
	}
	return halo.Direct
}

// finishGhosts completes an exchange.
func (s *engine[F, V]) finishGhosts(ctx context.Context, k int) error {
	// Staged exchanges wait for earlier kernels when they fetch data. A rank that sends nothing fetches nothing,
	// while kernels may still read the ghosts that are about to be replaced.
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

// disconnect frees the exchanges. What cannot be freed is freed with the device.
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
