package levelset

import (
	"math"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// levelSets is the number of arrays for level sets: the current one, the next one, and two for intermediate stages.
const levelSets = 4

// arrays are the arrays of a rank's kernels. They are in the device's memory; the host must not access them if that
// is separate.
type arrays[F num.Float] struct {
	f         [levelSets][]F
	start     []F    // the initial level set
	u         [3][]F // velocities through lower faces
	bounds    []kernels.Bounds[F]
	clock     []kernels.Clock[F] // one element, as in the next three
	limits    []kernels.Limits   // counts of prevented sign changes
	removed   []kernels.Removed  // particles removed so far
	counts    []kernels.Counts   // diagnostics
	bricks    kernels.Bricks
	slope     []atomics.Most[F] // one element: the largest gradient error
	allocated backend.Arrays    // owns all of these
}

// upload allocates the arrays on the device, and uploads the velocities u.
func (s *solver[F]) upload(u [3][]F) error {
	p, n := &s.allocated, s.block.Len()
	for k := range s.f {
		s.f[k] = backend.Fresh[F](p, n, "level sets")
	}
	s.start = backend.Fresh[F](p, n, "level sets")
	for axis := range s.block.Grid.Dim {
		s.u[axis] = backend.Uploaded(p, u[axis], "velocity")
	}
	if s.cfg.Particles > 0 {
		s.bounds = backend.Fresh[kernels.Bounds[F]](p, n, "corrections")
	}
	s.bricks = bricksOf(s.block, s.cfg.Band*s.longest()/float64(s.lattice.MinSide))
	s.bricks.HasInterface = backend.Fresh[int32](p, s.brickCount(), "bricks")
	s.bricks.Active = backend.Fresh[int32](p, s.brickCount(), "bricks")
	s.clock = backend.Fresh[kernels.Clock[F]](p, 1, "clock")
	s.limits = backend.Fresh[kernels.Limits](p, 1, "counters")
	s.removed = backend.Fresh[kernels.Removed](p, 1, "counters")
	s.counts = backend.Fresh[kernels.Counts](p, 1, "counters")
	s.slope = backend.Fresh[atomics.Most[F]](p, 1, "counters")
	return p.Err()
}

// bricksOf returns the bricks of a block; bricks within `reach` cells of the interface are computed.
func bricksOf(b *grid.Block, reach float64) (bricks kernels.Bricks) {
	bricks.Reach = int32(math.Ceil((reach + 1) / kernels.BrickSide))
	for d, n := range kernels.CountBricks(b.N) {
		bricks.Lo[d], bricks.N[d], bricks.Count[d] = int32(b.Lo[d]), int32(b.N[d]), int32(n)
		if d < b.Grid.Dim {
			bricks.Adjoins[d] = b.HasNeighbours(d)
		}
	}
	return bricks
}

func (s *solver[F]) brickCount() int {
	n := s.bricks.Count
	return int(n[0] * n[1] * n[2])
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
