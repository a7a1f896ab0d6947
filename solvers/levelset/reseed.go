package levelset

import (
	"errors"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// byCell holds the order of particles by dual cell.
type byCell struct {
	cells, order []int32 // the dual cell of each particle, and the particles in the order of cells
	start        []int32 // index in order of the first particle of each dual cell, and the total
	deficit      []int32 // for each cell, the number of missing particles of each sign
	first        []int32 // for each number in deficit, the index of the first particle that is added
}

// reseed removes particles where there are many, and adds some where there are few. All ghosts must be up to date.
func (w *swarm[F]) reseed() error {
	s := w.s
	s.updateRadii()
	seeding := w.seeding()
	w.seedings++
	if err := w.sort(seeding); err != nil {
		return err
	}
	box := w.dualBox()
	reseeding := &kernels.Reseeding[F]{Seeding: *seeding, Escape: F(s.cfg.Escape), Start: w.byCell.start,
		Order: w.byCell.order[:w.n]}
	s.dev.Run(kernels.NewThinCellLoop(box, reseeding, &s.removed[0], w.p[w.current], w.id[w.current], w.marks,
		w.byCell.deficit), 0,
		box.Size())
	if err := w.compactMarked(); err != nil {
		return err
	}
	total, err := primitives.ExclusiveScan(s.work, w.byCell.first, w.byCell.deficit)
	if err != nil {
		return err
	}
	before := w.n
	if err := w.reserve(before + int(total)); err != nil {
		return err
	}
	w.n += int(total)
	s.dev.Run(kernels.NewFillCellLoop(box, seeding, w.byCell.first, w.byCell.deficit, w.p[w.current][before:w.n],
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
	return w.compactMarked()
}

// sort drops removed particles, and finds the particles of each dual cell.
func (w *swarm[F]) sort(seeding *kernels.Seeding[F]) error {
	if err := w.dropRemoved(); err != nil {
		return err
	}
	box := w.dualBox()
	s, n, order := w.s, box.Size(), &w.byCell
	if order.start == nil {
		a := &s.allocated
		order.start = backend.Fresh[int32](a, n+1, "particles by cell")
		order.deficit, order.first = backend.Fresh[int32](a, 2*n, "seeds"), backend.Fresh[int32](a, 2*n, "seeds")
		if a.Err() != nil {
			return a.Err()
		}
	}
	if len(order.cells) < w.n {
		var err, err2 error
		err3 := errors.Join(backend.Free(s.dev, order.cells), backend.Free(s.dev, order.order))
		order.cells, err = backend.Make[int32](s.dev, len(w.p[0]))
		order.order, err2 = backend.Make[int32](s.dev, len(w.p[0]))
		if err := errors.Join(err, err2, err3); err != nil {
			return err
		}
	}
	s.dev.Run(kernels.NewDualCellOfLoop(seeding, w.p[w.current], order.cells), 0, w.n)
	return primitives.OrderByCell(s.work, order.cells[:w.n], n, order.start, order.order[:w.n])
}

// sortByCell sorts the particles by cell, for locality of memory accesses.
func (w *swarm[F]) sortByCell() error {
	if err := w.sort(w.seeding()); err != nil {
		return err
	}
	from, to, order := w.current, 1-w.current, w.byCell.order[:w.n]
	if err := primitives.Gather(w.s.work, w.p[to][:w.n], w.p[from][:w.n], order); err != nil {
		return err
	}
	w.current = to
	return primitives.Gather(w.s.work, w.id[to][:w.n], w.id[from][:w.n], order)
}

// maintainParticles reseeds and sorts particles at the intervals of the configuration. All ghosts must be up to date.
func (s *solver[F]) maintainParticles() error {
	w := s.swarm
	if w == nil {
		return nil
	}
	if every := s.cfg.Reseed; every > 0 && s.steps%every == 0 {
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
	return &kernels.Seeding[F]{Lattice: s.lattice, Domain: w.domain, Phi: s.f[now], PerSign: int32(s.cfg.Particles),
		Band: F(seededBand * longest), MinRadius: F(minRadius * shortest), MaxRadius: F(maxRadius * shortest),
		Reach: particleGhosts - 1, Seedings: w.seedings}
}
