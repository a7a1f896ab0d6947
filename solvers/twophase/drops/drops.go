// Package drops lists drops, the connected pieces of the first fluid, and bubbles, those of the second, and removes
// small ones.
package drops

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/common/pieces"
	"github.com/atoll-hpc/atoll/solvers/vof/plic"
)

// Options tell which pieces of a fluid are looked for.
type Options struct {
	Every       float64 // s between tables; 0 for one after each step
	Threshold   float64 // cells with more of the fluid belong to pieces
	RemoveBelow float64 // volume in m³, in the plane m², below which pieces are removed; 0 for none
	RemoveEvery int     // steps after which that happens
}

// Columns are those of the table in dim dimensions.
func Columns(dim int) []solvers.Quantity {
	columns := []solvers.Quantity{{Name: "id", Doc: "number at this time, by the first cell"},
		{Name: "volume", Doc: "in m³, in the plane m²"}}
	for d := range dim {
		columns = append(columns, solvers.Quantity{Name: "xyz"[d : d+1], Unit: "m", Doc: "centre"})
	}
	for d := range dim {
		columns = append(columns, solvers.Quantity{Name: "uvw"[d : d+1], Unit: "m/s", Doc: "mean velocity"})
	}
	return columns
}

// State is the state of a block with its ghosts. The arrays have the layout of the block.
type State[F num.Float] struct {
	Comm   dist.Comm
	Block  *grid.Block
	F      []F    // volume fraction of the first fluid
	U      [3][]F // velocity on lower faces; not needed to remove pieces
	Solid  []bool // cells without fluid; nil for none
	Second bool   // pieces of the second fluid
	Unit   float64
	Weight func(i int) float64 // volume, in Unit, of the block's cells i along x; nil if all are 1
	Plic   *plic.Interface[F]  // of the first fluid; not needed to remove pieces
}

// weight is the volume of own cell n in Unit.
func (s *State[F]) weight(n int) float64 {
	if s.Weight == nil {
		return 1
	}
	return s.Weight(n % s.Block.N[0])
}

// share is the volume fraction of the fluid in a cell.
func (s *State[F]) share(c int) float64 {
	if s.Second {
		return 1 - float64(s.F[c])
	}
	return float64(s.F[c])
}

func (s *State[F]) find(ctx context.Context, o *Options) (*pieces.Pieces, error) {
	return pieces.Find(ctx, s.Comm, s.Block, func(c int) bool {
		return s.share(c) > o.Threshold && (s.Solid == nil || !s.Solid[c])
	})
}

// index is that of own cell n in the arrays.
func (s *State[F]) index(n int) int {
	b := s.Block
	return b.Index(n%b.N[0], n/b.N[0]%b.N[1], n/(b.N[0]*b.N[1]))
}

// Rows lists the pieces, with the numbers of Columns for each. It is the same on all ranks, which all call it.
func (s *State[F]) Rows(ctx context.Context, o *Options) ([][]float64, error) {
	found, err := s.find(ctx, o)
	if err != nil {
		return nil, err
	}
	g := s.Block.Grid
	sx, sy, sz := s.Block.Strides()
	width := 1 + 2*g.Dim
	sums, err := found.Sums(ctx, width, func(n int, to []float64) {
		c := s.index(n)
		share, offset, weight, moment := s.share(c), found.Offset(n), s.weight(n), s.Plic.Moment(s.F, c, s.Second)
		to[0] = share * weight
		for d := range g.Dim {
			to[1+d] = weight * (share*offset[d] + moment[d])
			to[1+g.Dim+d] = share * weight * (float64(s.U[d][c]) + float64(s.U[d][c+[3]int{sx, sy, sz}[d]])) / 2
		}
	})
	if err != nil {
		return nil, err
	}
	rows := make([][]float64, len(found.Firsts))
	for piece := range rows {
		sum, first := sums[piece*width:][:width], found.First(piece)
		row := []float64{float64(piece), sum[0] * s.Unit}
		for d := range g.Dim {
			x := float64(first[d]) + .5 + sum[1+d]/sum[0]
			if size := float64(g.N[d]); g.Periodic[d] {
				x -= size * math.Floor(x/size)
			}
			row = append(row, g.Lo[d]+x*g.Spacing(d))
		}
		for d := range g.Dim {
			row = append(row, sum[1+g.Dim+d]/sum[0])
		}
		rows[piece] = row
	}
	return rows, nil
}

// Remove gives the cells of small pieces to the other fluid, and returns the removed volume in Unit, the same on all
// ranks, which all call it. Ghosts keep their values.
func (s *State[F]) Remove(ctx context.Context, o *Options) (removed float64, err error) {
	found, err := s.find(ctx, o)
	if err != nil {
		return 0, err
	}
	volumes, err := found.Sums(ctx, 1, func(n int, to []float64) { to[0] = s.share(s.index(n)) * s.weight(n) })
	if err != nil {
		return 0, err
	}
	small := make([]bool, len(volumes))
	var sum dist.Accumulator
	for piece, v := range volumes {
		if small[piece] = v*s.Unit < o.RemoveBelow; small[piece] {
			sum.Add(v)
		}
	}
	empty := F(0)
	if s.Second {
		empty = 1
	}
	for n := range s.Block.Cells() {
		if piece := found.Of(n); piece >= 0 && small[piece] {
			s.F[s.index(n)] = empty
		}
	}
	return sum.Float64(), nil
}
