package balance

import (
	"context"
	"slices"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/halo/division"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
)

// Placed is a Model whose work depends also on where blocks are.
type Placed interface {
	// AddPlace adds what a block costs for its place, which is a part of AddWork.
	AddPlace(block *grid.Block, to *partition.Bins)
}

// teller tells how blocks are divided at the start, and what their cells cost.
type teller struct {
	grid    *grid.Grid
	ghost   int
	atStart bool
	first   division.Rule   // of the first blocks
	content *partition.Bins // of all ranks, without what is for the place of blocks
	place   func(block *grid.Block, to *partition.Bins)
}

// tell tells the communicator the rule. All ranks call it.
func (s *Solver) tell(ctx context.Context) error {
	comm, g := s.env.Comm, s.block.Grid
	t := &teller{grid: g, ghost: s.block.Ghost, atStart: s.AtStart, first: s.block.Rule,
		content: partition.NewCoarseBins(g.N, division.Ranks(comm))}
	if err := solvers.Agree(ctx, comm, s.model().AddWork(ctx, t.content)); err != nil {
		return err
	}
	if p, ok := s.model().(Placed); ok {
		t.place = p.AddPlace
		own := partition.NewCoarseBins(g.N, division.Ranks(comm))
		t.place(s.block.Block, own)
		for k, cost := range own.Cost {
			t.content.Cost[k] -= cost
		}
	}
	if err := comm.AllreduceInt64(ctx, dist.Sum, t.content.Cost); err != nil {
		return err
	}
	division.Tell(comm, t.divide)
	return nil
}

// divide implements division.Rule: as Rebalance before the first step.
func (t *teller) divide(ctx context.Context, ranks int) (*division.Division, error) {
	d, err := t.first(ctx, ranks)
	if err != nil {
		return nil, err
	}
	if d.Costs, err = t.costs(d.Boxes); err != nil || !t.atStart || ranks == 1 {
		return d, err
	}
	most, sum := mostOf(d.Costs, d.Boxes)
	if shareOf(sum/int64(ranks), most) >= enough {
		return d, nil
	}
	boxes, err := domain.EqualBoxes(t.grid, d.Costs, ranks, t.ghost)
	if err != nil {
		return d, nil // the grid has no room for such boxes
	}
	if next, _ := mostOf(d.Costs, &boxes); float64(next)*better > float64(most) {
		return d, nil
	}
	d.Boxes = &boxes
	d.Costs, err = t.costs(d.Boxes)
	return d, err
}

// costs returns what cells cost in blocks.
func (t *teller) costs(b *halo.Boxes) (*partition.Bins, error) {
	bins := *t.content
	if t.place == nil {
		return &bins, nil
	}
	bins.Cost = slices.Clone(bins.Cost)
	for rank := range b.Ranks() {
		lo, n := b.Box(rank)
		block, err := t.grid.Block(lo, n, t.ghost)
		if err != nil {
			return nil, err
		}
		t.place(block, &bins)
	}
	return &bins, nil
}

// mostOf returns the most that a block costs, and the costs of all.
func mostOf(costs *partition.Bins, b *halo.Boxes) (most, sum int64) {
	for rank := range b.Ranks() {
		own := boxOf(b, rank)
		cost := costs.In(own.Lo, own.Hi)
		most, sum = max(most, cost), sum+cost
	}
	return most, sum
}
