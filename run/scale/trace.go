package scale

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/halo/division"
	"github.com/atoll-hpc/atoll/solvers"
)

// Trace is a record of some steps on a few ranks of this process.
type Trace struct {
	Ranks, Steps int
	Size         solvers.Size
	events       [][]event            // by rank
	plans        []map[int]halo.Route // by rank and tag
	rule         division.Rule        // nil if the set-up told none
}

// warmSteps are taken before those that are recorded: the first ones touch new memory.
const warmSteps = 4

// Record takes steps of a case on some ranks of this process, and records them. most is the largest number of ranks of
// the model.
func Record(ctx context.Context, c *config.Case, ranks, steps, most int) (*Trace, error) {
	t := &Trace{Ranks: ranks, Steps: steps, events: make([][]event, ranks), plans: make([]map[int]halo.Route, ranks)}
	kind, ok := solvers.Find(c.Solver)
	if !ok {
		return nil, fmt.Errorf("solver %q is not registered", c.Solver)
	}
	g, ctx := errgroup.WithContext(ctx)
	for rank, comm := range local.New(ranks) {
		r := newRecorder(comm, most)
		g.Go(func() error {
			runtime.LockOSThread() // for threadTime
			defer runtime.UnlockOSThread()
			err := t.rank(ctx, rank, r, &kind, c)
			if err != nil {
				comm.Abort(1, err)
			}
			return errors.Join(err, comm.Close())
		})
	}
	if err := g.Wait(); err != nil {
		return nil, fmt.Errorf("%d steps on %d ranks: %w", steps, ranks, err)
	}
	return t, nil
}

// rank records the steps of a rank.
func (t *Trace) rank(ctx context.Context, rank int, r *recorder, kind *solvers.Kind, c *config.Case) error {
	dev := cpu.New(1)
	defer dev.Close()
	s, err := kind.New(ctx, solvers.Env{Comm: r, Device: dev}, c)
	if err != nil {
		return err
	}
	defer func() { s.Close() }()
	if m, ok := s.(solvers.Rebalancer); ok && m.RebalanceDue() { // as package run does before the first step
		if _, err := m.Rebalance(ctx, func(context.Context) error { return nil }); err != nil {
			return err
		}
	}
	if err := advance(ctx, s, warmSteps); err != nil {
		return err
	}
	if err := r.Comm.Barrier(ctx); err != nil {
		return err
	}
	r.begin()
	err = advance(ctx, s, t.Steps)
	t.events[rank], t.plans[rank] = r.finish(), r.plans
	if rank == 0 {
		t.Size, t.rule = s.Size(), r.rule
	}
	return err
}

// advance takes a number of steps.
func advance(ctx context.Context, s solvers.Solver, steps int) error {
	end := s.Size().End
	for last := s.Clock().Steps + steps; s.Clock().Steps < last; {
		now := s.Clock()
		done := now.Time >= end
		if !done {
			var err error
			if done, err = s.Advance(ctx, end, end, last-now.Steps); err != nil {
				return err
			}
		}
		if after := s.Clock(); done && after.Steps < last {
			return &solvers.BadInput{Err: fmt.Errorf("the case ends after %d steps, before those that are recorded: make it "+
				"longer, as by --set time.end=…, or take fewer --steps", after.Steps)}
		}
	}
	return nil
}

// parse returns what ranks have done.
func (t *Trace) parse() (ranks []rankOps, err error) {
	for r := range t.events {
		ops, err := parse(t.events[r], t.plans[r])
		if err != nil {
			return nil, err
		}
		ranks = append(ranks, ops)
	}
	return ranks, nil
}
