package vof

import (
	"context"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// haloTag is the message tag of exchanges.
const haloTag = 1

// connectHalo sets up the exchange of the block's fields.
func (s *solver[F]) connectHalo(ctx context.Context, plan *halo.BoxPlan) (err error) {
	if nx, ny, nz := s.block.Shape(); plan.Shape != [3]int{nx, ny, nz} || plan.Rank != s.comm.Rank() {
		return fmt.Errorf("the halo plan is of rank %d and arrays of %v cells, the block of rank %d and arrays of %v",
			plan.Rank, plan.Shape, s.comm.Rank(), [3]int{nx, ny, nz})
	}
	s.ghosts, err = halo.Connect[F](ctx, plan, s.comm, s.dev, haloTag, s.cfg.Halo)
	if linked, ok := s.ghosts.(halo.DeviceGhostExchanger[F]); ok {
		s.fork = linked.Fork
	}
	return err
}

func (s *solver[F]) Halo() string { return s.ghosts.Kind() }

// exchange updates the ghosts that other ranks or periodic images own.
func (s *solver[F]) exchange(ctx context.Context, f []F) error {
	if err := s.ghosts.Start(ctx, f); err != nil {
		return err
	}
	if err := s.ghosts.Send(ctx); err != nil {
		return err
	}
	return s.ghosts.Finish(ctx)
}

// refreshGhosts updates the ghosts of the current field unless they are up to date.
func (s *solver[F]) refreshGhosts(ctx context.Context) error {
	if s.ghostsCurrent {
		return nil
	}
	s.ghostsCurrent = true
	return s.exchange(ctx, s.fields[s.currentField()])
}

// splitBoundary divides a block into its boundary, the boxes of cells that other ranks need, as deep as the ghosts, and
// its core. If no other rank takes part in exchanges, or if the block is thin, the boundary is the whole block: then
// nothing is computed while messages are in transit.
func (w *schedule) splitBoundary(b *grid.Block) (boundary []abi.Box, core abi.Box) {
	core = abi.Box{Hi: b.N}
	for axis := b.Grid.Dim - 1; axis >= 0; axis-- { // strips across the last axis have long rows
		for side, open := range b.HasNeighbours(axis) {
			strip := core
			if !open {
				continue
			}
			if side == 0 {
				core.Lo[axis] += b.Ghost
				strip.Hi[axis] = core.Lo[axis]
			} else {
				core.Hi[axis] -= b.Ghost
				strip.Lo[axis] = core.Hi[axis]
			}
			boundary = append(boundary, strip)
		}
		if core.Lo[axis] >= core.Hi[axis] || w.alone {
			return []abi.Box{{Hi: b.N}}, abi.Box{}
		}
	}
	return boundary, core
}

// hasNoOtherRank reports whether a plan has no messages to other ranks.
func hasNoOtherRank(plan *halo.BoxPlan) bool {
	for _, r := range plan.Phases {
		for _, p := range r.Peers {
			if p.Rank != plan.Rank {
				return false
			}
		}
	}
	return true
}

// lattice describes the layout of a block's arrays for the kernels.
func lattice(b *grid.Block) kernels.Lattice {
	_, sy, sz := b.Strides()
	return kernels.Lattice{Origin: int32(b.Index(0, 0, 0)), SY: int32(sy), SZ: int32(sz)}
}

// bandWalls are the ghosts beyond walls of a block with a narrow band. Those that repeat cells of idle pieces keep
// their values while the band is valid.
type bandWalls[F num.Float] struct {
	cells, ghosts []int32       // as arrays.wallCells and arrays.wallGhosts
	parts         []wallPart    // in their order, and one more at the end
	near          []int32       // numbers of the parts that repeat cells in the band
	loops         []wallLoop[F] // by field
}

// wallPart is a contiguous part of cells and ghosts that repeats cells of one piece: from first to below first of the
// next part.
type wallPart struct {
	first int32
	piece int // as narrowBand.pieceOf returns it
}

// otherRank is the piece of cells of other ranks, which are always in the band.
const otherRank = -1

// newBandWalls divides cells and ghosts into parts.
func newBandWalls[F num.Float](d *narrowBand[F], cells, ghosts []int32) *bandWalls[F] {
	w := &bandWalls[F]{cells: cells, ghosts: ghosts}
	for n, c := range cells {
		if piece := d.pieceOf(int(c)); n == 0 || piece != w.parts[len(w.parts)-1].piece {
			w.parts = append(w.parts, wallPart{int32(n), piece})
		}
	}
	w.near = make([]int32, 0, len(w.parts))
	w.parts = append(w.parts, wallPart{first: int32(len(cells))})
	for _, f := range d.fields {
		w.loops = append(w.loops, wallLoop[F]{w, f})
	}
	return w
}

// synchronise fills all ghosts in all fields, and lists the parts near the band that begins.
func (w *bandWalls[F]) synchronise(dev backend.Device, d *narrowBand[F]) {
	w.near = w.near[:0]
	for n := range len(w.parts) - 1 {
		w.near = append(w.near, int32(n))
	}
	for n := range w.loops {
		w.fill(dev, n)
	}
	w.near = slices.DeleteFunc(w.near, func(n int32) bool {
		piece := w.parts[n].piece
		return piece != otherRank && d.active[piece/64]>>(piece%64)&1 == 0
	})
}

// fill fills the ghosts near the band in field n.
func (w *bandWalls[F]) fill(dev backend.Device, n int) { dev.Run(&w.loops[n], 0, len(w.near)) }

// wallLoop fills ghosts of a field; its indices are those of bandWalls.near.
type wallLoop[F num.Float] struct {
	walls *bandWalls[F]
	f     []F
}

func (l *wallLoop[F]) Range(lo, hi int) {
	w, f := l.walls, l.f
	for _, n := range w.near[lo:hi] {
		first, end := w.parts[n].first, w.parts[n+1].first
		ghosts := w.ghosts[first:end]
		for i, c := range w.cells[first:end] {
			f[ghosts[i]] = f[c]
		}
	}
}
