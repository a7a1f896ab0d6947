package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/disttest"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/halo/halotest"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/engine"
)

// tally is what the solver counting measures: of its cells and ghosts.
type tally struct {
	Sum         [exact.Words]int64
	Cells, Last int64
}

// newCounting returns a solver that adds 1 to each cell in a step, and measures the sum of cells and ghosts, which no
// step updates.
func newCounting(ctx context.Context, comm dist.Comm, links *halotest.Linked) (*engine.Engine, error) {
	g := &grid.Grid{Dim: 2, N: [3]int{8, 6, 1}, Hi: [3]float64{8, 6, 0}}
	boxes := halo.Boxes{Dim: 2, Cuts: partition.BoxCuts(g.N, [3]int{2, 1, 1})}
	lo, n := boxes.Box(comm.Rank())
	b, err := g.Block(lo, n, 1)
	plan, err2 := halo.NewBoxPlan(boxes, comm.Rank(), 1, [3]int{1, 1, 1}, halo.AxisByAxis)
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	table := engine.NewTable(links)
	e := engine.New(solvers.Env{Comm: comm, Device: links}, table)
	a, found := engine.Add[float64](table, "cells", b.Len()), engine.NewResult[tally](table, "found", false, "Last")
	longest := 0.0
	x, err := e.BoxGhosts(plan, 1).Of(ctx, a)
	if err != nil {
		return nil, err
	}
	clock := engine.NewGiven(table, 2, engine.EqualSteps(1), func(s engine.Step) float64 {
		longest = max(longest, s.After.Dt)
		return s.After.Dt
	})
	return e, e.Define(ctx, engine.Definition{Clock: clock, Cycle: 2, Window: 2,
		Saved: []engine.Scalar{engine.SavesNumber("longest", &longest)},
		Step: func(p *engine.Program, _ int) {
			p.Run(engine.Whole(loop(func(int, int) {
				for c := range b.OwnedIndices() {
					a.Data[c]++
				}
			}), 1))
		},
		Measured: func(m *engine.Measures) {
			m.Program = func(p *engine.Program, k int, row bool) {
				p.Refresh(x)
				p.Run(engine.Whole(loop(func(int, int) {
					words := found.Words()
					for _, v := range a.Data {
						exact.AddTo(words, v)
					}
					words[exact.Words]++
					words[exact.Words+1] = int64(k)
					if row {
						words[exact.Words+1] += 10
					}
				}), 1))
			}
			of, number := engine.Measured(m, found), m.Number(&longest)
			m.Quantities = func(_ context.Context, o *engine.Observation) ([]solvers.Quantity, error) {
				r := of.All(o)
				return []solvers.Quantity{{Value: engine.SumOf(r.Sum)}, {Value: float64(r.Cells)}, {Value: float64(r.Last)},
					{Value: o.Number(number)}}, nil
			}
		}})
}

func valuesOf(t *testing.T, all []solvers.Quantity, err error) (values [4]float64) {
	if err != nil {
		t.Error(err)
		return values
	}
	for k := range values {
		values[k] = all[k].Value
	}
	return values
}

// TestMeasuresOfRows: exact sums are those of all ranks, rows have a program of their own for each step of the cycle
// and the numbers of the host at that time, and an exchange for measurements is made once for each state, and again
// after a restart.
func TestMeasuresOfRows(t *testing.T) {
	comms := local.New(2)
	disttest.Each(t, comms, func(ctx context.Context, comm dist.Comm) error {
		dev := cpu.New(1)
		defer dev.Close()
		links := halotest.NewLinked(dev, comm)
		e, err := newCounting(ctx, comm, links)
		if err != nil {
			return err
		}
		defer e.Close()
		measure := func() [4]float64 {
			all, err := e.Measure(ctx)
			return valuesOf(t, all, err)
		}
		row := func() [4]float64 { // and a step before the result is read
			_, err := e.Advance(ctx, 100, 0, 1)
			all, err2 := dist.ReduceFor(ctx, comm, func(to *dist.Joint) (dist.Result[[]solvers.Quantity], error) {
				return e.Observed(ctx, to)
			})
			return valuesOf(t, all, errors.Join(err, err2))
		}
		const held = 48 + 2*6 // cells, and their copies in ghosts
		for step, want := range [][4]float64{{0, 2, 10, 0}, {held, 2, 11, 1}, {2 * held, 2, 10, 1}} {
			measure()
			if err := e.Observe(ctx); err != nil {
				return err
			}
			if got := row(); got != want {
				t.Errorf("row %d: %v, want %v", step, got, want)
			}
		}
		if got, want := measure(), [4]float64{3 * held, 2, 1, 1}; got != want {
			t.Errorf("%v, want %v", got, want)
		}
		if links.Exchanges != 4 {
			t.Errorf("%d exchanges for 4 states", links.Exchanges)
		}
		saved, err := e.Scalars(ctx)
		if err != nil || saved["longest"] != 1 {
			t.Errorf("saved %v, error %v", saved, err)
		}
		saved["longest"] = 7
		if err := e.Restore(ctx, e.Clock(), saved, func() error { return nil }); err != nil {
			return err
		}
		if got, want := measure(), [4]float64{3 * held, 2, 1, 7}; got != want || links.Exchanges != 5 {
			t.Errorf("after a restart %v, want %v; %d exchanges", got, want, links.Exchanges)
		}
		return nil
	})
	disttest.Close(t, comms)
}
