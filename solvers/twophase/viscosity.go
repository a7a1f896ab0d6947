package twophase

import (
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels/levels"
)

// viscosity is the viscous part of a step.
type viscosity[F num.Float] struct{ *solver[F] }

// solve is the implicit step of viscosity: conjugate gradients with the diagonal for the change of velocity.
func (s viscosity[F]) solve(p *engine.Program) {
	w := s.viscous
	if w.sums == nil {
		return
	}
	s.refreshVelocity(p, s.v[0], keepOutflow)
	for d := range s.block.Grid.Dim {
		for _, a := range []*engine.Array[F]{w.change[d], w.residual[d], w.inverse[d], w.z[d], w.direction[d], w.product[d]} {
			p.Run(engine.Whole(levels.NewZeroLoop(a.Data), len(a.Data))) // sums are over ghosts too
		}
	}
	for d := range s.block.Grid.Dim {
		q := s.viscousOf(d, s.v[0])
		p.Run(engine.Over(kernels.NewStartViscousLoop(s.faces(d), q, s.now, w.change[d].Data, w.residual[d].Data,
			w.inverse[d].Data, w.largest.At()), s.faces(d)))
		if walls := s.solids; walls != nil {
			p.Run(engine.Whole(kernels.NewStartWallsLoop(q, walls.walls(d), s.now, w.residual[d].Data, w.inverse[d].Data),
				len(walls.wall[d].faces.Data)))
			s.zeroClosedFaces(p, d, w.residual[d])
			s.zeroClosedFaces(p, d, w.inverse[d]) // so that the change is 0 there
		}
	}
	engine.ReduceExtreme(p, s.oneLayer, w.largest, 0)
	p.Run(engine.Whole(kernels.NewSetToleranceLoop(F(s.cfg.ViscousTolerance), w.largest.At(), w.heaviest.At(),
		w.iteration.At()), 1))
	for d := range s.block.Grid.Dim {
		p.Run(engine.Whole(kernels.NewDiagonalLoop(w.inverse[d].Data, w.heaviest.At()), len(w.inverse[d].Data)))
		p.Run(engine.Over(kernels.NewScaleLoop(s.faces(d), &s.lattice, w.inverse[d].Data, w.residual[d].Data, w.z[d].Data,
			w.largest.At()), s.faces(d)))
	}
	engine.ReduceExtreme(p, s.oneLayer, w.heaviest, 0)
	engine.ReduceExtreme(p, s.oneLayer, w.largest, 0)
	p.Run(engine.Whole(levels.NewBeginLoop(w.largest.At(), w.iteration.At(), w.done.Data), 1))
	p.Repeat(&engine.Repeated{Most: mostViscous, Every: 1, Done: w.done, Body: s.iterate})
	for d := range s.block.Grid.Dim {
		p.Run(engine.Over(kernels.NewChangeLoop(s.faces(d), &s.lattice, w.change[d].Data, s.v[0][d].Data), s.faces(d)))
	}
}

// mostViscous is the largest number of viscous iterations.
const mostViscous = 500

// iterate is an iteration of conjugate gradients of the viscous step.
func (s viscosity[F]) iterate(p *engine.Program) {
	w, dim := s.viscous, s.block.Grid.Dim
	it, done, lattice := w.iteration.At(), w.done.Data, levels.Lattice{First: s.lattice.First, SY: s.lattice.SY,
		SZ: s.lattice.SZ}
	p.Run(engine.Whole(levels.NewPrepareProductsLoop(it, w.heaviest.At(), w.sums.Scale.At(), w.sums.Words.Data), 1))
	s.sum(p, w.residual, w.z)
	p.Run(engine.Whole(levels.NewTurnLoop(w.sums.Scale.At(), w.sums.Words.Data, it, done), 1))
	for d := range dim {
		p.Run(engine.Over(levels.NewDirectLoop(s.faces(d), &lattice, it, w.z[d].Data, w.direction[d].Data), s.faces(d)))
	}
	s.refreshVelocity(p, w.direction, zeroGiven)
	for d := range dim {
		q := s.viscousOf(d, w.direction)
		p.Run(engine.Over(kernels.NewResistLoop(s.faces(d), q, s.now, w.product[d].Data, w.sums.Bound.At()), s.faces(d)))
		if walls := s.solids; walls != nil {
			p.Run(engine.Whole(kernels.NewResistWallsLoop(q, walls.walls(d), s.now, w.product[d].Data, w.sums.Bound.At()),
				len(walls.wall[d].faces.Data)))
		}
	}
	w.sums.ReduceBound(p)
	s.sum(p, w.direction, w.product)
	p.Run(engine.Whole(levels.NewMeasureLoop(w.sums.Scale.At(), w.sums.Words.Data, it, done), 1))
	for d := range dim {
		p.Run(engine.Over(kernels.NewStepAndScaleLoop(s.faces(d), &s.lattice, it, w.inverse[d].Data, w.direction[d].Data,
			w.product[d].Data, w.change[d].Data, w.residual[d].Data, w.z[d].Data, w.largest.At()), s.faces(d)))
	}
	engine.ReduceExtreme(p, s.oneLayer, w.largest, 0)
	p.Run(engine.Whole(levels.NewJudgeLoop(mostViscous, w.largest.At(), it, done), 1))
}

// sum is the sum of the products of two velocities, which has been prepared.
func (s viscosity[F]) sum(p *engine.Program, x, y [3]*engine.Array[F]) {
	sums := s.viscous.sums
	for d := range s.block.Grid.Dim {
		sums.Add(p, x[d], y[d])
	}
	sums.Reduce(p)
}

// viscousOf is the stress on component d of a velocity.
func (s viscosity[F]) viscousOf(d int, v [3]*engine.Array[F]) *kernels.Viscous[F] {
	dim := s.block.Grid.Dim
	first := (d + 1) % dim
	q := &kernels.Viscous[F]{Lattice: s.lattice, Fluids: s.fluids, Across: s.stride(d), First: s.stride(first),
		F: s.f[0].Data, V: v[d].Data, VFirst: v[first].Data}
	if dim == 3 {
		second := (d + 2) % 3
		q.Second, q.VSecond = s.stride(second), v[second].Data
	}
	return q
}
