package solvers

import (
	"context"
	"encoding/json"
)

// Rebalancer is a solver whose entities change ranks between steps, so that ranks have equal shares of the work. The
// state has the same bits whether or not they do.
type Rebalancer interface {
	Restarter
	// RebalanceDue reports whether entities may change ranks before the next step. It is the same on all ranks.
	RebalanceDue() bool
	// Rebalance compares the work of ranks, and moves entities if that is worth its cost; spaces then have other entities,
	// and fields read these. Before, it calls settle, after which no output may be pending. All ranks call it.
	Rebalance(ctx context.Context, settle func(context.Context) error) (moved bool, err error)
	// Division returns which entities ranks own, and what decides on the next move, the same on all ranks. Checkpoints
	// have it, so that a run which continues on as many ranks writes the same bytes.
	Division() (json.RawMessage, error)
	// Resume moves entities as a division says, before Restore. It is nil if none is known. moved is false if ranks own
	// what they did. All ranks call it.
	Resume(ctx context.Context, division json.RawMessage) (moved bool, err error)
	// Balance returns how the work was divided so far, the same on all ranks.
	Balance() Balance
}

// Balance tells how the work of a run was divided among ranks. Shares are the mean work of a rank in that of the rank
// with most, 1 if all have the same; work is counted, in processor time of a usual machine.
type Balance struct {
	Moves  int     // how often entities have changed ranks
	Share  float64 // mean over all steps that have been looked at; 0 if there are none
	Before float64 // mean over moves, of the states before them
	After  float64 // the same with the new division
	Wall   float64 // s spent on looking and moving, on this rank
}
