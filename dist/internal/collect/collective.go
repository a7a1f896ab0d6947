package collect

import (
	"fmt"

	"github.com/atoll-hpc/atoll/dist"
)

// maxKeptBytes is the most memory that a part of a Collective keeps from one use to the next.
const maxKeptBytes = 1 << 20

// Collective combines one collective call of every rank. It is used again once all ranks have read the result. It does
// not lock.
type Collective struct {
	// Result of reductions and Bcast, complete when Arrive has returned true.
	Result []byte
	// Parts of the gathers, by rank.
	Parts [][]byte

	call    Call
	first   int // the rank that came first
	arrived []bool
	count   int
}

// NewCollective returns a round of size ranks.
func NewCollective(size int) *Collective {
	return &Collective{Parts: make([][]byte, size), arrived: make([]bool, size)}
}

// Arrive adds what a rank brings; data is copied. It returns true when the rank was the last. A rank that calls
// something other than those before it is named in the error, which is a *dist.PeerError.
func (r *Collective) Arrive(rank int, call Call, data []byte) (full bool, err error) {
	if r.count == len(r.arrived) {
		r.reset()
	}
	if n, fixed := call.Contributes(rank); fixed && n != len(data) {
		return false, &dist.PeerError{Rank: rank, Err: fmt.Errorf("brings %d bytes to %v", len(data), call)}
	}
	if r.arrived[rank] {
		return false, &dist.PeerError{Rank: rank, Err: fmt.Errorf("calls %v while its %v is not over", call, r.call)}
	}
	if r.count == 0 {
		r.call, r.first = call, rank
	} else if call != r.call {
		return false, call.Differs(rank, r.call, r.first)
	}
	switch call.Kind {
	case ReduceFloat64:
		if r.count == 0 {
			r.Result = canonical(append(r.Result[:0], data...))
		} else {
			reduceFloat64(call.Op, r.Result, data)
		}
	case ReduceInt64:
		if r.count == 0 {
			r.Result = append(r.Result[:0], data...)
		} else {
			reduceInt64(call.Op, r.Result, data)
		}
	case Bcast:
		if rank == call.Root {
			r.Result = append(r.Result[:0], data...)
		}
	case Gather, Allgather:
		r.Parts[rank] = append(r.Parts[rank][:0], data...)
	}
	r.arrived[rank] = true
	r.count++
	return r.count == len(r.arrived), nil
}

// Missing returns the lowest rank that has not arrived, or -1 when none is missing or the round has not begun.
func (r *Collective) Missing() int {
	if r.count > 0 {
		for rank, there := range r.arrived {
			if !there {
				return rank
			}
		}
	}
	return -1
}

func (r *Collective) reset() {
	r.count = 0
	clear(r.arrived)
	if cap(r.Result) > maxKeptBytes {
		r.Result = nil
	}
	for i, p := range r.Parts {
		if cap(p) > maxKeptBytes {
			r.Parts[i] = nil
		}
	}
}
