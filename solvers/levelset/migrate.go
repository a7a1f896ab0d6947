package levelset

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// migrate sends the particles that are marked with another block's rank, and receives those of other ranks. If
// correcting, the received ones correct the level set next. The host waits for the device once, for the numbers of
// particles.
func (w *swarm[F]) migrate(ctx context.Context, correcting bool) error {
	m := &w.migration
	if len(m.plan.Peers) == 0 {
		return nil
	}
	leaving, err := w.packLeaving()
	if err != nil {
		return err
	}
	received, err := m.items.Exchange(ctx, leaving, m.bounds)
	if err != nil {
		return err
	}
	return w.place(received, len(leaving), correcting)
}

// packLeaving moves the particles that leave the block to the message, sorted by peer, and removes them.
func (w *swarm[F]) packLeaving() ([]kernels.Migrant[F], error) {
	s, m := w.s, &w.migration
	l := &kernels.Leaving{Particles: w.n, Groups: groupsOf(w.n), Peers: len(m.totals), Marks: w.marks}
	l.Starts = m.starts[:l.Groups*l.Peers]
	if err := backend.Upload(s.dev, m.totals, m.zeros); err != nil {
		return nil, err
	}
	s.dev.Run(kernels.NewCountLeavingLoop(l, m.totals), 0, l.Groups)
	if err := m.readTotals.Start(solvers.BytesOf(m.totals)); err != nil {
		return nil, err
	}
	leave, err := primitives.ExclusiveScan(s.work, l.Starts, l.Starts)
	if err != nil {
		return nil, err
	}
	totals, err := m.readTotals.Read()
	if err != nil {
		return nil, err
	}
	n := int32(0)
	for k, total := range unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(totals))), len(m.bounds)) {
		m.bounds[k] = n
		n += total
	}
	if leave == 0 {
		return nil, nil
	}
	if err := m.reserve(s.dev, int(leave)); err != nil {
		return nil, fmt.Errorf("rank %d: %w", s.comm.Rank(), err)
	}
	s.dev.Run(kernels.NewPackLeavingLoop(l, w.p[w.current], w.id[w.current], m.leaving, m.free), 0, l.Groups)
	return m.leaving[:leave], w.checkOwned(m.leaving[m.bounds[len(m.plan.Peers)]:leave])
}

// checkOwned returns an error if there are migrants that no peer owns.
func (w *swarm[F]) checkOwned(unowned []kernels.Migrant[F]) error {
	if len(unowned) == 0 {
		return nil
	}
	var first [1]kernels.Migrant[F]
	if err := backend.Download(w.s.dev, first[:], unowned[:1]); err != nil {
		return err
	}
	q := first[0].P
	return fmt.Errorf("particle %d of rank %d moved to (%v, %v, %v), in units of cells, which no neighbouring block owns",
		first[0].ID, w.s.comm.Rank(), q.X, q.Y, q.Z)
}

// place adds received particles, first in the places of the particles that have left.
func (w *swarm[F]) place(received []kernels.Migrant[F], left int, correcting bool) error {
	if len(received) == 0 {
		return nil
	}
	if w.n+len(received)-left > len(w.p[0]) { // often there are removed particles
		if err := w.dropRemoved(); err != nil {
			return err
		}
		left = 0
		// The arrays of a block that the interface enters grow by half at a time: to allocate them takes milliseconds.
		n := w.n + len(received)
		if err := w.reserve(n + n/4); err != nil {
			return fmt.Errorf("rank %d: %w", w.s.comm.Rank(), err)
		}
	}
	s, places := w.s, &kernels.Places{Free: w.migration.free, Count: left, Particles: w.n}
	s.dev.Run(kernels.NewUnpackMigrantLoop(correcting, places, received, w.p[w.current], w.id[w.current],
		s.correction(next), s.bounds), 0, len(received))
	w.n += max(0, len(received)-left)
	return nil
}

// compactMarked moves the marked particles to the other array, which becomes the current one, and drops the rest.
func (w *swarm[F]) compactMarked() error {
	workspace, from, to := w.s.work, w.current, 1-w.current
	kept, err := primitives.Compact(workspace, w.p[to], w.p[from][:w.n], w.marks[:w.n])
	if err != nil {
		return err
	}
	if _, err = primitives.Compact(workspace, w.id[to], w.id[from][:w.n], w.marks[:w.n]); err != nil {
		return err
	}
	w.n, w.current = kept, to
	return nil
}
