package mpi

import "math/bits"

// step is one message each way, or one way, of a reduction by recursive doubling.
type step struct {
	to, from int  // ranks, or -1
	final    bool // what comes is the result, rather than an operand
}

// doubling returns the steps of a rank, after which all have the result. Ranks beyond a power of two first hand their
// part to a neighbour and get the result from it in the end: ranks 0 to 2·extra-1 form pairs, of which the odd ones
// take part. (R. Thakur, R. Rabenseifner, W. Gropp, Optimization of Collective Communication Operations in MPICH,
// 2005, section 4.5.)
func doubling(rank, size int) []step {
	power := 1 << (bits.Len(uint(size)) - 1)
	extra := size - power
	place := rank - extra // among those that take part
	var steps []step
	if rank < 2*extra {
		if rank%2 == 0 {
			return []step{{to: rank + 1, from: -1}, {to: -1, from: rank + 1, final: true}}
		}
		steps = append(steps, step{to: -1, from: rank - 1})
		place = rank / 2
	}
	for bit := 1; bit < power; bit *= 2 {
		peer := place ^ bit
		if peer < extra {
			peer = 2*peer + 1
		} else {
			peer += extra
		}
		steps = append(steps, step{to: peer, from: peer})
	}
	if rank < 2*extra {
		steps = append(steps, step{to: rank - 1, from: -1})
	}
	return steps
}
