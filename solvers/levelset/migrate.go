package levelset

import (
	"context"
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// advectAndMigrate takes the particles through a step, and to the blocks that own their new positions.
func (s *solver[F]) advectAndMigrate(ctx context.Context) error {
	w := s.swarm
	if w == nil {
		return nil
	}
	s.dev.Run(w.loops().advect, 0, w.n)
	if len(w.migration.plan.Peers) == 0 {
		return nil
	}
	return w.migrate(ctx)
}

// migrate sends the particles that change blocks, and receives those of other ranks: in several exchanges where there
// are more than a message holds.
func (w *swarm[F]) migrate(ctx context.Context) error {
	m := &w.migration
	if len(m.plan.Peers) == 0 {
		return w.compactMarked(w.stays[:w.n])
	}
	if err := w.compactLeaving(); err != nil {
		return err
	}
	for {
		var left [1]int64
		if m.nextMessages() {
			left[0] = 1
		}
		in, err := m.items.Exchange(ctx, m.out)
		if err != nil {
			return err
		}
		for _, came := range in {
			if err := w.receive(came); err != nil {
				return err
			}
		}
		if err := w.s.comm.AllreduceInt64(ctx, dist.Max, left[:]); err != nil {
			return err
		}
		if left[0] == 0 {
			return nil
		}
	}
}

// compactLeaving removes the particles that change blocks from the array, and brings them to the host, in the order of
// their peers.
func (w *swarm[F]) compactLeaving() error {
	s, m, to := w.s, &w.migration, 1-w.side
	stays := w.stays[:w.n]
	n, err := w.copyMarked(w.goes[:w.n])
	if err != nil {
		return err
	}
	if err := m.reserve(s.dev, n); err != nil {
		return err
	}
	s.dev.Run(kernels.NewRouteMigrantLoop(&m.routes, w.p[to], m.peer), 0, n)
	if err := primitives.OrderByCell(s.work, m.peer[:n], len(m.starts)-1, m.starts, m.order[:n]); err != nil {
		return err
	}
	s.dev.Run(kernels.NewPackMigrantLoop(m.order, w.p[to], w.id[to], m.leaving), 0, n)
	if err := w.compactMarked(stays); err != nil {
		return err
	}
	err = errors.Join(backend.Download(s.dev, m.bounds, m.starts), backend.Download(s.dev, m.host[:n], m.leaving[:n]))
	if err != nil {
		return err
	}
	copy(m.sent, m.bounds)
	if lost := m.host[m.bounds[len(m.out)]:n]; len(lost) > 0 {
		return fmt.Errorf("particle %d of rank %d went to (%v, %v, %v), counted in cells, which no neighbour has",
			lost[0].ID, s.comm.Rank(), lost[0].P.X, lost[0].P.Y, lost[0].P.Z)
	}
	return nil
}

// compactMarked moves the marked particles to the other array, and drops the rest.
func (w *swarm[F]) compactMarked(marks []uint8) error {
	kept, err := w.copyMarked(marks)
	if err != nil {
		return err
	}
	w.n, w.side = kept, 1-w.side
	return nil
}

// copyMarked copies the marked particles to the front of the other array, and returns how many there are.
func (w *swarm[F]) copyMarked(marks []uint8) (n int, err error) {
	work, from, to := w.s.work, w.side, 1-w.side
	if n, err = primitives.Compact(work, w.p[to], w.p[from][:w.n], marks); err != nil {
		return 0, err
	}
	_, err = primitives.Compact(work, w.id[to], w.id[from][:w.n], marks)
	return n, err
}

// receive adds the particles that a peer has sent.
func (w *swarm[F]) receive(came []kernels.Migrant[F]) error {
	if len(came) == 0 {
		return nil
	}
	if err := w.reserve(w.n + len(came)); err != nil {
		return err
	}
	s, m := w.s, &w.migration
	for len(came) > 0 {
		n := min(len(came), len(m.coming))
		if err := backend.Upload(s.dev, m.coming[:n], came[:n]); err != nil {
			return err
		}
		s.dev.Run(kernels.NewUnpackMigrantLoop(&w.domain, m.coming, w.p[w.side][w.n:], w.id[w.side][w.n:], m.misplaced), 0, n)
		w.n, came = w.n+n, came[n:]
	}
	var astray [1]int64
	if err := backend.Download(s.dev, astray[:], m.misplaced); err != nil {
		return err
	}
	if astray[0] > 0 {
		return fmt.Errorf("%d particles came to rank %d that belong to other ranks", astray[0], s.comm.Rank())
	}
	return nil
}
