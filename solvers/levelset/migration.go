package levelset

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// migration is the plan and the buffers of particles that change blocks. Particles for which the plan has no peer come
// after those of all peers.
type migration[F num.Float] struct {
	plan       *halo.ItemPlan
	items      *halo.DeviceItemExchanger[kernels.Migrant[F]]
	bounds     []int32 // index in leaving of the first particle for each peer, and the end
	zeros      []int32
	readTotals backend.Readback

	// On the device.
	routes  kernels.Routes
	totals  []int32              // number of leaving particles for each peer, and for none
	starts  []int32              // see kernels.Leaving
	leaving []kernels.Migrant[F] // sorted by peer
	free    []int32              // indices of the particles in leaving
}

// newMigration plans the exchange between the blocks of ranks.
func newMigration[F num.Float](s *solver[F], plan *halo.BoxPlan, boxes halo.Boxes) (m migration[F], err error) {
	if m.plan, err = plan.Items(func(int) int { return math.MaxInt32 }); err != nil {
		return m, err
	}
	peers := m.plan.Peers
	if len(peers) == 0 {
		return m, nil
	}
	m.items, err = halo.ConnectItems[kernels.Migrant[F]](s.allLayers.ghosts, m.plan, s.comm, s.dev, tagMigrants)
	if err != nil {
		return m, err
	}
	a := &s.allocated
	a.Owns(m.items)
	m.bounds, m.zeros = make([]int32, len(peers)+1), make([]int32, len(peers)+1)
	if m.readTotals, err = backend.NewReadback(s.dev, 4*len(m.zeros)); err != nil {
		return m, err
	}
	a.Owns(m.readTotals)
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
	m.routes.Cuts, m.routes.Peers = backend.Uploaded(a, cuts, "blocks"), backend.Uploaded(a, peerIndex, "blocks")
	m.totals = backend.Fresh[int32](a, len(m.zeros), "leaving particles")
	return m, a.Err()
}

// groupsOf returns the number of groups of n particles.
func groupsOf(n int) int { return (n + kernels.GroupSize - 1) / kernels.GroupSize }

// reserveGroups allocates the memory of a block with n particles.
func (m *migration[F]) reserveGroups(dev backend.Device, n int) (err error) {
	if len(m.plan.Peers) == 0 {
		return nil
	}
	err = backend.Free(dev, m.starts)
	if m.starts = nil; err == nil {
		m.starts, err = backend.Make[int32](dev, groupsOf(n)*len(m.totals))
	}
	return err
}

// reserve allocates buffers for n leaving particles, with a margin, unless there is enough.
func (m *migration[F]) reserve(dev backend.Device, n int) error {
	if n <= len(m.leaving) {
		return nil
	}
	n += n / 2
	err := errors.Join(backend.Free(dev, m.leaving), backend.Free(dev, m.free))
	m.leaving, m.free = nil, nil
	var errs [2]error
	m.leaving, errs[0] = backend.Make[kernels.Migrant[F]](dev, n)
	m.free, errs[1] = backend.Make[int32](dev, n)
	if err = errors.Join(err, errs[0], errs[1]); err != nil {
		return fmt.Errorf("%d particles that change ranks: %w", n, err)
	}
	return nil
}

// bytes returns the size of the buffers.
func (m *migration[F]) bytes() int64 {
	if m.items == nil {
		return 0
	}
	var migrant kernels.Migrant[F]
	return m.items.Bytes() + int64(len(m.leaving))*int64(unsafe.Sizeof(migrant)) + 4*int64(len(m.free)+len(m.starts))
}

// release frees the buffers that grow. What cannot be freed is freed with the device.
func (m *migration[F]) release(dev backend.Device) {
	_, _, _ = backend.Free(dev, m.starts), backend.Free(dev, m.leaving), backend.Free(dev, m.free)
	m.starts, m.leaving, m.free = nil, nil, nil
}
