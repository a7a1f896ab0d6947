package sound

import "sync/atomic"

// Span is the number of elements of a tile.
const Span = 48

// Neighbours declares one element of shared memory more than it uses: a length may be an expression of constants.
//
//atoll:kernel tile
func Neighbours[F Float](t int, x, out []F, shared *[Span + 1]F) {
	for k := range Span {
		if k%2 == 0 {
			shared[k] = x[Span*t+k]
			continue
		}
		shared[k] = -x[Span*t+k]
	}
	for k := range Span - 1 {
		out[Span*t+k] = shared[k+1]
	}
}

//atoll:kernel tile
func Copied[F Float](t int, x, out []F, shared *[Span]F) {
	for k := range Span {
		//atoll:async
		shared[k] = x[Span*t+k]
		out[Span*t+k] = 1
	}
	for k := range Span {
		out[Span*t+k] += shared[Span-1-k]
	}
}

// Rounds changes shared memory repeatedly and has a counter in it.
//
//atoll:kernel tile max
func Rounds[F Float](t int, x, out []F, shared *[Span]F, count *[2]int32) F {
	best := F(0)
	for k := range 2 {
		count[k] = 0
	}
	//atoll:ordered
	for round := range 3 {
		for k := range Span {
			shared[k] = x[Span*t+k] + F(round)
			if k%3 == 0 {
				atomic.AddInt32(&count[round%2], 1)
			}
		}
		for k := range Span {
			out[Span*t+k] = shared[(k+1)%Span] + F(count[round%2])
			best = max(best, out[Span*t+k])
		}
	}
	n := int(count[0])
	for k := range n {
		out[Span*t+k] += 1
	}
	return best
}

// Wide needs dynamic shared memory.
//
//atoll:kernel tile
func Wide[F Float](t int, x, out []F, first *[9000]F, second *[Span]F) {
	for k := range Span {
		first[k], second[k] = x[Span*t+k], x[Span*t+k]
	}
	for k := range Span {
		out[Span*t+k] = first[Span-1-k] + second[k]
	}
}
