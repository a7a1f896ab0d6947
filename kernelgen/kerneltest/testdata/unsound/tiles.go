package unsound

// Span is the number of elements of a tile.
const Span = 48

//atoll:kernel tile
func Neighbours[F Float](t int, x, out []F, shared *[Span + 1]F) {
	for k := range Span {
		shared[k] = x[Span*t+k]
		out[Span*t+k] = shared[k+1]
	}
}

// Early reads the target of an asynchronous copy before the copy is done.
//
//atoll:kernel tile
func Early[F Float](t int, x, out []F, shared *[Span]F) {
	for k := range Span {
		//atoll:async
		shared[k] = x[Span*t+k]
		out[Span*t+k] = shared[k]
	}
}

// Overtaken changes the source of an asynchronous copy before the copy is done.
//
//atoll:kernel tile
func Overtaken[F Float](t int, x, out []F, shared *[Span]F) {
	for k := range Span {
		//atoll:async
		shared[k] = x[Span*t+k]
		x[Span*t+k] = 0
	}
	for k := range Span {
		out[Span*t+k] = shared[k]
	}
}

// Bound changes the bound of its loop inside of the loop.
//
//atoll:kernel tile
func Bound(t int, n []int32, out []int32) {
	for k := range n[t] {
		out[Span*t+int(k)] = k
		if k == 2 {
			n[t] = 3
		}
	}
}

// Ahead reads global memory between its loops, where only reads of shared memory wait for the loop before.
//
//atoll:kernel tile
func Ahead[F Float](t int, x, out []F) {
	for k := range Span {
		out[Span*t+k] = 2 * x[Span*t+k]
	}
	last := out[Span*t+Span-1]
	for k := range Span {
		x[Span*t+k] = last
	}
}

// Together changes memory in a function that every thread calls.
//
//atoll:kernel tile
func Together(t int, n []int64, out []int64) {
	here := next(n)
	for k := range Span {
		out[Span*t+k] = here
	}
}

func next(n []int64) int64 {
	n[0]++
	return n[0]
}

// Tiles writes an element of the next tile.
//
//atoll:kernel tile
func Tiles[F Float](t int, x []F) {
	for k := range Span + 1 {
		x[Span*t+k] = F(k)
	}
}

// Undefined reads uninitialized shared memory.
//
//atoll:kernel tile
func Undefined[F Float](t int, x, out []F, shared *[Span]F) {
	for k := range Span - 1 {
		shared[k] = x[Span*t+k]
	}
	for k := range Span {
		out[Span*t+k] = shared[k]
	}
}

// Rounds has loops inside of an ordered loop.
//
//atoll:kernel tile
func Rounds[F Float](t int, x, out []F, shared *[Span]F) {
	//atoll:ordered
	for round := range 3 {
		for k := range Span {
			shared[k] = x[Span*t+k] + F(round)
		}
		for k := range Span - 1 {
			shared[k+1] += shared[k]
		}
	}
	for k := range Span {
		out[Span*t+k] = shared[k]
	}
}
