package levelset

import (
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// migration is the plan and the buffers of particles that change blocks.
type migration[F num.Float] struct {
	plan   *halo.ItemPlan
	items  *halo.ItemExchanger[kernels.Migrant[F]]
	out    [][]kernels.Migrant[F] // for each peer of the plan, in the next exchange
	host   []kernels.Migrant[F]   // all leaving particles, sorted by peer
	bounds []int32                // index in host of the first particle for each peer, and the end
	sent   []int32                // index in host of the first particle for each peer that is not sent yet

	// On the device. Particles for which the plan has no peer are sorted last.
	routes      kernels.Routes
	peer, order []int32              // of each leaving particle
	starts      []int32              // copied to bounds
	leaving     []kernels.Migrant[F] // sorted
	received    []kernels.Migrant[F] // from one peer
	misplaced   []int64              // one element: number of received particles that belong to another block
}

const (
	// itemsPerCell is the capacity of a message in particles, for each cell of the ghosts of the receiving block;
	// the remaining particles follow in further messages.
	itemsPerCell = 8

	maxReceived = 1 << 18 // particles that are uploaded at a time
)

// newMigration plans the exchange between the blocks of ranks.
func newMigration[F num.Float](s *solver[F], plan *halo.BoxPlan, boxes halo.Boxes) (m migration[F], err error) {
	if m.plan, err = plan.Items(func(cells int) int { return itemsPerCell * cells }); err != nil {
		return m, err
	}
	peers, largestMessage := m.plan.Peers, 0
	if len(peers) == 0 {
		return m, nil
	}
	m.items = halo.NewItemExchanger[kernels.Migrant[F]](m.plan, s.comm, tagMigrants)
	m.out = make([][]kernels.Migrant[F], len(peers))
	m.bounds, m.sent = make([]int32, len(peers)+2), make([]int32, len(peers))
	var cuts, peerIndex []int32
	for axis, c := range boxes.Cuts {
		m.routes.Blocks[axis] = int32(len(c) - 1)
		for _, first := range c[:len(c)-1] {
			cuts = append(cuts, int32(first))
		}
	}
	for rank := range s.comm.Size() {
		k, known := m.plan.Index(rank)
		if !known {
			k = len(peers)
		}
		peerIndex = append(peerIndex, int32(k))
	}
	for _, p := range peers {
		largestMessage = max(largestMessage, p.Receive)
	}
	a := &s.allocated
	m.routes.Cuts, m.routes.Peers = backend.Uploaded(a, cuts, "blocks"), backend.Uploaded(a, peerIndex, "blocks")
	m.starts = backend.Fresh[int32](a, len(m.bounds), "leaving particles")
	m.received = backend.Fresh[kernels.Migrant[F]](a, min(largestMessage, maxReceived), "received particles")
	m.misplaced = backend.Fresh[int64](a, 1, "received particles")
	return m, a.Err()
}

// reserve allocates buffers for n migrants.
func (m *migration[F]) reserve(dev backend.Device, n int) error {
	if n <= len(m.host) {
		return nil
	}
	n += n / 2
	m.free(dev)
	var errs [3]error
	m.peer, errs[0] = backend.Make[int32](dev, n)
	m.order, errs[1] = backend.Make[int32](dev, n)
	m.leaving, errs[2] = backend.Make[kernels.Migrant[F]](dev, n)
	if err := errors.Join(errs[:]...); err != nil {
		return fmt.Errorf("%d particles that change ranks: %w", n, err)
	}
	m.host = make([]kernels.Migrant[F], n)
	return nil
}

// free frees the buffers. What cannot be freed is freed with the device.
func (m *migration[F]) free(dev backend.Device) {
	_, _, _ = backend.Free(dev, m.peer), backend.Free(dev, m.order), backend.Free(dev, m.leaving)
	m.peer, m.order, m.leaving, m.host = nil, nil, nil, nil
}

// nextMessages selects for each peer as many migrants as a message can hold, and reports whether more remain.
func (m *migration[F]) nextMessages() (more bool) {
	for k, p := range m.plan.Peers {
		first, end := m.sent[k], m.bounds[k+1]
		if end-first > int32(p.Send) {
			end, more = first+int32(p.Send), true
		}
		m.out[k], m.sent[k] = m.host[first:end], end
	}
	return more
}
