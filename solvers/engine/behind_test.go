package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/disttest"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/halo/halotest"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/engine"
)

// taking is a loop that takes a number.
type taking struct {
	to *atomics.Most[float64]
	v  float64
}

func (taking) Grain() int          { return 1 }
func (t *taking) Range(lo, hi int) { t.to.Take(t.v) }

// TestReductionsBehindSteps: a reduction that later operations hide has its result when Advance returns, and an array
// of which each rank computes a part is whole on all, through the host and on linked devices that record.
func TestReductionsBehindSteps(t *testing.T) {
	for _, linked := range []bool{false, true} {
		for ranks := 1; ranks <= 3; ranks++ {
			comms := local.New(ranks)
			disttest.Each(t, comms, func(ctx context.Context, comm dist.Comm) error {
				var dev backend.Device = cpu.New(1)
				defer dev.Close()
				if linked {
					dev = halotest.NewLinkedRecorder(dev, 1<<20, comm)
				}
				return reduceBehind(ctx, comm, dev, linked)
			})
			disttest.Close(t, comms)
		}
	}
}

func reduceBehind(ctx context.Context, comm dist.Comm, dev backend.Device, linked bool) error {
	const cycle, steps = 2, 7
	g := &grid.Grid{Dim: 2, N: [3]int{12, 2, 1}, Hi: [3]float64{12, 2, 0}}
	boxes := halo.Boxes{Dim: 2, Cuts: partition.BoxCuts(g.N, [3]int{comm.Size(), 1, 1})}
	lo, n := boxes.Box(comm.Rank())
	b, err := g.Block(lo, n, 1)
	plan, err2 := halo.NewBoxPlan(boxes, comm.Rank(), 1, [3]int{1, 1, 1}, halo.AxisByAxis)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	table := engine.NewTable(dev)
	e := engine.New(solvers.Env{Comm: comm, Device: dev}, table)
	defer e.Close()
	cells, most := engine.Add[float64](table, "cells", b.Len()), engine.Add[atomics.Most[float64]](table, "most", cycle)
	parts := engine.Add[float64](table, "parts", comm.Size())
	x, err := e.BoxGhosts(plan, 1).Of(ctx, cells)
	if err != nil {
		return err
	}
	var reductions [cycle]*engine.Extreme
	for k := range reductions {
		if reductions[k] = engine.ExtremeForHost(most, k); linked && x.Linked() {
			reductions[k] = engine.ExtremeOf(x, most, k)
		}
	}
	own := make([]bool, comm.Size())
	own[comm.Rank()] = true
	start := make([]float64, comm.Size())
	start[comm.Rank()] = float64(comm.Rank()) + 1
	clock := engine.NewGiven(table, cycle, engine.EqualSteps(1), func(engine.Step) int64 { return 0 })
	err = e.Define(ctx, engine.Definition{Clock: clock, Cycle: cycle, Window: cycle, Record: cycle,
		Step: func(p *engine.Program, k int) {
			v := float64(10*k + comm.Rank())
			p.Run(engine.Whole(&taking{&most.Data[k], v}, 1))
			p.ReduceBehind(reductions[k])
			p.Share(x)
			p.Await(x)
		}})
	if err != nil {
		return err
	}
	join := func(p *engine.Program) { p.Reduce(engine.JoinedOf(parts, own)) }
	if err := errors.Join(parts.Set(start), e.Do(ctx, join)); err != nil {
		return err
	}
	if _, err := e.Advance(ctx, steps, 0, steps); err != nil {
		return err
	}
	return checkBehind(comm, linked && x.Linked(), most, parts, reductions[:])
}

// checkBehind checks the results of reduceBehind.
func checkBehind(comm dist.Comm, linked bool, most *engine.Array[atomics.Most[float64]], parts *engine.Array[float64],
	reductions []*engine.Extreme) error {
	keys, err := most.Host()
	whole, err2 := parts.Host()
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	for k := range reductions {
		got := keys[k].Value()
		if !linked {
			got = engine.Combined[atomics.Most[float64]](reductions[k]).Value()
		}
		if want := float64(10*k + comm.Size() - 1); got != want {
			return fmt.Errorf("rank %d of %d, linked %v: result %d is %g, want %g", comm.Rank(), comm.Size(), linked, k, got,
				want)
		}
	}
	for k, v := range whole {
		if v != float64(k)+1 {
			return fmt.Errorf("rank %d: part %d is %g", comm.Rank(), k, v)
		}
	}
	return nil
}
