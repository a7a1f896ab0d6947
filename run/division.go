package run

import (
	"context"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/run/recorder"
	"github.com/atoll-hpc/atoll/solvers"
)

// division keeps in checkpoints which entities ranks own, if they change ranks.
type division struct {
	recorder.Base
	of solvers.Rebalancer
}

const divisionName = "division"

func newDivision(of solvers.Rebalancer) *division {
	return &division{recorder.NewBase(divisionName, recorder.Schedule{}), of}
}

// Write implements recorder.Recorder.
func (*division) Write(context.Context, solvers.Clock, bool) error { return nil }

// Save implements recorder.Recorder.
func (d *division) Save(to *recorder.Position) error {
	text, err := d.of.Division()
	if err != nil {
		return err
	}
	return to.Keep(divisionName, text)
}

// resumeDivision makes ranks own what they did at the checkpoint from which the run continues.
func resumeDivision(ctx context.Context, r *runner) error {
	s, ok := r.solver.(solvers.Rebalancer)
	if !ok || r.origin.position == nil {
		return nil
	}
	moved, err := s.Resume(ctx, r.origin.position.Files[divisionName])
	if err != nil || !moved {
		return err
	}
	return r.list.Remeshed(ctx)
}

// rebalance lets the solver move entities to other ranks, if that is due and worth it.
func rebalance(ctx context.Context, r *runner) error {
	s, ok := r.solver.(solvers.Rebalancer)
	if !ok || !s.RebalanceDue() {
		return nil
	}
	moved, err := s.Rebalance(ctx, r.list.Settle)
	r.Watch.SetBalance(s.Balance())
	if err != nil || !moved {
		return err
	}
	r.heartbeat()
	cpu.ReleaseMemory() // of earlier arrays, and of what other ranks have sent
	return r.list.Remeshed(ctx)
}
