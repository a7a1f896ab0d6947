package levelset

import (
	"context"
	"errors"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// sorting holds the order of particles by dual cell.
type sorting struct {
	cell, order []int32 // of particles
	start       []int32 // of each dual cell, and the total
	deficit     []int32 // missing particles: two numbers, one for each sign, for each cell
	first       []int32
}

// reseed removes particles where there are many, and adds some where there are few. All ghosts must be up to date.
func (w *swarm[F]) reseed() error {
	s := w.s
	s.updateRadii()
	seeding := w.seeding()
	w.event++
	if err := w.sort(seeding); err != nil {
		return err
	}
	box := w.dualBox()
	thinning := &kernels.Reseeding[F]{Seeding: *seeding, Escape: F(s.cfg.Escape), Start: w.sorted.start,
		Order: w.sorted.order[:w.n]}
	s.dev.Run(kernels.NewThinCellLoop(box, thinning, &s.removed[0], w.p[w.current], w.id[w.current], w.stays,
		w.sorted.deficit), 0,
		box.Size())
	if err := w.compactMarked(w.stays[:w.n]); err != nil {
		return err
	}
	total, err := primitives.ExclusiveScan(s.work, w.sorted.first, w.sorted.deficit)
	if err != nil {
		return err
	}
	before := w.n
	if err := w.reserve(before + int(total)); err != nil {
		return err
	}
	w.n += int(total)
	s.dev.Run(kernels.NewFillCellLoop(box, seeding, w.sorted.first, w.sorted.deficit, w.p[w.current][before:w.n],
		w.id[w.current][before:w.n]), 0, box.Size())
	if err := w.dropRemoved(); err != nil {
		return err
	}
	w.seeded += int64(w.n - before)
	return nil
}

// dropRemoved compacts the arrays, without the particles that were removed.
func (w *swarm[F]) dropRemoved() error {
	w.s.dev.Run(w.loops().markLive, 0, w.n)
	return w.compactMarked(w.stays[:w.n])
}

// sort drops removed particles, and finds the particles of each dual cell.
func (w *swarm[F]) sort(seeding *kernels.Seeding[F]) error {
	if err := w.dropRemoved(); err != nil {
		return err
	}
	box := w.dualBox()
	s, n, o := w.s, box.Size(), &w.sorted
	if o.start == nil {
		a := &s.allocated
		o.start = backend.Fresh[int32](a, n+1, "particles by cell")
		o.deficit, o.first = backend.Fresh[int32](a, 2*n, "seeds"), backend.Fresh[int32](a, 2*n, "seeds")
		if a.Err() != nil {
			return a.Err()
		}
	}
	if len(o.cell) < w.n {
		var err, err2 error
		err3 := errors.Join(backend.Free(s.dev, o.cell), backend.Free(s.dev, o.order))
		o.cell, err = backend.Make[int32](s.dev, len(w.p[0]))
		o.order, err2 = backend.Make[int32](s.dev, len(w.p[0]))
		if err := errors.Join(err, err2, err3); err != nil {
			return err
		}
	}
	s.dev.Run(kernels.NewDualCellOfLoop(seeding, w.p[w.current], o.cell), 0, w.n)
	return primitives.OrderByCell(s.work, o.cell[:w.n], n, o.start, o.order[:w.n])
}

// sortByCell sorts the particles by cell, for locality of memory accesses.
func (w *swarm[F]) sortByCell() error {
	if err := w.sort(w.seeding()); err != nil {
		return err
	}
	from, to, order := w.current, 1-w.current, w.sorted.order[:w.n]
	if err := primitives.Gather(w.s.work, w.p[to][:w.n], w.p[from][:w.n], order); err != nil {
		return err
	}
	w.current = to
	return primitives.Gather(w.s.work, w.id[to][:w.n], w.id[from][:w.n], order)
}

// maintainParticles reseeds and sorts particles at the intervals of the configuration.
func (s *solver[F]) maintainParticles(ctx context.Context) error {
	w := s.swarm
	if w == nil {
		return nil
	}
	if every := s.cfg.Reseed; every > 0 && s.steps%every == 0 {
		if err := s.refresh(ctx, &s.allLayers, now); err != nil {
			return err
		}
		if err := w.reseed(); err != nil {
			return err
		}
	}
	if every := s.cfg.Sort; every > 0 && s.steps%every == 0 {
		return w.sortByCell()
	}
	return nil
}

// dualBox returns the index range of the block's dual cells.
func (w *swarm[F]) dualBox() (box abi.Box) {
	for d := range 3 {
		box.Lo[d], box.Hi[d] = int(w.domain.Lo[d]), int(w.domain.Hi[d])
	}
	return box
}

// seeding returns the parameters of seeding.
func (w *swarm[F]) seeding() *kernels.Seeding[F] {
	s := w.s
	shortest, longest := s.spacings()
	return &kernels.Seeding[F]{Lattice: s.lattice, Domain: w.domain, Phi: s.f[now], Each: int32(s.cfg.Particles),
		Band: F(seededBand * longest), Least: F(minRadius * shortest), Most: F(maxRadius * shortest),
		Reach: particleGhosts - 1, Event: w.event}
}
