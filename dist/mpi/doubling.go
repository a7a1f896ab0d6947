package mpi

import "math/bits"

// step is one step of a reduction by recursive doubling: a message in one or both directions.
type step struct {
	dest, source int  // ranks, or -1
	final        bool // the received message is the result, not an operand
}

// doubling returns the steps of a rank, after which all ranks have the result. If size is not a power of two, ranks
// 0 to 2·extra-1 form pairs: the even rank of a pair first sends its part to the odd one, which takes part in the
// doubling and sends back the result. (R. Thakur, R. Rabenseifner, W. Gropp, Optimization of Collective
// Communication Operations in MPICH, 2005, section 4.5.)
func doubling(rank, size int) []step {
	power := 1 << (bits.Len(uint(size)) - 1)
	extra := size - power
	position := rank - extra // number among the ranks that take part in the doubling
	var steps []step
	if rank < 2*extra {
		if rank%2 == 0 {
			return []step{{dest: rank + 1, source: -1}, {dest: -1, source: rank + 1, final: true}}
		}
		steps = append(steps, step{dest: -1, source: rank - 1})
		position = rank / 2
	}
	for bit := 1; bit < power; bit *= 2 {
		peer := position ^ bit
		if peer < extra {
			peer = 2*peer + 1
		} else {
			peer += extra
		}
		steps = append(steps, step{dest: peer, source: peer})
	}
	if rank < 2*extra {
		steps = append(steps, step{dest: rank - 1, source: -1})
	}
	return steps
}
