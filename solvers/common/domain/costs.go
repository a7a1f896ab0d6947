package domain

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo/division"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// InterfaceCosts count what cells cost in a step, by which blocks are balanced.
type InterfaceCosts struct {
	Cell int64 // cost of each cell
	Band int   // cells on each side of the interface that cost more
	Cost int64 // of each of these, for each edge between the centres of neighbours that the interface crosses
}

// Of returns the costs around the initial interface of a case, the same on all ranks, which share the work.
func (n InterfaceCosts) Of(ctx context.Context, comm dist.Comm, g *grid.Grid, text string,
	path func(string) string) (*partition.Bins, error) {
	body, failed, err := shape.Parse(text, g.Dim, path)
	bins := partition.NewBins(g.N, division.Ranks(comm))
	if err == nil {
		// Slabs are distributed cyclically to ranks, and those of a rank to goroutines.
		last, first, ranks := g.Dim-1, comm.Rank(), comm.Size()
		inside := insideOf(g, &body)
		var lock sync.Mutex
		err = parallel.Each(ctx, "costs", max(0, g.N[last]-first+ranks-1)/ranks, 1, func(lo, hi int) error {
			part := partition.NewBins(g.N, division.Ranks(comm))
			for k := lo; k < hi; k++ {
				n.AddSlab(part, g, last, first+k*ranks, inside)
			}
			lock.Lock()
			defer lock.Unlock()
			for i, cost := range part.Cost {
				bins.Cost[i] += cost
			}
			return nil
		})
		err = cmp.Or(failed(), err)
	}
	if err != nil {
		err = fmt.Errorf("[initial] shape: %w", err)
	}
	if err := solvers.Agree(ctx, comm, err); err != nil {
		return nil, err
	}
	if err := comm.AllreduceInt64(ctx, dist.Sum, bins.Cost); err != nil {
		return nil, err
	}
	bins.AddCells(n.Cell)
	return bins, nil
}

// AddSlab adds what the interface costs in a slab of cells normal to an axis, where it crosses the edges from the
// centres of these cells to those of the next along each axis.
func (n InterfaceCosts) AddSlab(to *partition.Bins, g *grid.Grid, axis, position int, inside func(cell [3]int) bool) {
	side := g.N
	side[axis] = 1
	var cell [3]int
	for c := range side[0] * side[1] * side[2] {
		cell[0], cell[1], cell[2] = c%side[0], c/side[0]%side[1], c/side[0]/side[1]
		cell[axis] += position
		in := inside(cell)
		for d := range g.Dim {
			next := cell
			if next[d]++; next[d] < g.N[d] && inside(next) != in {
				n.addEdge(to, cell, d)
			}
		}
	}
}

// addEdge adds the costs around an edge that the interface crosses.
func (n InterfaceCosts) addEdge(to *partition.Bins, cell [3]int, axis int) {
	at := cell
	for i := max(0, cell[axis]-n.Band+1); i <= min(to.Cells[axis]-1, cell[axis]+n.Band); i++ {
		at[axis] = i
		*to.At(at) += n.Cost
	}
}

// insideOf tells whether the centre of a cell is inside a body.
func insideOf(g *grid.Grid, body *shape.Body) func(cell [3]int) bool {
	return func(cell [3]int) bool {
		x := [3]float64{g.Lo[0], g.Lo[1], g.Lo[2]}
		for d := range g.Dim {
			x[d] = g.Centre(d, cell[d])
		}
		return body.Phi(x[0], x[1], x[2]) < 0
	}
}
