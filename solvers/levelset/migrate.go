package levelset

import (
	"context"
	"fmt"
	"math"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// migration is the plan of particles that change blocks.
type migration[F num.Float] struct {
	plan       *halo.ItemPlan
	items      *halo.DeviceItemExchanger[kernels.Migrant[F]]
	bounds     []int32 // index of the first leaving particle for each peer, and the end
	zeros      []int32
	readTotals backend.Readback
	routes     kernels.Routes
}

// newMigration plans the exchange between the blocks of ranks.
func newMigration[F num.Float](ctx context.Context, s *solver[F], b *domain.Block) (m migration[F], err error) {
	if m.plan, err = itemPlan(b); err != nil {
		return m, err
	}
	links, err := s.Link(ctx)
	peers := m.plan.Peers
	if err != nil || len(peers) == 0 {
		return m, err
	}
	env, t := s.Env(), s.Table()
	if m.items, err = halo.ConnectItems[kernels.Migrant[F]](links, m.plan, tagMigrants); err != nil {
		return m, err
	}
	s.Owns(m.items)
	m.bounds, m.zeros = make([]int32, len(peers)+1), make([]int32, len(peers)+1)
	if m.readTotals, err = backend.NewReadback(env.Device, 4*len(m.zeros)); err != nil {
		return m, err
	}
	s.Owns(m.readTotals)
	owners := make([]kernels.Owner, len(peers))
	for k, peer := range peers {
		lo, n := b.Boxes.Box(peer.Rank)
		d := domainOf(&grid.Block{Grid: b.Grid, Lo: lo, N: n})
		owners[k] = kernels.Owner{Lo: d.Lo, Hi: d.Hi}
	}
	m.routes.Peers = engine.Input(t, "blocks", len(owners), func() []kernels.Owner { return owners }).Data
	return m, t.Err()
}

// CheckNeighbours returns an error for a block with more neighbours than particles allow.
func CheckNeighbours(b *domain.Block) error {
	_, err := itemPlan(b)
	return err
}

func itemPlan(b *domain.Block) (*halo.ItemPlan, error) {
	plan, err := b.Plan.Items(func(int) int { return math.MaxInt32 })
	if err == nil && len(plan.Peers) > kernels.MostPeers {
		err = fmt.Errorf("the block of rank %d has %d neighbours, of which particles allow %d: use fewer ranks, or equal "+
			"blocks (balance = \"cells\")", plan.Rank, len(plan.Peers), kernels.MostPeers)
	}
	return plan, err
}

// groupsOf returns the number of groups of n particles.
func groupsOf(n int) int { return (n + kernels.GroupSize - 1) / kernels.GroupSize }

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
	m, n := &w.migration, w.set.Count
	totals := w.leaving.totals.Data
	l := &kernels.Leaving{Particles: n, Groups: groupsOf(n), Peers: len(totals), Marks: w.marks.Data}
	l.Starts = w.leaving.groups.Data[:l.Groups*l.Peers]
	if err := w.leaving.totals.Set(m.zeros); err != nil {
		return nil, err
	}
	w.dev.Run(kernels.NewCountLeavingLoop(l, totals), 0, l.Groups)
	if err := m.readTotals.Start(solvers.BytesOf(totals)); err != nil {
		return nil, err
	}
	leave, err := primitives.ExclusiveScan(w.work, l.Starts, l.Starts)
	if err != nil {
		return nil, err
	}
	read, err := m.readTotals.Read()
	if err != nil {
		return nil, err
	}
	end := int32(0)
	for k, total := range unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(read))), len(m.bounds)) {
		m.bounds[k] = end
		end += total
	}
	if leave == 0 {
		return nil, nil
	}
	if err := w.leaving.set.Reserve(int(leave)); err != nil {
		return nil, fmt.Errorf("rank %d: %w", w.s.Env().Comm.Rank(), err)
	}
	p, id := w.now()
	leaving := w.leaving.particles.Data
	w.dev.Run(kernels.NewPackLeavingLoop(l, p, id, leaving, w.leaving.places.Data), 0, l.Groups)
	return leaving[:leave], w.checkOwned(leaving[m.bounds[len(m.plan.Peers)]:leave])
}

// checkOwned returns an error if there are migrants that no peer owns.
func (w *swarm[F]) checkOwned(unowned []kernels.Migrant[F]) error {
	if len(unowned) == 0 {
		return nil
	}
	var first [1]kernels.Migrant[F]
	if err := backend.Download(w.dev, first[:], unowned[:1]); err != nil {
		return err
	}
	q := first[0].P
	return &solvers.InvalidState{Err: fmt.Errorf("particle %d of rank %d moved to (%v, %v, %v), in units of cells, which "+
		"no neighbouring block owns", first[0].ID, w.s.Env().Comm.Rank(), q.X, q.Y, q.Z)}
}

// place adds received particles, first in the places of the particles that have left.
func (w *swarm[F]) place(received []kernels.Migrant[F], left int, correcting bool) error {
	if len(received) == 0 {
		return nil
	}
	if w.set.Count+len(received)-left > w.set.Capacity() { // often there are removed particles
		if err := w.dropRemoved(); err != nil {
			return err
		}
		left = 0
		// The arrays of a block that the interface enters grow by half at a time: to allocate them takes milliseconds.
		n := w.set.Count + len(received)
		if err := w.set.Reserve(n + n/4); err != nil {
			return fmt.Errorf("rank %d: %w", w.s.Env().Comm.Rank(), err)
		}
	}
	places := &kernels.Places{Free: w.leaving.places.Data, Count: left, Particles: w.set.Count}
	w.dev.Run(kernels.NewUnpackMigrantLoop(correcting, places, received, w.p[w.current].Data, w.id[w.current].Data,
		w.s.correction(next), w.s.bounds.Data), 0, len(received))
	return w.set.Resize(w.set.Count + max(0, len(received)-left))
}

// compactMarked moves the marked particles to the other array, which becomes the current one, and drops the rest.
func (w *swarm[F]) compactMarked() error {
	p, id := w.now()
	marks, to := w.marks.Data[:len(p)], 1-w.current
	kept, err := primitives.Compact(w.work, w.p[to].Data, p, marks)
	if err != nil {
		return err
	}
	if _, err = primitives.Compact(w.work, w.id[to].Data, id, marks); err != nil {
		return err
	}
	w.current = to
	return w.set.Resize(kept)
}
