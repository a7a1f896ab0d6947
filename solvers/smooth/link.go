package smooth

import (
	"context"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/halo"
)

// connect sets up the exchange of ghosts, which is one of:
//
// changes, for culled sweeps: after each set, or after each sweep of a deep part, of the vertices that have moved,
// which the host determines.
//
// ghosts, for other sweeps: after each set, from the host's memory, since an exchange between devices after each
// set would take longer; or after each sweep of a deep part, between devices if those of all ranks are linked.
//
// Sweeps by tiles have another exchange, between batches (connectTiles).
func (s *engine[F, V]) connect(ctx context.Context) error {
	kind := s.cfg.Halo
	if s.comm.Size() > 1 && (kind == halo.P2P || kind == halo.NCCL) && (s.params.Cull || !s.sub.Deep) {
		return fmt.Errorf("halo %s exchanges once per sweep, which needs a deep halo and sweeps that are not culled: set "+
			"deep = true and cull = false, or choose another halo", kind)
	}
	for k, plan := range s.sub.Plans {
		if s.params.Cull {
			v := s.v
			if s.separate {
				v = s.host
			}
			s.changes = append(s.changes, newChangeExchange(plan, s.comm, haloTag+k, v, s.dim*int(sizeOf[F]())))
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

// finishGhosts completes exchange k.
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

// disconnect frees the exchanges. Errors are ignored, since closing the device frees the memory.
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
