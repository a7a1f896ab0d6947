package multigrid

import (
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels/levels"
)

// degree is that of the Chebyshev polynomials of the smoother.
const degree = 4

// SetUp computes the coarse levels from A.
func (s *Solver[F]) SetUp(p *engine.Program) {
	s.finest().refreshFaces(p)
	for n, l := range s.levels {
		if n == s.shared {
			s.gatherFaces(p)
		}
		if l.below == nil {
			break
		}
		l.invert(p)
		next := s.levels[n+1]
		if n+1 == s.shared {
			next = s.last
		}
		for d := range l.b.Grid.Dim {
			p.Run(engine.Over(levels.NewCoarsenFacesLoop(next.faces(d), int32(d), l.below, l.a[d].Data, next.a[d].Data),
				next.faces(d)),
				engine.Over(levels.NewWeighLoop(l.cells(0), int32(d), l.below, l.a[d].Data, l.w[d].Data), l.cells(0)))
		}
		l.refreshDeep(p, l.w[:l.b.Grid.Dim]...)
		if next.wide {
			box := next.cells(0)
			p.Run(engine.Over(levels.NewMultiplyLoop(box, l.product(), next.linksOf()), box))
		}
		if next != s.last {
			next.refreshFaces(p)
			if next.wide {
				next.refreshDeep(p, next.links...)
			}
		}
	}
	p.Run(engine.Whole(levels.NewFactoriseLoop(s.bottom()), 1))
}

// gatherFaces gives every rank the coefficients of the first level that all ranks compute.
func (s *Solver[F]) gatherFaces(p *engine.Program) {
	whole := s.levels[s.shared]
	for d := range whole.b.Grid.Dim {
		box := s.last.faces(d)
		p.Run(engine.Whole(levels.NewZeroLoop(whole.a[d].Data), len(whole.a[d].Data)),
			engine.Over(levels.NewAssembleLoop(box, s.parts, s.last.a[d].Data, whole.a[d].Data), box))
		p.Reduce(engine.AssembledOf(whole.a[d]))
	}
	whole.refreshFaces(p)
	if !whole.wide {
		return
	}
	box := s.last.cells(0)
	for k, all := range whole.links {
		p.Run(engine.Whole(levels.NewZeroLoop(all.Data), len(all.Data)),
			engine.Over(levels.NewAssembleLoop(box, s.parts, s.last.links[k].Data, all.Data), box))
		p.Reduce(engine.AssembledOf(all))
	}
	whole.refreshDeep(p, whole.links...)
}

// invert computes the factors of the smoother's steps.
func (l *level[F]) invert(p *engine.Program) {
	box, lattice := l.cells(0), l.lattice()
	if l.wide {
		p.Run(engine.Over(levels.NewInvertWideLoop(box, &lattice, l.linksOf(), l.inverse.Data), box))
		return
	}
	p.Run(engine.Over(levels.NewInvertLoop(box, l.matrix()), box))
}

// product is what the matrix of the next level in the plane is made of.
func (l *level[F]) product() *levels.Product[F] {
	return &levels.Product[F]{Transfer: *l.below, Wide: l.wide, AX: l.a[0].Data, AY: l.a[1].Data, Links: *l.linksOf(),
		WX: l.w[0].Data, WY: l.w[1].Data}
}

func (s *Solver[F]) bottom() *levels.Bottom[F] {
	l := s.levels[len(s.levels)-1]
	m := l.matrix()
	b := &levels.Bottom[F]{Lattice: m.Lattice, Periodic: l.b.Grid.Periodic, Singular: s.singular, Space: m.Space,
		A: levels.Weights[F]{X: m.AX, Y: m.AY, Z: m.AZ}, Wide: l.wide, Links: *l.linksOf(), Factor: s.factor.Data}
	if s.empty != nil {
		b.Least = leastPivot[F]()
	}
	for d := range 3 {
		b.Cells[d] = int32(l.b.N[d])
	}
	return b
}

// leastPivot is a part of the diagonal below which a pivot may be round-off.
func leastPivot[F num.Float]() F {
	if any(F(0)) == any(float32(0)) {
		return 1e-5
	}
	return 1e-13
}

// Solve iterates from the present X until the largest |b - A X| is at most the tolerance of Iteration.
func (s *Solver[F]) Solve(p *engine.Program) {
	l, it, done := s.finest(), s.Iteration.At(), s.done.Data
	box, lattice, sums := l.cells(0), l.lattice(), s.sums
	l.refresh(p, s.X)
	if s.singular {
		p.Run(engine.Over(levels.NewResidualLoop(box, l.matrix(), s.B.Data, s.X.Data, s.residual.Data,
			sums.Bound.At()), box))
		sums.ReduceBound(p)
		sums.Add(p, s.residual, nil)
		sums.Reduce(p)
		cells := float64(l.b.Grid.Cells())
		if s.empty != nil {
			cells = s.cells
		}
		p.Run(engine.Whole(levels.NewSetMeanLoop(cells, sums.Scale.At(), sums.Words.Data, it), 1),
			engine.Over(levels.NewSubtractLoop(box, &lattice, it, s.residual.Data, sums.largest.At()), box))
		if s.empty != nil {
			s.empty(p, s.residual)
		}
	} else {
		p.Run(engine.Over(levels.NewResidualLoop(box, l.matrix(), s.B.Data, s.X.Data, s.residual.Data, sums.largest.At()),
			box))
	}
	engine.ReduceExtreme(p, sums.ghosts, sums.largest, 0)
	p.Run(engine.Whole(levels.NewBeginLoop(sums.largest.At(), it, done), 1))
	p.Repeat(&engine.Repeated{Most: int(s.most), Every: 1, Done: s.done, Body: s.iterate})
}

// iterate is an iteration of conjugate gradients.
func (s *Solver[F]) iterate(p *engine.Program) {
	l, it, done := s.finest(), s.Iteration.At(), s.done.Data
	box, lattice, sums := l.cells(0), l.lattice(), s.sums
	s.precondition(p)
	p.Run(engine.Whole(levels.NewMaxProductLoop(s.residual.Data, s.z.Data, sums.Bound.At()), len(s.z.Data)))
	sums.ReduceBound(p)
	sums.Add(p, s.residual, s.z)
	sums.Reduce(p)
	p.Run(engine.Whole(levels.NewTurnLoop(sums.Scale.At(), sums.Words.Data, it, done), 1),
		engine.Over(levels.NewDirectLoop(box, &lattice, it, s.z.Data, s.d.Data), box))
	l.refresh(p, s.d)
	p.Run(engine.Over(levels.NewApplyLoop(box, l.matrix(), s.d.Data, s.q.Data, sums.Bound.At()), box))
	sums.ReduceBound(p)
	sums.Add(p, s.d, s.q)
	sums.Reduce(p)
	p.Run(engine.Whole(levels.NewMeasureLoop(sums.Scale.At(), sums.Words.Data, it, done), 1),
		engine.Over(levels.NewStepLoop(box, &lattice, it, s.d.Data, s.q.Data, s.X.Data, s.residual.Data,
			sums.largest.At()), box))
	engine.ReduceExtreme(p, sums.ghosts, sums.largest, 0)
	p.Run(engine.Whole(levels.NewJudgeLoop(s.most, sums.largest.At(), it, done), 1))
}

// precondition computes z from the residual by a V-cycle.
func (s *Solver[F]) precondition(p *engine.Program) {
	if s.shared == 0 {
		s.share(p)
		box := s.last.cells(0)
		p.Run(engine.Over(levels.NewDisassembleLoop(box, s.parts, s.levels[0].x[0].Data, s.z.Data), box))
		return
	}
	s.cycle(p, 0)
}

// share lets all ranks compute a cycle of the first level that they have as a whole.
func (s *Solver[F]) share(p *engine.Program) {
	whole, box := s.levels[s.shared], s.last.cells(0)
	p.Run(engine.Whole(levels.NewZeroLoop(whole.rhs.Data), len(whole.rhs.Data)),
		engine.Over(levels.NewAssembleLoop(box, s.parts, s.last.rhs.Data, whole.rhs.Data), box))
	p.Reduce(engine.AssembledOf(whole.rhs))
	s.cycle(p, s.shared)
}

// cycle is a V-cycle from x = 0 on level n: symmetric, so that it preconditions conjugate gradients.
func (s *Solver[F]) cycle(p *engine.Program, n int) {
	l := s.levels[n]
	if l.below == nil {
		p.Run(engine.Whole(levels.NewSolveBottomLoop(s.bottom(), l.rhs.Data, l.x[0].Data), 1))
		return
	}
	now := s.smooth(p, l, -1)
	l.refresh(p, l.x[now])
	box, lattice := l.cells(0), l.lattice()
	if l.wide {
		p.Run(engine.Over(levels.NewResidualWideLoop(box, &lattice, l.linksOf(), l.rhs.Data, l.x[now].Data, l.r.Data), box))
	} else {
		p.Run(engine.Over(levels.NewResidualLoop(box, l.matrix(), l.rhs.Data, l.x[now].Data, l.r.Data, s.ignored()), box))
	}
	l.refresh(p, l.r)
	next, coarse := s.levels[n+1], (*level[F])(nil)
	if coarse = next; n+1 == s.shared {
		coarse = s.last
	}
	p.Run(engine.Over(levels.NewRestrictLoop(coarse.cells(0), l.below, l.weights(), l.r.Data, coarse.rhs.Data),
		coarse.cells(0)))
	if n+1 == s.shared {
		s.share(p)
		next.refresh(p, next.x[0])
		with := coarse.cells(1)
		p.Run(engine.Over(levels.NewDisassembleLoop(with, s.parts, next.x[0].Data, coarse.x[0].Data), with))
	} else {
		s.cycle(p, n+1)
		coarse.refresh(p, coarse.x[0])
	}
	p.Run(engine.Over(levels.NewProlongLoop(box, l.below, l.weights(), coarse.x[0].Data, l.x[now].Data, l.x[now].Data),
		box))
	s.smooth(p, l, now)
}

// ignored is where maxima that nobody reads are found.
func (s *Solver[F]) ignored() *atomics.Most[F] { return s.sums.unused.At() }

// smooth takes the Chebyshev iterations from l.x[from], or from 0 if from is -1, and returns where their result is.
// With the eigenvalues λ of the scaled matrix in [lowest, 2], those are the polynomials of the least maximum there.
func (s *Solver[F]) smooth(p *engine.Program, l *level[F], from int) (now int) {
	const highest = 2
	lowest := highest / 4.0
	if l.b.Grid.Dim == 3 {
		lowest = highest / 6.0
	}
	middle, reach := (highest+lowest)/2, (highest-lowest)/2
	sigma := middle / reach
	rho, kept, length := 1/sigma, 0.0, 1/middle
	box, m := l.cells(0), l.matrix()
	now = from
	for n := range degree {
		if n > 0 {
			next := 1 / (2*sigma - rho)
			kept, length, rho = next*rho, 2*next/reach, next
		}
		if now < 0 {
			p.Run(engine.Over(levels.NewStartLoop(box, m, F(length), l.rhs.Data, l.t.Data, l.x[1].Data), box))
			now = 1
			continue
		}
		l.refresh(p, l.x[now])
		if lattice := l.lattice(); l.wide {
			p.Run(engine.Over(levels.NewSmoothWideLoop(box, &lattice, l.linksOf(), F(kept), F(length), l.inverse.Data,
				l.rhs.Data, l.x[now].Data, l.t.Data, l.x[1-now].Data), box))
		} else {
			p.Run(engine.Over(levels.NewSmoothLoop(box, m, F(kept), F(length), l.rhs.Data, l.x[now].Data, l.t.Data,
				l.x[1-now].Data), box))
		}
		now = 1 - now
	}
	return now
}
