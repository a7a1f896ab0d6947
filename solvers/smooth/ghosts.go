package smooth

import (
	"context"
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/smooth/changes"
)

// connect prepares the exchange of ghosts, which is one of:
//
// changes, for culled sweeps: after each set, or after each sweep of a deep part, of the vertices that have moved,
// which the host determines.
//
// exchanges, for other sweeps: after each set, or after each sweep of a deep part, between devices if those of all
// ranks are linked.
//
// Sweeps by tiles have another exchange, between batches (connectTiles).
func (s *points[F, V]) connect(ctx context.Context) error {
	env := s.Env()
	if kind := env.Halo; env.Comm.Size() > 1 && (kind == halo.P2P || kind == halo.NCCL) && (s.params.Cull || !s.sub.Deep) {
		return fmt.Errorf("halo %s exchanges once per sweep, which needs a deep halo and sweeps that are not culled: set "+
			"deep = true and cull = false, or choose another halo", kind)
	}
	for k, plan := range s.sub.Plans {
		if s.params.Cull {
			v := s.v
			if s.separate {
				v = s.host
			}
			s.changes = append(s.changes, changes.New(plan, env.Comm, haloTag+k, v, s.dim*int(sizeOf[F]())))
			continue
		}
		x, err := s.MeshGhosts(plan, haloTag+k).Of(ctx, engine.Of(s.Table(), s.v[:plan.Owned+plan.Ghosts]))
		if err != nil {
			return err
		}
		s.exchanges = append(s.exchanges, x)
	}
	return nil
}

// exchange returns exchange k, or nil if there is none.
func (s *points[F, V]) exchange(k int) *engine.Exchange {
	if k >= len(s.exchanges) {
		return nil
	}
	return s.exchanges[k]
}

// share runs the tasks of a set, and starts exchange k.
func (s *points[F, V]) share(p *engine.Program, k int, tasks []engine.Task) {
	if !s.params.Cull {
		p.Share(s.exchanges[k], tasks...)
		return
	}
	p.Run(tasks...)
	if s.Env().Comm.Size() == 1 {
		return
	}
	p.Host(func(ctx context.Context) error {
		v, moved := s.v, s.moved
		if s.separate {
			v, moved = s.host, s.hostMoved
			if err := s.downloadMoves(tasks); err != nil {
				return err
			}
		}
		n := s.sub.Plans[k].Owned + s.sub.Plans[k].Ghosts
		return s.changes[k].Start(ctx, v[:n], moved[:n])
	})
}

// await completes exchange k.
func (s *points[F, V]) await(p *engine.Program, k int) {
	if !s.params.Cull {
		p.Await(s.exchanges[k])
		return
	}
	if s.Env().Comm.Size() == 1 {
		return
	}
	p.Host(func(ctx context.Context) error {
		if err := s.changes[k].Finish(ctx); err != nil || !s.separate {
			return err
		}
		for _, p := range s.sub.Plans[k].Peers {
			err := errors.Join(backend.Upload(s.Env().Device, s.v[p.Lo:p.Hi], s.host[p.Lo:p.Hi]),
				backend.Upload(s.Env().Device, s.moved[p.Lo:p.Hi], s.hostMoved[p.Lo:p.Hi]))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// downloadMoves copies the vertices that other ranks may need, with their moves, to the host: of the tasks of a set, or
// all of a deep part.
func (s *points[F, V]) downloadMoves(tasks []engine.Task) error {
	if s.sub.Deep {
		tasks = []engine.Task{{Hi: s.sub.Owned}}
	}
	for _, p := range tasks {
		err := errors.Join(backend.Download(s.Env().Device, s.host[p.Lo:p.Hi], s.v[p.Lo:p.Hi]),
			backend.Download(s.Env().Device, s.hostMoved[p.Lo:p.Hi], s.moved[p.Lo:p.Hi]))
		if err != nil {
			return err
		}
	}
	return nil
}
