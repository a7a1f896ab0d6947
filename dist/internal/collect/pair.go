package collect

import (
	"fmt"

	"github.com/atoll-hpc/atoll/dist"
)

// What follows is for transports whose ranks combine in pairs, without a place where all contributions meet.

// Prepare prepares what a rank brings, in place, for Combine.
func (c Call) Prepare(data []byte) {
	if c.Kind == ReduceFloat64 {
		canonical(data)
	}
}

// Combine replaces acc by its combination with data, of the same length. For reductions these are elements; for
// gathers, the lengths that the ranks bring as int64, 0 where not known.
func (c Call) Combine(acc, data []byte) {
	switch c.Kind {
	case ReduceFloat64:
		reduceFloat64(c.Op, acc, data)
	case ReduceInt64:
		reduceInt64(c.Op, acc, data)
	case Gather, Allgather:
		reduceInt64(dist.Or, acc, data)
	}
}

// Differs is the error of a rank that calls c where another calls something else.
func (c Call) Differs(rank int, other Call, otherRank int) error {
	return &dist.PeerError{Rank: rank, Err: fmt.Errorf("calls %v where rank %d calls %v: all ranks must "+
		"make the same collective calls in the same order", c, otherRank, other)}
}
