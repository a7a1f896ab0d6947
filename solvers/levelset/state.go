package levelset

import (
	"math"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// Indices of level sets: now is the state; a step advects it to next, and reinitialisation computes now from next.
const (
	now = iota
	next
	stage1
	stage2
	levelSets
)

// arrays are the arrays of a rank. The same declarations estimate its memory.
type arrays[F num.Float] struct {
	f                    [levelSets]*engine.Array[F]
	start                *engine.Array[F] // the initial level set
	u                    [3]*engine.Array[F]
	hasInterface, active *engine.Array[int32]             // of bricks
	prevented            *engine.Result[kernels.Limits]   // counts of prevented sign changes
	removed              *engine.Result[kernels.Removed]  // particles removed so far
	counts               *engine.Result[kernels.Counts]   // measured, as the next one
	slope                *engine.Result[atomics.Most[F]]  // the largest gradient error
	bounds               *engine.Array[kernels.Bounds[F]] // of corrections: see back
	back                 halo.Return                      // how bounds of ghosts get to the owners of their cells
	returned             [2]*engine.Array[int32]          // From and To of back
	particles            *particleArrays[F]               // nil without particles
}

// declare declares the arrays of a block with peers. velocity returns the velocities through lower faces.
func declare[F num.Float](t *engine.Table, c Config, b *grid.Block, peers int, back halo.Return,
	velocity func(axis int) []F) (a arrays[F]) {
	n := b.Len()
	for k := range a.f {
		a.f[k] = engine.Add[F](t, "level sets", n)
	}
	a.start = engine.Add[F](t, "level sets", n)
	for axis := range b.Grid.Dim {
		a.u[axis] = engine.Input(t, "velocity", n, func() []F { return velocity(axis) })
	}
	bricks := brickCount(b)
	a.hasInterface, a.active = engine.Add[int32](t, "bricks", bricks), engine.Add[int32](t, "bricks", bricks)
	a.prevented = engine.NewResult[kernels.Limits](t, "counters", true)
	a.removed = engine.NewResult[kernels.Removed](t, "counters", true)
	a.counts = engine.NewResult[kernels.Counts](t, "counters", false, "Broken")
	a.slope = engine.NewResult[atomics.Most[F]](t, "counters", false)
	if c.Particles > 0 {
		a.back, a.bounds = back, engine.Add[kernels.Bounds[F]](t, "corrections", n+back.Ghosts())
		for k, list := range [][]int32{back.From, back.To} {
			a.returned[k] = engine.Input(t, "corrections", len(list), func() []int32 { return list })
		}
		a.particles = declareParticles[F](t, c, b, peers)
	}
	return a
}

func brickCount(b *grid.Block) int {
	n := kernels.CountBricks(b.N)
	return int(n[0]) * int(n[1]) * int(n[2])
}

// bricksOf returns the bricks of a block; bricks within `reach` cells of the interface are computed.
func (a *arrays[F]) bricksOf(b *grid.Block, reach float64) (bricks kernels.Bricks) {
	bricks.Reach = int32(math.Ceil((reach + 1) / kernels.BrickSide))
	bricks.HasInterface, bricks.Active = a.hasInterface.Data, a.active.Data
	for d, n := range kernels.CountBricks(b.N) {
		bricks.Lo[d], bricks.N[d], bricks.Count[d] = int32(b.Lo[d]), int32(b.N[d]), int32(n)
		if d < b.Grid.Dim {
			bricks.Adjoins[d] = b.HasNeighbours(d)
		}
	}
	return bricks
}

// latticeOf describes the layout of a block's cells in its arrays, by their indices in the grid.
func latticeOf[F num.Float](b *grid.Block) kernels.Lattice[F] {
	_, sy, sz := b.Strides()
	l := kernels.Lattice[F]{SY: sy, SZ: sz, Dim: int32(b.Grid.Dim), H: [3]F{1, 1, 1}}
	if b.Grid.Dim == 2 {
		l.SZ = 0
	}
	for d := range b.Grid.Dim {
		l.H[d] = F(b.Grid.Spacing(d))
	}
	for d, h := range l.H {
		l.Squares[d] = 1 / (h * h)
	}
	l.MinSide = min(l.H[0], l.H[1])
	if b.Grid.Dim == 3 {
		l.MinSide = min(l.MinSide, l.H[2])
	}
	l.Base = b.Index(0, 0, 0) - b.Lo[0] - l.SY*b.Lo[1] - l.SZ*b.Lo[2]
	return l
}

// domainOf returns the region of a block's particles.
func domainOf(b *grid.Block) *kernels.Domain {
	d := &kernels.Domain{Periodic: b.Grid.Periodic, Dim: int32(b.Grid.Dim)}
	for a := range 3 {
		d.Cells[a] = int32(b.Grid.N[a])
		d.Lo[a], d.Hi[a] = int32(b.Lo[a]), int32(b.Lo[a]+b.N[a])
		if a < b.Grid.Dim && b.Lo[a] == 0 && !b.Grid.Periodic[a] {
			d.Lo[a] = -1
		}
	}
	return d
}

// spacings returns the shortest and the longest side of a cell.
func spacings(g *grid.Grid) (shortest, longest float64) {
	shortest, longest = g.Spacing(0), g.Spacing(0)
	for d := range g.Dim {
		shortest, longest = min(shortest, g.Spacing(d)), max(longest, g.Spacing(d))
	}
	return shortest, longest
}
