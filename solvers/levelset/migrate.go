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

// advectAndMigrate advects the particles, and sends them to the blocks that own their new positions.
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

// migrate sends the particles that change blocks, and receives those of other ranks, in several exchanges if there
// are more than a message can hold.
func (w *swarm[F]) migrate(ctx context.Context) error {
	m := &w.migration
	if len(m.plan.Peers) == 0 {
		return w.compactMarked(w.stays[:w.n])
	}
	if err := w.compactLeaving(); err != nil {
		return err
	}
	for {
		var pending [1]int64
		if m.nextMessages() {
			pending[0] = 1
		}
		messages, err := m.items.Exchange(ctx, m.out)
		if err != nil {
			return err
		}
		for _, received := range messages {
			if err := w.receive(received); err != nil {
				return err
			}
		}
		if err := w.s.comm.AllreduceInt64(ctx, dist.Max, pending[:]); err != nil {
			return err
		}
		if pending[0] == 0 {
			return nil
		}
	}
}

// compactLeaving removes the particles that leave the block from the array, and copies them to the host, sorted by
// destination.
func (w *swarm[F]) compactLeaving() error {
	s, m, to := w.s, &w.migration, 1-w.current
	stays := w.stays[:w.n]
	n, err := w.copyMarked(w.leaves[:w.n])
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
	if unowned := m.host[m.bounds[len(m.out)]:n]; len(unowned) > 0 {
		return fmt.Errorf("particle %d of rank %d moved to (%v, %v, %v), in units of cells, which no neighbouring block owns",
			unowned[0].ID, s.comm.Rank(), unowned[0].P.X, unowned[0].P.Y, unowned[0].P.Z)
	}
	return nil
}

// compactMarked moves the marked particles to the other array, which becomes the current one, and drops the rest.
func (w *swarm[F]) compactMarked(marks []uint8) error {
	kept, err := w.copyMarked(marks)
	if err != nil {
		return err
	}
	w.n, w.current = kept, 1-w.current
	return nil
}

// copyMarked copies the marked particles to the front of the other array, and returns how many there are.
func (w *swarm[F]) copyMarked(marks []uint8) (n int, err error) {
	workspace, from, to := w.s.work, w.current, 1-w.current
	if n, err = primitives.Compact(workspace, w.p[to], w.p[from][:w.n], marks); err != nil {
		return 0, err
	}
	_, err = primitives.Compact(workspace, w.id[to], w.id[from][:w.n], marks)
	return n, err
}

// receive adds the particles that a peer has sent.
func (w *swarm[F]) receive(received []kernels.Migrant[F]) error {
	if len(received) == 0 {
		return nil
	}
	if err := w.reserve(w.n + len(received)); err != nil {
		return err
	}
	s, m := w.s, &w.migration
	for len(received) > 0 {
		n := min(len(received), len(m.received))
		if err := backend.Upload(s.dev, m.received[:n], received[:n]); err != nil {
			return err
		}
		s.dev.Run(kernels.NewUnpackMigrantLoop(&w.domain, m.received, w.p[w.current][w.n:], w.id[w.current][w.n:],
			m.misplaced), 0, n)
		w.n, received = w.n+n, received[n:]
	}
	var misplaced [1]int64
	if err := backend.Download(s.dev, misplaced[:], m.misplaced); err != nil {
		return err
	}
	if misplaced[0] > 0 {
		return fmt.Errorf("rank %d received %d particles that belong to other ranks", s.comm.Rank(), misplaced[0])
	}
	return nil
}
