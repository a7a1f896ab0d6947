package twophase

import (
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels"
)

// passed is the volume of the first fluid that has passed a side toward higher coordinates since the start: whole
// cells, and units of 2^-40 of a cell.
type passed struct{ whole, part int64 }

func (q *passed) add(v int64) {
	q.part += v
	q.whole += q.part >> 40
	q.part &= 1<<40 - 1
}

// cells is the volume in cells.
func (q *passed) cells() float64 { return float64(q.whole) + float64(q.part)*0x1p-40 }

// budget adds up what passes the sides.
type budget[F num.Float] struct{ *solver[F] }

// addPassed adds what a sweep along an axis moves through its sides.
func (s budget[F]) addPassed(p *engine.Program, axis int) {
	b := s.block
	for side := range 2 {
		if !s.cfg.passes(b.Grid, axis, side) || b.HasNeighbours(axis)[side] {
			continue
		}
		box := abi.Box{Hi: b.N}
		box.Lo[axis] = side * b.N[axis]
		box.Hi[axis] = box.Lo[axis] + 1
		p.Run(engine.Over(kernels.NewPassLoop(box, &s.lattice, 2*axis+side, s.cfg.part(b.Grid), s.volume.Data,
			s.passed.Data), box))
	}
}

// reducePassed adds up the sides of all ranks.
func (s budget[F]) reducePassed(p *engine.Program) {
	if s.counts() {
		p.Reduce(engine.AddedOf(s.passed))
	}
}

// counts reports whether fluid may pass any side.
func (s budget[F]) counts() (any bool) {
	for n := range s.through {
		any = any || s.cfg.passes(s.block.Grid, n/2, n%2)
	}
	return any
}

// take adds what the last step moved to the sums since the start.
func (s budget[F]) take() error {
	if !s.counts() {
		return nil
	}
	step, err := s.passed.Host()
	for n := range s.through {
		if err == nil {
			s.through[n].add(step[n])
		}
	}
	return err
}
