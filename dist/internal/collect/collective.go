package collect

import (
	"fmt"

	"github.com/atoll-hpc/atoll/dist"
)

// maxKeptBytes is the largest buffer that a Collective keeps from one use to the next.
const maxKeptBytes = 1 << 20

// Collective combines one collective call of every rank. It can be reused once all ranks have read the result. The
// caller locks.
type Collective struct {
	// Result of reductions and Bcast, valid when Arrive has returned true.
	Result []byte
	// Parts of the gathers, by rank.
	Parts [][]byte

	call    Call
	first   int // the rank that arrived first
	arrived []bool
	count   int
}

// NewCollective returns a Collective of size ranks.
func NewCollective(size int) *Collective {
	return &Collective{Parts: make([][]byte, size), arrived: make([]bool, size)}
}

// Arrive adds the data of a rank, which it copies. It returns true if the rank was the last one. If the rank makes
// a different call than those before, the error is a *dist.PeerError that names it.
func (r *Collective) Arrive(rank int, call Call, data []byte) (full bool, err error) {
	if r.count == len(r.arrived) {
		r.reset()
	}
	if n, fixed := call.Contributes(rank); fixed && n != len(data) {
		return false, &dist.PeerError{Rank: rank, Err: fmt.Errorf("contributes %d bytes to %v", len(data), call)}
	}
	if r.arrived[rank] {
		return false, &dist.PeerError{Rank: rank, Err: fmt.Errorf("calls %v before its %v is complete", call, r.call)}
	}
	if r.count == 0 {
		r.call, r.first = call, rank
	} else if call != r.call {
		return false, call.MismatchError(rank, r.call, r.first)
	}
	switch call.Kind {
	case ReduceFloat64:
		if r.count == 0 {
			r.Result = canonicalizeNaNs(append(r.Result[:0], data...))
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

// Missing returns the lowest rank that has not arrived, or -1 if none is missing or no rank has arrived.
func (r *Collective) Missing() int {
	if r.count > 0 {
		for rank, arrived := range r.arrived {
			if !arrived {
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
