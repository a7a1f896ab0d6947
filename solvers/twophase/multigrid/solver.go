package multigrid

import (
	"slices"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels/levels"
)

// Solver is a rank's part of a system. X and B are its solution and its right-hand side, and A the coefficients of
// lower faces along each axis, over the cells of the rank's block: the last face beyond the grid is in the ghosts.
type Solver[F num.Float] struct {
	X, B *engine.Array[F]
	A    [3]*engine.Array[F]
	// Iteration is the state of the iterations: its tolerance is to be set, its counts may be read.
	Iteration *engine.Array[levels.Iteration]

	levels   []*level[F] // the first ones over the rank's block, the rest over the whole grid
	shared   int         // the first level over the whole grid
	last     *level[F]   // the level `shared` over the rank's block, where parts come from
	parts    *levels.Blocks
	singular bool
	cells    float64 // of fluid, if walls are between cells; otherwise 0
	empty    func(*engine.Program, *engine.Array[F])
	factor   *engine.Array[F]

	residual, z, d, q *engine.Array[F]
	sums              *Sums[F]
	done              *engine.Array[int32]
	most              int64
}

// Sums is what sums over cells need: see levels.AddProducts.
type Sums[F num.Float] struct {
	byBlocks bool                           // as suits processors
	Bound    *engine.Array[atomics.Most[F]] // the largest addend
	Scale    *engine.Array[levels.Scale]
	Words    *engine.Array[int64]
	ghosts   *engine.Ghosts
	largest  *engine.Array[atomics.Most[F]] // residual
	unused   *engine.Array[atomics.Most[F]] // for maxima that nobody reads
}

// NewSums declares sums. ghosts are those by whose links the devices reduce, once they are connected.
func NewSums[F num.Float](t *engine.Table) *Sums[F] {
	return &Sums[F]{byBlocks: !t.Separate(),
		Bound: engine.Add[atomics.Most[F]](t, "sums", 1), largest: engine.Add[atomics.Most[F]](t, "sums", 1),
		unused: engine.Add[atomics.Most[F]](t, "sums", 1),
		Scale:  engine.Add[levels.Scale](t, "sums", 1), Words: engine.Add[int64](t, "sums", 2)}
}

// Connect sets the ghosts by whose links devices reduce.
func (s *Sums[F]) Connect(ghosts *engine.Ghosts) { s.ghosts = ghosts }

// ReduceBound takes the largest addend of all ranks, and begins a sum.
func (s *Sums[F]) ReduceBound(p *engine.Program) {
	engine.ReduceExtreme(p, s.ghosts, s.Bound, 0)
	p.Run(engine.Whole(levels.NewPrepareLoop(s.Bound.At(), s.Scale.At(), s.Words.Data), 1))
}

// Add adds the products of the elements of x and y, or if y is nil those of x.
func (s *Sums[F]) Add(p *engine.Program, x, y *engine.Array[F]) {
	plain := y == nil
	if plain {
		y = x
	}
	if s.byBlocks {
		p.Run(engine.Whole(levels.NewAddBlockLoop(plain, s.Scale.At(), x.Data, y.Data, s.Words.Data),
			levels.SumBlocks(len(x.Data))))
		return
	}
	p.Run(engine.Whole(levels.NewAddProductsLoop(plain, s.Scale.At(), x.Data, y.Data, s.Words.Data),
		levels.Chunks(len(x.Data))))
}

// Reduce adds up the sums of all ranks.
func (s *Sums[F]) Reduce(p *engine.Program) { p.Reduce(engine.AddedOf(s.Words)) }

// Declare declares the arrays of a system on a rank's block, whose cells begin and end at multiples of Align. open
// tells for each axis and side whether the solution is 0 there.
func Declare[F num.Float](t *engine.Table, b *grid.Block, boxes halo.Boxes, rank int, open [3][2]bool) (*Solver[F],
	error) {
	s := &Solver[F]{singular: true, most: 200}
	for d := range b.Grid.Dim {
		s.singular = s.singular && (b.Grid.Periodic[d] || !open[d][0] && !open[d][1])
	}
	add := func() *engine.Array[F] { return engine.Add[F](t, "multigrid", b.Len()) }
	s.X, s.B, s.residual, s.d, s.q = add(), add(), add(), add(), add()
	s.sums, s.done = NewSums[F](t), engine.Add[int32](t, "multigrid", 1)
	s.Iteration = engine.Add[levels.Iteration](t, "multigrid", 1)
	if err := s.declareLevels(t, b, boxes, rank); err != nil {
		return nil, err
	}
	finest := s.last
	if s.shared > 0 {
		finest = s.levels[0]
	}
	s.A, s.z = finest.a, finest.x[0]
	s.factor = engine.Add[F](t, "multigrid", levels.BottomCells*levels.BottomCells)
	return s, nil
}

// declareLevels declares the levels, from the finest to the coarsest one.
func (s *Solver[F]) declareLevels(t *engine.Table, b *grid.Block, boxes halo.Boxes, rank int) (err error) {
	dim, wrapping := b.Grid.Dim, b.Grid.Periodic != [3]bool{}
	for n := size(b.Grid.N); ; {
		h, done := n.halved(dim), n.cells() <= levels.BottomCells
		l := &level[F]{b: b, wide: dim == 2 && len(s.levels) > 0}
		if len(s.levels) == 0 {
			l.rhs = s.residual
		}
		if n.cells() <= replicated && s.last == nil {
			s.shared, s.last = len(s.levels), l
			if s.shared == 0 {
				if err = l.planGhosts(boxes, rank); err != nil {
					return err
				}
			}
			for d := range dim {
				l.a[d] = engine.Add[F](t, "multigrid", b.Len())
			}
			l.x[0] = engine.Add[F](t, "multigrid", b.Len())
			if l.rhs == nil {
				l.rhs = engine.Add[F](t, "multigrid", b.Len())
			}
			if l.wide {
				l.declareLinks(t)
			}
			if b, err = b.Grid.Whole(ghostLayers(dim)); err != nil {
				return err
			}
			boxes, rank = wholeBoxes(b.Grid), 0
			l = &level[F]{b: b, wide: l.wide}
			s.parts = &levels.Blocks{Part: latticeOf(s.last.b), Whole: latticeOf(b)}
			for d := range 3 {
				s.parts.Lo[d] = int32(s.last.b.Lo[d])
			}
		}
		l.declare(t, done)
		s.levels = append(s.levels, l)
		if s.last != nil && wrapping {
			l.declareWrap(t)
		} else if s.last != nil {
			l.wrapBy, l.wrapTo = engine.Add[int32](t, "multigrid", 0), engine.Add[int32](t, "multigrid", 0)
		} else if err = l.planGhosts(boxes, rank); err != nil {
			return err
		}
		if done {
			return s.connectLevels()
		}
		n = n.coarse(h)
		boxes = coarseBoxes(boxes, h)
		g := &grid.Grid{Dim: dim, N: n, Lo: b.Grid.Lo, Hi: b.Grid.Hi, Periodic: b.Grid.Periodic}
		if b, err = blockOf(g, boxes, rank, ghostLayers(dim)); err != nil {
			return err
		}
	}
}

// connectLevels sets the transfers between levels.
func (s *Solver[F]) connectLevels() error {
	for n, l := range s.levels[:len(s.levels)-1] {
		next := s.levels[n+1]
		if n+1 == s.shared {
			next = s.last
		}
		l.below = l.transferTo(next, size(l.b.Grid.N).halved(l.b.Grid.Dim))
	}
	return nil
}

// Connect sets up the exchanges, which have tags from tag on; a level has three.
func (s *Solver[F]) Connect(e *engine.Engine, tag int) error {
	divided := s.levels[:s.shared]
	if s.shared == 0 {
		divided = []*level[F]{s.last}
	}
	for n, l := range divided {
		reach := 1
		if l.wide {
			reach = 2
		}
		narrow, err := l.plan.WithLayers(l.b.Ghost, reach, halo.AxisByAxis)
		if err != nil {
			return err
		}
		two, err := l.plan.WithLayers(l.b.Ghost, 2, halo.AxisByAxis)
		if err != nil {
			return err
		}
		faces, err := two.WithUpperFaces(halo.AxisByAxis)
		if err != nil {
			return err
		}
		l.ghosts, l.faceGhosts = e.BoxGhosts(narrow, tag+3*n), e.BoxGhosts(faces, tag+3*n+1)
		l.deepGhosts = e.BoxGhosts(l.plan, tag+3*n+2)
	}
	s.sums.Connect(s.finest().ghosts)
	return nil
}

func (s *Solver[F]) finest() *level[F] {
	if s.shared == 0 {
		return s.last
	}
	return s.levels[0]
}

// Part tells that only a number of the cells have neighbours: this one for all ranks; empty sets others to 0.
func (s *Solver[F]) Part(cells int, empty func(p *engine.Program, a *engine.Array[F])) {
	s.cells, s.empty = float64(cells), empty
}

// Scratch returns the arrays over the cells of the rank's block that hold nothing between solutions: whoever uses them
// calls ClearScratch before SetUp, and before A and B are set. Those of A are the last ones.
func (s *Solver[F]) Scratch() []*engine.Array[F] {
	l := s.finest()
	all := []*engine.Array[F]{s.B, s.residual, s.d, s.q, l.x[1], l.t, l.r, l.inverse, l.w[0], l.w[1], l.w[2], l.x[0],
		l.a[0], l.a[1], l.a[2]}
	return slices.DeleteFunc(all, func(a *engine.Array[F]) bool { return a == nil })
}

// ClearScratch sets Scratch to 0: ghosts beyond sides must be so.
func (s *Solver[F]) ClearScratch(p *engine.Program) {
	for _, a := range s.Scratch() {
		p.Run(engine.Whole(levels.NewZeroLoop(a.Data), len(a.Data)))
	}
}

// Singular reports whether the solution is defined up to a constant: no side has a value.
func (s *Solver[F]) Singular() bool { return s.singular }

// SetTolerance sets the tolerance of Solve.
func (s *Solver[F]) SetTolerance(v float64) error {
	return s.Iteration.Set([]levels.Iteration{{Tolerance: v}})
}
