package levelset

import (
	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// reseed removes particles where there are many, and adds some where there are few. All ghosts must be up to date.
func (w *swarm[F]) reseed() error {
	s := w.s
	w.updateRadii()
	seeding := w.seeding()
	w.seedings++
	if err := w.sort(seeding); err != nil {
		return err
	}
	box := dualBox(&w.domain)
	p, id := w.now()
	reseeding := &kernels.Reseeding[F]{Seeding: *seeding, Escape: F(s.cfg.Escape), Start: w.starts.Data,
		Order: w.order.Data[:len(p)]}
	w.dev.Run(kernels.NewThinCellLoop(box, reseeding, s.removed.At(), p, id, w.marks.Data, w.deficit.Data), 0, box.Size())
	if err := w.compactMarked(); err != nil {
		return err
	}
	total, err := primitives.ExclusiveScan(w.work, w.first.Data, w.deficit.Data)
	if err != nil {
		return err
	}
	before := w.set.Count
	if err := w.set.Resize(before + int(total)); err != nil {
		return err
	}
	p, id = w.now()
	w.dev.Run(kernels.NewFillCellLoop(box, seeding, w.first.Data, w.deficit.Data, p[before:], id[before:]), 0, box.Size())
	if err := w.dropRemoved(); err != nil {
		return err
	}
	w.seeded += int64(w.set.Count - before)
	return nil
}

// dropRemoved compacts the arrays, without the particles that were removed.
func (w *swarm[F]) dropRemoved() error {
	w.run(func(l *swarmLoops) backend.Loop { return l.markLive })
	return w.compactMarked()
}

// sort drops removed particles, and finds the particles of each dual cell.
func (w *swarm[F]) sort(seeding *kernels.Seeding[F]) error {
	if err := w.dropRemoved(); err != nil {
		return err
	}
	box := dualBox(&w.domain)
	p, _ := w.now()
	n, cells := box.Size(), w.cells.Data[:len(p)]
	w.dev.Run(kernels.NewDualCellOfLoop(seeding, p, cells), 0, len(p))
	return primitives.OrderByCell(w.work, cells, n, w.starts.Data, w.order.Data[:len(p)])
}

// sortByCell sorts the particles by cell, for locality of memory accesses.
func (w *swarm[F]) sortByCell() error {
	if err := w.sort(w.seeding()); err != nil {
		return err
	}
	p, id := w.now()
	n, order := len(p), w.order.Data[:len(p)]
	w.current = 1 - w.current
	toP, toID := w.now()
	if err := primitives.Gather(w.work, toP, p, order); err != nil || n == 0 {
		return err
	}
	return primitives.Gather(w.work, toID, id, order)
}

// dualBox returns the index range of the block's dual cells.
func dualBox(domain *kernels.Domain) (box abi.Box) {
	for d := range 3 {
		box.Lo[d], box.Hi[d] = int(domain.Lo[d]), int(domain.Hi[d])
	}
	return box
}

// seeding returns the parameters of seeding.
func (w *swarm[F]) seeding() *kernels.Seeding[F] {
	s := w.s
	_, longest := spacings(s.block.Grid)
	minR, maxR := s.radii()
	return &kernels.Seeding[F]{Lattice: s.lattice, Domain: w.domain, Phi: s.f[now].Data, PerSign: int32(s.cfg.Particles),
		Band: F(seededBand * longest), MinRadius: minR, MaxRadius: maxR,
		Reach: particleGhosts - 1, Seedings: w.seedings}
}
