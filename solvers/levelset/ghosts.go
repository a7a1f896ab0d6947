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
	tagGhosts   = 1 // plus the number of layers
	tagBounds   = 9 // plus the axis
	tagMigrants = tagBounds + 3
)

// ghostLayers updates a number of ghost layers: by exchange with other ranks, and beyond walls by copies of the
// nearest cell.
type ghostLayers[F num.Float] struct {
	ghosts     halo.GhostExchanger[F]
	walls      [levelSets]backend.Loop
	wallGhosts int  // number of ghosts beyond walls
	noGhosts   bool // all ghosts lie beyond walls: nothing is exchanged
}

func (s *solver[F]) newGhostLayers(ctx context.Context, plan *halo.BoxPlan, width int) (r ghostLayers[F], err error) {
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
	r.wallGhosts = len(to)
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
		if isInLayers(i, b.N[0], width) && isInLayers(j, b.N[1], width) && isInLayers(k, b.N[2], width) {
			from, to = append(from, allFrom[n]), append(to, c)
		}
	}
	return slices.Clip(from), slices.Clip(to)
}

func isInLayers(i, n, width int) bool { return i >= -width && i < n+width }

// refreshGhosts updates the ghosts of a level set.
func (s *solver[F]) refreshGhosts(ctx context.Context, r *ghostLayers[F], field int) error {
	if err := s.exchangeGhosts(ctx, r, field); err != nil {
		return err
	}
	s.dev.Run(r.walls[field], 0, r.wallGhosts)
	return nil
}

// exchangeGhosts updates the ghosts of a level set, except those beyond walls.
func (s *solver[F]) exchangeGhosts(ctx context.Context, r *ghostLayers[F], field int) error {
	if r.noGhosts {
		return nil
	}
	before := s.setPhase(inHalo)
	err := halo.Exchange(ctx, r.ghosts, s.f[field])
	s.setPhase(before)
	return err
}

// boundsExchange sends the bounds that particles have set in ghost cells to the owners of these cells, in the block
// above along one axis.
type boundsExchange[F num.Float] struct {
	ghosts  halo.GhostExchanger[kernels.Bounds[F]]
	noPeers bool
	merge   backend.Loop // merges the received bounds into those of layer; nil without a block below
	layer   abi.Box
}

func (s *solver[F]) newBoundsExchange(ctx context.Context, plan *halo.BoxPlan, axis int) (u boundsExchange[F],
	err error) {
	up, err := plan.GhostReturnPlan(axis)
	if err != nil {
		return u, err
	}
	u.noPeers = len(up.Phases) == 0
	if u.ghosts, err = halo.ConnectBox[kernels.Bounds[F]](ctx, up, s.comm, s.dev, tagBounds+axis, s.cfg.Halo); err != nil {
		return u, err
	}
	s.closers = append(s.closers, u.ghosts.Close)
	u.layer = s.owned(1) // including ghosts: their bounds are sent on along the axes that follow
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
		exchange := &s.boundsExchanges[axis]
		if exchange.noPeers {
			continue
		}
		before := s.setPhase(inHalo)
		if err := halo.Exchange(ctx, exchange.ghosts, s.bounds); err != nil {
			return err
		}
		s.setPhase(before)
		if exchange.merge != nil {
			s.dev.Run(exchange.merge, 0, exchange.layer.Size())
		}
	}
	return nil
}
