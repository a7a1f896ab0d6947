package smooth

import (
	"context"
	"slices"

	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// A deep part holds all that its tiles read and move. Copies of other ranks' vertices belong to tiles as owned ones do;
// of the other ghosts, what is new after a sweep comes by the exchange that sweeps by sets have too.

// sent lists the vertices that a deep part's other ranks need after a sweep, ascending.
func (p *Subdomain) sent() []int32 {
	if !p.Deep {
		return nil
	}
	var ids []int32
	for _, peer := range p.Plans[0].Peers {
		ids = append(ids, peer.Send...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// arrangeTiles prepares the passes of sweeps by tiles, of which the first so many hold what other ranks need, and what
// brings vertices from tiles to exchanges and back.
func (s *solver[F]) arrangeTiles(tiles, lead int) error {
	t := &s.tiles
	b := s.placer()
	ids := s.sub.sent()
	some := onDevice(b, ids)
	for k := range t.loops {
		t.first[k], t.rest[k] = []pass{{0, lead, t.loops[k]}}, []pass{{lead, tiles, t.loops[k]}}
		if s.comm.Size() == 1 {
			continue
		}
		plan, to := s.sub.Plans[0], &t.held[1-k]
		t.first[k] = append(t.first[k], pass{0, len(ids), kernels.NewSomeFromTilesLoop(some, &t.mesh, to, s.v)})
		t.take[k] = []pass{{plan.Owned, plan.Owned + plan.Ghosts, kernels.NewToTilesLoop(&t.mesh, s.v, to)}}
	}
	t.n = tiles
	return b.err
}

// queue queues sweeps by tiles, or else by sets.
func (s *solver[F]) queue(ctx context.Context, sweeps int) error {
	if s.tiles.n == 0 {
		return s.queueSets(ctx, sweeps)
	}
	s.dev.Run(s.tiles.aim, 0, s.tiles.n)
	for k := range sweeps {
		if err := s.sweepTiles(ctx, k%2); err != nil {
			return err
		}
	}
	return nil
}

// sweepTiles queues a sweep from the first of held, or back. What other ranks need goes first, and travels while the
// other tiles are taken.
func (s *solver[F]) sweepTiles(ctx context.Context, k int) error {
	t := &s.tiles
	if s.linked {
		err := s.beside(func() error {
			err := s.leadTiles(ctx, k)
			s.move(t.take[k])
			return err
		})
		if err != nil {
			return err
		}
		s.move(t.rest[k])
		return s.finishHalo(ctx, 0)
	}
	if s.comm.Size() == 1 {
		s.move(t.rest[k])
		return nil
	}
	if err := s.leadTiles(ctx, k); err != nil {
		return err
	}
	s.move(t.rest[k])
	if err := s.finishHalo(ctx, 0); err != nil {
		return err
	}
	s.move(t.take[k])
	return nil
}

func (s *solver[F]) leadTiles(ctx context.Context, k int) error {
	s.move(s.tiles.first[k])
	return s.startHalo(ctx, 0, 0, len(s.first))
}
