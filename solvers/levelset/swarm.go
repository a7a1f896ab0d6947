package levelset

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// swarm holds the particles of a block. Kernels that compact or sort particles write to the other of two arrays.
type swarm[F num.Float] struct {
	s           *solver[F]
	domain      kernels.Domain
	n           int // number of particles, including removed ones
	space       solvers.Space
	keys        []int64 // of the particles at the last quiesce or allocate
	seeded      int64   // seeded since the start, on this rank
	current     int     // index of the current array
	p           [2][]kernels.Particle[F]
	id          [2][]int64
	stays, goes []uint8 // marks of the particles that remain in the block, and of those that change blocks
	prepared    [2]swarmLoops

	sorted   sorting
	replicas replicas[F]
	event    int64 // number of the next seeding, for random numbers

	boxes         halo.Boxes
	migration     migration[F]
	hostParticles []kernels.Particle[F] // for output
	hostIDs       []int64
}

// swarmLoops are the loops over the particles of one array.
type swarmLoops struct {
	advectAndCorrect, advect, classify, markLive, updateRadii, count backend.Loop
	correct                                                          [2]backend.Loop // now and next
}

// newSwarm returns a swarm without particles.
func newSwarm[F num.Float](s *solver[F], plan *halo.BoxPlan, boxes halo.Boxes) (w *swarm[F], err error) {
	w = &swarm[F]{s: s, boxes: boxes, domain: *s.domain()}
	w.space = solvers.Space{Name: "particle", Key: func(i int) int64 { return w.keys[i] }, TakeOwnership: w.allocate,
		Belongs: w.belongs}
	w.migration, err = newMigration(s, plan, boxes)
	return w, err
}

// reserve makes room for n particles, with a margin if it has to allocate.
func (w *swarm[F]) reserve(n int) error {
	if n <= len(w.p[0]) {
		return nil
	}
	size := n + n/4 + 1024
	dev := w.s.dev
	for side := range 2 {
		p, err := backend.Make[kernels.Particle[F]](dev, size)
		if err != nil {
			return fmt.Errorf("%d particles: %w", size, err)
		}
		id, err := backend.Make[int64](dev, size)
		if err != nil {
			return errors.Join(fmt.Errorf("%d particles: %w", size, err), backend.Free(dev, p))
		}
		if side == w.current {
			err = errors.Join(backend.Copy(dev, p[:w.n], w.p[side][:w.n]), backend.Copy(dev, id[:w.n], w.id[side][:w.n]))
		}
		if err = errors.Join(err, backend.Free(dev, w.p[side]), backend.Free(dev, w.id[side])); err != nil {
			return err
		}
		w.p[side], w.id[side] = p, id
	}
	for _, flags := range []*[]uint8{&w.stays, &w.goes} {
		f, err := backend.Make[uint8](dev, size)
		if err = errors.Join(err, backend.Free(dev, *flags)); err != nil {
			return fmt.Errorf("%d particles: %w", size, err)
		}
		*flags = f
	}
	w.hostParticles, w.hostIDs = slices.Grow(w.hostParticles, size-len(w.hostParticles))[:size], slices.Grow(w.hostIDs,
		size-len(w.hostIDs))[:size]
	w.prepare()
	return nil
}

// bytes returns the size of the arrays of particles, including the margin.
func (w *swarm[F]) bytes() int64 {
	var number F
	each := 2*(unsafe.Sizeof(kernels.Particle[F]{})+unsafe.Sizeof(w.keys[0])) + 2
	migrant := 8 + unsafe.Sizeof(kernels.Migrant[F]{})
	replica := 12 + 3*unsafe.Sizeof(number)
	return int64(len(w.p[0]))*int64(each) + int64(len(w.sorted.cell))*8 + int64(len(w.migration.peer))*int64(migrant) +
		int64(w.replicas.count)*int64(replica)
}

// prepare makes the loops over particles, for both arrays.
func (w *swarm[F]) prepare() {
	s := w.s
	shortest, _ := s.spacings()
	velocity := &kernels.Flow[F]{Lattice: s.lattice, U: s.u[0], V: s.u[1], W: s.u[2]}
	for side := range 2 {
		l, p := &w.prepared[side], w.p[side]
		l.advect = kernels.NewAdvectParticleLoop(velocity, &w.domain, &s.clock[0], &s.removed[0], p, w.stays, w.goes)
		l.classify = kernels.NewClassifyParticleLoop(&w.domain, &s.removed[0], p, w.stays, w.goes)
		l.markLive = kernels.NewMarkLiveLoop(p, w.stays)
		of := s.correction(now)
		l.correct = [2]backend.Loop{kernels.NewCorrectLoop(of, p, s.bounds),
			kernels.NewCorrectLoop(s.correction(next), p, s.bounds)}
		least, most := F(minRadius*shortest), F(maxRadius*shortest)
		l.advectAndCorrect = kernels.NewAdvectAndCorrectLoop(velocity, &w.domain, &s.clock[0], &s.removed[0], of,
			s.correction(next),
			least, most, p,
			s.bounds)
		l.updateRadii = kernels.NewUpdateRadiusLoop(of, least, most, p)
		l.count = kernels.NewCountParticleLoop(of, &w.domain, p, &s.counts[0])
	}
}

// loops returns the loops over the current array.
func (w *swarm[F]) loops() *swarmLoops { return &w.prepared[w.current] }

func (w *swarm[F]) free() {
	for side := range 2 {
		_, _ = backend.Free(w.s.dev, w.p[side]), backend.Free(w.s.dev, w.id[side]) // what is left is freed with the device
	}
	_, _ = backend.Free(w.s.dev, w.stays), backend.Free(w.s.dev, w.goes)
	w.migration.free(w.s.dev)
	_, _ = backend.Free(w.s.dev, w.sorted.cell), backend.Free(w.s.dev, w.sorted.order)
	w.replicas.free(w.s.dev)
}
