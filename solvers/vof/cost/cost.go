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

// What parts of a step by cells take, in ns of a core: measured for Enright's ball on 160³ cells on a Xeon of 2.8 GHz.
const (
	workOfCell  = 7
	workNear    = 25  // in addition, of each cell near other blocks, which the narrow band covers
	workOfMixed = 600 // in addition, of each mixed cell, with the cells of the band around it
)

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
	work := (workOfCell + workNear) * cells
	if lo, hi, some := far(l.Block); some {
		work -= workNear * int64(hi[0]-lo[0]) * int64(hi[1]-lo[1]) * int64(hi[2]-lo[2])
	}
	l.eachMixed(func([3]int) { work += workOfMixed })
	return work, nil
}

// AddWork implements balance.Model.
func (l *Counter[F]) AddWork(_ context.Context, to *partition.Bins) error {
	l.AddPlace(l.Block, to)
	l.eachMixed(func(cell [3]int) { *to.At(cell) += workOfMixed })
	return nil
}

// AddPlace implements balance.Placed.
func (l *Counter[F]) AddPlace(b *grid.Block, to *partition.Bins) {
	to.AddBox(workOfCell+workNear, b.Lo, [3]int{b.Lo[0] + b.N[0], b.Lo[1] + b.N[1], b.Lo[2] + b.N[2]})
	if lo, hi, some := far(b); some {
		to.AddBox(-workNear, lo, hi)
	}
}
