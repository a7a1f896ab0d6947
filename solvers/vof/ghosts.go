package vof

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// ghosts brings the ghosts of a block's fields up to date: those of other blocks and periodic axes by exchange, those
// beyond the grid by what lies at its boundary.
type ghosts[F kernels.Float] struct {
	block    *grid.Block
	exchange *halo.BoxExchanger
}

// haloTag keeps the exchanges apart from other messages.
const haloTag = 1

func newGhosts[F kernels.Float](b *grid.Block, plan *halo.BoxPlan, comm dist.Comm) (*ghosts[F], error) {
	if nx, ny, nz := b.Shape(); plan.Shape != [3]int{nx, ny, nz} || plan.Rank != comm.Rank() {
		return nil, fmt.Errorf("the halo plan is of rank %d and arrays of %v cells, the block of rank %d and arrays of %v", plan.Rank,
			plan.Shape, comm.Rank(), [3]int{nx, ny, nz})
	}
	return &ghosts[F]{b, halo.NewBoxExchanger(plan, comm, haloTag, int(unsafe.Sizeof(F(0))))}, nil
}

func (g *ghosts[F]) fill(ctx context.Context, f []F) error {
	if err := g.exchange.Exchange(ctx, halo.Of(f)); err != nil {
		return err
	}
	b := g.block
	for axis := range b.Grid.Dim {
		if b.Grid.Periodic[axis] {
			continue
		}
		if b.Lo[axis] == 0 {
			g.wall(axis, b.Ghost, -1, f)
		}
		if b.Lo[axis]+b.N[axis] == b.Grid.N[axis] {
			g.wall(axis, b.Ghost+b.N[axis]-1, 1, f)
		}
	}
	return nil
}

// wall copies the layer of cells number inside, counted in the array, to those beyond it: nothing changes across the
// boundary of the grid. (Extrapolation of higher order would leave [0, 1].) One axis after the other, corners come along.
func (g *ghosts[F]) wall(axis, inside, step int, f []F) {
	var n, stride [3]int
	n[0], n[1], n[2] = g.block.Shape()
	stride[0], stride[1], stride[2] = g.block.Strides()
	s, t := (axis+1)%3, (axis+2)%3
	for y := range n[t] {
		for x := range n[s] {
			row := x*stride[s] + y*stride[t]
			v := f[row+inside*stride[axis]]
			for k := 1; k <= g.block.Ghost; k++ {
				f[row+(inside+k*step)*stride[axis]] = v
			}
		}
	}
}

// lattice is the layout of a block's arrays for the kernels.
func lattice(b *grid.Block) kernels.Lattice {
	_, sy, sz := b.Strides()
	return kernels.Lattice{Origin: int32(b.Index(0, 0, 0)), SY: int32(sy), SZ: int32(sz)}
}
