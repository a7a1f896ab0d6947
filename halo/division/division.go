// Package division lets set-up code tell how it would divide a case among any number of ranks, for models of runs. A
// communicator that wants to know is an Observer; others are told nothing.
package division

import (
	"context"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/partition"
)

// Observer is a communicator that wants to know how a case is divided.
type Observer interface {
	// Divided is told the rule, on all ranks or on rank 0. A later rule replaces an earlier one.
	Divided(by Rule)
	// MostRanks returns the largest number of ranks for which the rule will be asked.
	MostRanks() int
}

// Rule divides a case among a number of ranks, without a communicator and without the arrays of a solver. It may be
// called when the ranks that told it have ended, and by one caller at a time.
type Rule func(ctx context.Context, ranks int) (*Division, error)

// Division is how a case is divided: a grid into Boxes, or a mesh by Owner.
type Division struct {
	Boxes *halo.Boxes
	Costs *partition.Bins // what cells cost in a step, in units of their own; nil if all cost the same

	// Of a mesh: the rank of each entity, and the entities beside each, which are the ghosts of other ranks.
	Owner []int32
	Graph partition.Graph
	// Set, unless nil, is the set of each entity after which the set's ghosts are exchanged; those of no set, with -1, are
	// not exchanged.
	Set []int32
}

// Tell tells the rule if the communicator wants to know it.
func Tell(comm dist.Comm, by Rule) {
	if o, ok := comm.(Observer); ok {
		o.Divided(by)
	}
}

// Wanted reports whether the communicator wants to know a rule.
func Wanted(comm dist.Comm) bool {
	_, ok := comm.(Observer)
	return ok
}

// Ranks returns the number of ranks for which costs must be fine enough: those of the run, or more if the rule is asked
// for more.
func Ranks(comm dist.Comm) int {
	if o, ok := comm.(Observer); ok {
		return max(comm.Size(), o.MostRanks())
	}
	return comm.Size()
}
