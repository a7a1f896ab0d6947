package levelset

import (
	"context"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// Message tags of exchanges that may be pending at the same time.
const (
	tagGhosts = iota + 1 // plus the width
	tagUpward = iota + 8 // plus the axis
	tagMigrants
)

// ghostLayers updates a number of ghost layers: by exchange with other ranks, and beyond walls by copies of the
// nearest cell.
type ghostLayers[F num.Float] struct {
	ghosts   halo.GhostExchanger[F]
	walls    [levelSets]backend.Loop
	count    int  // of ghosts beyond walls
	noGhosts bool // no ghost is a copy of another cell
}

func (s *solver[F]) ghostLayers(ctx context.Context, plan *halo.BoxPlan, width int) (r ghostLayers[F], err error) {
	narrow, err := plan.WithLayers(s.block.Ghost, width, halo.AxisByAxis)
	if err != nil {
		return r, err
	}
	r.noGhosts = len(narrow.Phases) == 0
	if r.ghosts, err = halo.ConnectBox[F](ctx, narrow, s.comm, s.dev, tagGhosts+width, s.cfg.Halo); err != nil {
		return r, err
	}
	s.closers = append(s.closers, r.ghosts.Close)
	from, to := wallsWithin(s.block, width)
	r.count = len(to)
	p := &s.allocated
	from, to = backend.Uploaded(p, from, "walls"), backend.Uploaded(p, to, "walls")
	for n := range r.walls {
		r.walls[n] = kernels.NewFillWallLoop(from, to, s.f[n])
	}
	return r, p.Err()
}

// wallsWithin lists the ghosts beyond walls in the first `width` layers, and the cells that they copy.
func wallsWithin(b *grid.Block, width int) (from, to []int32) {
	allFrom, allTo := b.BoundaryGhosts()
	for n, c := range allTo {
		i, j, k := b.Cell(int(c))
		if within(i, b.N[0], width) && within(j, b.N[1], width) && within(k, b.N[2], width) {
			from, to = append(from, allFrom[n]), append(to, c)
		}
	}
	return slices.Clip(from), slices.Clip(to)
}

func within(i, n, width int) bool { return i >= -width && i < n+width }

// refresh updates the ghosts of a level set.
func (s *solver[F]) refresh(ctx context.Context, r *ghostLayers[F], field int) error {
	if err := s.exchange(ctx, r, field); err != nil {
		return err
	}
	s.dev.Run(r.walls[field], 0, r.count)
	return nil
}

// exchange is refresh without the ghosts beyond walls.
func (s *solver[F]) exchange(ctx context.Context, r *ghostLayers[F], field int) error {
	if r.noGhosts {
		return nil
	}
	before := s.setPhase(inHalo)
	err := halo.Exchange(ctx, r.ghosts, s.f[field])
	s.setPhase(before)
	return err
}

// upward sends the bounds that particles have set in ghost cells to the owners of these cells, along one axis.
type upward[F num.Float] struct {
	ghosts  halo.GhostExchanger[kernels.Bounds[F]]
	noPeers bool
	merge   backend.Loop // nil if there is no block below
	layer   abi.Box
}

func (s *solver[F]) upward(ctx context.Context, plan *halo.BoxPlan, axis int) (u upward[F], err error) {
	up, err := plan.GhostReturnPlan(axis)
	if err != nil {
		return u, err
	}
	u.noPeers = len(up.Phases) == 0
	if u.ghosts, err = halo.ConnectBox[kernels.Bounds[F]](ctx, up, s.comm, s.dev, tagUpward+axis, s.cfg.Halo); err != nil {
		return u, err
	}
	s.closers = append(s.closers, u.ghosts.Close)
	u.layer = s.owned(1) // and the ghosts that earlier axes have received
	u.layer.Lo[axis], u.layer.Hi[axis] = s.block.Lo[axis], s.block.Lo[axis]+1
	stride := [3]int{1, s.lattice.SY, s.lattice.SZ}[axis]
	if s.block.HasNeighbours(axis)[0] {
		u.merge = kernels.NewMergeFromGhostLoop(u.layer, &s.lattice, stride, s.bounds)
	}
	return u, nil
}

// gatherBounds sends bounds upward along all axes, the last axis first.
func (s *solver[F]) gatherBounds(ctx context.Context) error {
	for axis := s.block.Grid.Dim - 1; axis >= 0; axis-- {
		u := &s.upwards[axis]
		if u.noPeers {
			continue
		}
		before := s.setPhase(inHalo)
		if err := halo.Exchange(ctx, u.ghosts, s.bounds); err != nil {
			return err
		}
		s.setPhase(before)
		if u.merge != nil {
			s.dev.Run(u.merge, 0, u.layer.Size())
		}
	}
	return nil
}
