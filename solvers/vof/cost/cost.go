// Package cost counts what steps of volume of fluid by cells take on a block of a grid.
package cost

import (
	"context"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/vof/narrowband"
	"github.com/atoll-hpc/atoll/solvers/vof/plic"
)

// prices are what parts of a step by cells take, in units that all ranks share.
type prices struct {
	cell  int64
	near  int64 // in addition, of each cell near other blocks, which the narrow band covers
	mixed int64 // in addition, of each mixed cell, with the cells of the band around it
}

// Measured on Xeons: for the vortex on 256² to 1024² cells, where atoll scale finds 2 to 16 ranks balanced best, and in
// ns for Enright's ball on 160³ cells.
var (
	inPlane = prices{cell: 1, near: 3, mixed: 2000}
	inSpace = prices{cell: 7, near: 25, mixed: 600}
)

func pricesOn(g *grid.Grid) *prices {
	if g.Dim == 2 {
		return &inPlane
	}
	return &inSpace
}

// Counter counts the work of a block. It depends on the state alone.
type Counter[F num.Float] struct {
	Block *grid.Block
	State func() []F // the present volume fractions, with ghosts
}

// far returns the box of cells that are not near other blocks; some is false if there are none.
func far(b *grid.Block) (lo, hi [3]int, some bool) {
	some = true
	for d := range lo {
		lo[d], hi[d] = b.Lo[d], b.Lo[d]+b.N[d]
		if d < b.Grid.Dim {
			open := b.HasNeighbours(d)
			if open[0] {
				lo[d] += narrowband.Reach
			}
			if open[1] {
				hi[d] -= narrowband.Reach
			}
		}
		some = some && lo[d] < hi[d]
	}
	return lo, hi, some
}

// eachMixed calls f with each mixed cell.
func (l *Counter[F]) eachMixed(f func(cell [3]int)) {
	b, fractions, off := l.Block, l.State(), plic.RoundOff[F]()
	for k := range b.N[2] {
		for j := range b.N[1] {
			first := b.Index(0, j, k)
			for i, v := range fractions[first : first+b.N[0]] {
				if v > off && v < 1-off {
					f([3]int{b.Lo[0] + i, b.Lo[1] + j, b.Lo[2] + k})
				}
			}
		}
	}
}

// Work implements balance.Model.
func (l *Counter[F]) Work(context.Context) (int64, error) {
	cells := int64(l.Block.Cells())
	p := pricesOn(l.Block.Grid)
	work := (p.cell + p.near) * cells
	if lo, hi, some := far(l.Block); some {
		work -= p.near * int64(hi[0]-lo[0]) * int64(hi[1]-lo[1]) * int64(hi[2]-lo[2])
	}
	l.eachMixed(func([3]int) { work += p.mixed })
	return work, nil
}

// AddWork implements balance.Model.
func (l *Counter[F]) AddWork(_ context.Context, to *partition.Bins) error {
	l.AddPlace(l.Block, to)
	mixed := pricesOn(l.Block.Grid).mixed
	l.eachMixed(func(cell [3]int) { *to.At(cell) += mixed })
	return nil
}

// AddPlace implements balance.Placed.
func (l *Counter[F]) AddPlace(b *grid.Block, to *partition.Bins) {
	p := pricesOn(b.Grid)
	to.AddBox(p.cell+p.near, b.Lo, [3]int{b.Lo[0] + b.N[0], b.Lo[1] + b.N[1], b.Lo[2] + b.N[2]})
	if lo, hi, some := far(b); some {
		to.AddBox(-p.near, lo, hi)
	}
}
