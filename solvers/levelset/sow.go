package levelset

import (
	"context"
	"errors"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// sow places the particles of the start, and brings those that were attracted to other blocks there.
func (s *solver[F]) sow(ctx context.Context, plan *halo.BoxPlan, boxes halo.Boxes) error {
	w, err := newSwarm(s, plan, boxes)
	if err != nil {
		return err
	}
	s.swarm = w
	if err := w.seed(); err != nil {
		return err
	}
	s.dev.Run(w.loops().settle, 0, w.n)
	return w.migrate(ctx)
}

// seed sows the dual cells next to the interface, where all layers of ghosts are those of now.
func (w *swarm[F]) seed() error {
	s := w.s
	shortest, longest := s.spacings()
	seeding := &kernels.Seeding[F]{Lattice: s.lattice, Domain: w.domain, Phi: s.f[now], Each: int32(s.cfg.Particles),
		Band: F(sownBand * longest), Least: F(leastRadius * shortest), Most: F(mostRadius * shortest),
		Reach: particleGhosts - 1, Event: w.event}
	w.event++
	n := w.duals()
	if w.first == nil {
		if w.first = backend.Fresh[int32](&s.device, n[0]*n[1]*n[2], "seeds"); s.device.Err() != nil {
			return s.device.Err()
		}
	}
	box := abi.Box{}
	for d := range 3 {
		box.Lo[d], box.Hi[d] = int(w.domain.Lo[d]), int(w.domain.Hi[d])
	}
	s.dev.Run(kernels.NewCountSeedsLoop(box, seeding, w.first), 0, box.Size())
	total, err := primitives.ExclusiveScan(s.work, w.first, w.first)
	if err != nil {
		return err
	}
	if err := w.reserve(int(total)); err != nil {
		return err
	}
	s.dev.Run(kernels.NewSeedLoop(box, seeding, w.first, w.p[w.side], w.id[w.side]), 0, box.Size())
	w.n = int(total)
	s.dev.Run(w.loops().live, 0, w.n)
	return w.keep(w.stays[:w.n])
}

// particles are those of the block that are not gone, where the host can read them until the next step.
func (w *swarm[F]) particles() (p []kernels.Particle[F], id []int64, err error) {
	w.s.dev.Run(w.loops().live, 0, w.n)
	if err := w.keep(w.stays[:w.n]); err != nil {
		return nil, nil, err
	}
	p, id = w.p[w.side][:w.n], w.id[w.side][:w.n]
	if !w.s.apart {
		return p, id, nil
	}
	err = errors.Join(backend.Download(w.s.dev, w.hostP[:w.n], p), backend.Download(w.s.dev, w.hostI[:w.n], id))
	return w.hostP[:w.n], w.hostI[:w.n], err
}
