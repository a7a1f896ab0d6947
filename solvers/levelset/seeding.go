package levelset

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// setUp seeds the particles of the initial state, and migrates those that attraction has moved to other blocks.
func (w *swarm[F]) setUp(ctx context.Context) error {
	if err := w.seed(); err != nil {
		return err
	}
	w.run(func(l *swarmLoops) backend.Loop { return l.classify })
	if err := w.migrate(ctx, false); err != nil {
		return err
	}
	return w.dropRemoved()
}

// seed seeds the dual cells near the interface. All ghosts must be up to date.
func (w *swarm[F]) seed() error {
	box, seeding, first := dualBox(&w.domain), w.seeding(), w.seeds.Data
	w.seedings++
	w.dev.Run(kernels.NewCountSeedsLoop(box, seeding, first), 0, box.Size())
	total, err := primitives.ExclusiveScan(w.work, first, first)
	if err != nil {
		return err
	}
	if err := w.set.Resize(int(total)); err != nil {
		return err
	}
	w.dev.Run(kernels.NewSeedLoop(box, seeding, first, w.p[w.current].Data, w.id[w.current].Data), 0, box.Size())
	if err := w.dropRemoved(); err != nil {
		return err
	}
	w.seeded = int64(w.set.Count)
	w.clearBounds()
	return nil
}

// clearBounds begins without corrections.
func (w *swarm[F]) clearBounds() {
	w.dev.Run(kernels.NewClearBoundsLoop(w.s.bounds.Data), 0, len(w.s.bounds.Data))
}
