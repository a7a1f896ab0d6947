package levelset

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// setUpParticles makes the swarm: it seeds the particles of the initial state, and migrates those that attraction
// has moved to other blocks.
func (s *solver[F]) setUpParticles(ctx context.Context, plan *halo.BoxPlan, boxes halo.Boxes) error {
	w, err := newSwarm(s, plan, boxes)
	if err != nil {
		return err
	}
	s.swarm = w
	if err := w.seed(); err != nil {
		return err
	}
	s.dev.Run(w.loops().classify, 0, w.n)
	if err := w.migrate(ctx, false); err != nil {
		return err
	}
	return w.dropRemoved()
}

// seed seeds the dual cells near the interface. All ghosts must be up to date.
func (w *swarm[F]) seed() error {
	s, box, seeding := w.s, w.dualBox(), w.seeding()
	w.seedings++
	first := backend.Fresh[int32](&s.allocated, box.Size(), "seeds")
	if s.allocated.Err() != nil {
		return s.allocated.Err()
	}
	s.dev.Run(kernels.NewCountSeedsLoop(box, seeding, first), 0, box.Size())
	total, err := primitives.ExclusiveScan(s.work, first, first)
	if err != nil {
		return err
	}
	if err := w.reserve(int(total)); err != nil {
		return err
	}
	s.dev.Run(kernels.NewSeedLoop(box, seeding, first, w.p[w.current], w.id[w.current]), 0, box.Size())
	w.n = int(total)
	if err := w.dropRemoved(); err != nil {
		return err
	}
	w.seeded = int64(w.n)
	s.dev.Run(kernels.NewClearBoundsLoop(s.bounds), 0, len(s.bounds))
	return nil
}

// particles returns the particles of the block that are not removed, and their ids, in memory that the host can read
// until the next step.
func (w *swarm[F]) particles() (p []kernels.Particle[F], id []int64, err error) {
	if err := w.quiesce(); err != nil {
		return nil, nil, err
	}
	p = w.p[w.current][:w.n]
	if !w.s.separateMemory {
		return p, w.keys, nil
	}
	w.hostParticles = atLeast(w.hostParticles, w.n)
	return w.hostParticles[:w.n], w.keys, backend.Download(w.s.dev, w.hostParticles[:w.n], p)
}
