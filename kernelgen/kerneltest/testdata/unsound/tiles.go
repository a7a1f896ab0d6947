package unsound

// Span is how many numbers a tile has.
const Span = 48

//atoll:kernel tile
func Neighbours[F Float](t int, x, out []F, shared *[Span + 1]F) {
	for k := range Span {
		shared[k] = x[Span*t+k]
		out[Span*t+k] = shared[k+1]
	}
}

// Early reads what its own copy has not brought yet.
//
//atoll:kernel tile
func Early[F Float](t int, x, out []F, shared *[Span]F) {
	for k := range Span {
		//atoll:async
		shared[k] = x[Span*t+k]
		out[Span*t+k] = shared[k]
	}
}

// Overtaken changes what its own copy may not have read yet.
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

// Bound changes how many turns its loop has.
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

// Ahead reads between its loops what is not shared memory, for which no thread waits there.
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

// Together counts in a function that every thread calls.
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

// Tiles writes a number of the next tile.
//
//atoll:kernel tile
func Tiles[F Float](t int, x []F) {
	for k := range Span + 1 {
		x[Span*t+k] = F(k)
	}
}

// Undefined reads memory that nobody wrote.
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

// Rounds has loops inside of a loop in order.
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
