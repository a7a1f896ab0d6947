package levelset

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// swarm holds the particles of a block, in one of two arrays. Kernels that compact or sort particles write to the
// other one.
type swarm[F num.Float] struct {
	s       *solver[F]
	domain  kernels.Domain
	n       int // number of particles, including removed ones
	space   solvers.Space
	keys    []int64 // of the particles at the last quiesce or allocate
	seeded  int64   // number of particles seeded since the start, on this rank
	current int     // index of the current array
	p       [2][]kernels.Particle[F]
	id      [2][]int64
	marks   []uint8 // of particles: those to keep, those that have escaped, or the destinations (kernels.Routes)
	loopsOf [2]swarmLoops

	byCell   byCell
	replicas replicas[F]
	seedings int64 // number of seedings since the start of the run, for random numbers

	boxes         halo.Boxes
	migration     migration[F]
	hostParticles []kernels.Particle[F] // for output, as hostIDs; allocated when they are needed
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

// reserve allocates memory for n particles, with a margin, unless there is enough.
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
	marks, err := backend.Make[uint8](dev, size)
	if err = errors.Join(err, backend.Free(dev, w.marks), w.migration.reserveGroups(dev, size)); err != nil {
		return fmt.Errorf("%d particles: %w", size, err)
	}
	w.marks = marks
	w.makeLoops()
	return nil
}

// bytes returns the size of the arrays of particles, including the margin.
func (w *swarm[F]) bytes() int64 {
	var number F
	perParticle := 2*(unsafe.Sizeof(kernels.Particle[F]{})+unsafe.Sizeof(w.keys[0])) + 1
	replica := 12 + 3*unsafe.Sizeof(number)
	return int64(len(w.p[0]))*int64(perParticle) + int64(len(w.byCell.cells))*8 +
		w.migration.bytes() + int64(w.replicas.count)*int64(replica)
}

// makeLoops makes the loops over particles, for both arrays.
func (w *swarm[F]) makeLoops() {
	s := w.s
	shortest, _ := s.spacings()
	velocity := &kernels.Flow[F]{Lattice: s.lattice, U: s.u[0], V: s.u[1], W: s.u[2]}
	routes, several := &w.migration.routes, len(w.migration.plan.Peers) > 0
	for side := range 2 {
		l, p := &w.loopsOf[side], w.p[side]
		l.advect = kernels.NewAdvectParticleLoop(velocity, &w.domain, routes, &s.clock[0], &s.removed[0], p, w.marks)
		l.classify = kernels.NewClassifyParticleLoop(&w.domain, routes, &s.removed[0], p, w.marks)
		l.markLive = kernels.NewMarkLiveLoop(p, w.marks)
		correction, corrected := s.correction(now), s.correction(next)
		l.correct = [2]backend.Loop{kernels.NewCorrectLoop(correction, p, s.bounds),
			kernels.NewCorrectLoop(corrected, p, s.bounds)}
		minR, maxR := F(minRadius*shortest), F(maxRadius*shortest)
		l.advectAndCorrect = kernels.NewAdvectAndCorrectLoop(several, velocity, &w.domain, routes, &s.clock[0],
			&s.removed[0], correction, corrected, minR, maxR, p, s.bounds, w.marks)
		l.updateRadii = kernels.NewUpdateRadiusLoop(correction, minR, maxR, p)
		l.count = kernels.NewCountParticleLoop(correction, &w.domain, p, &s.counts[0])
	}
}

// loops returns the loops over the current array.
func (w *swarm[F]) loops() *swarmLoops { return &w.loopsOf[w.current] }

func (w *swarm[F]) free() {
	for side := range 2 {
		_, _ = backend.Free(w.s.dev, w.p[side]), backend.Free(w.s.dev, w.id[side]) // what is left is freed with the device
	}
	_ = backend.Free(w.s.dev, w.marks)
	w.migration.release(w.s.dev)
	_, _ = backend.Free(w.s.dev, w.byCell.cells), backend.Free(w.s.dev, w.byCell.order)
	w.replicas.free(w.s.dev)
}
