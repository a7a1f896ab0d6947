package collect

import (
	"fmt"

	"github.com/atoll-hpc/atoll/dist"
)

// The functions below are for transports whose ranks combine data in pairs, without a coordinator that gets all
// contributions.

// Prepare prepares the data of a rank, in place, for Combine.
func (c Call) Prepare(data []byte) {
	if c.Kind == ReduceFloat64 {
		canonicalizeNaNs(data)
	}
}

// Combine replaces acc by its combination with data, of the same length. For reductions data are elements; for
// gathers, the lengths of the ranks' contributions as int64, 0 if not known.
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

// MismatchError returns the error of a rank that calls c while another calls other.
func (c Call) MismatchError(rank int, other Call, otherRank int) error {
	return &dist.PeerError{Rank: rank, Err: fmt.Errorf("calls %v where rank %d calls %v: all ranks must "+
		"make the same collective calls in the same order", c, otherRank, other)}
}
