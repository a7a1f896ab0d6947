// Package sound holds kernels without races, counterparts of those in package unsound.
package sound

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/kernelgen/atomics"
)

type Float interface{ float32 | float64 }

//atoll:kernel
func Shift[F Float](i int, x, out []F) {
	if i+1 < len(x) {
		out[i] = x[i+1]
	}
}

// Count counts and adds integers by atomic functions.
//
//atoll:kernel
func Count(i int, x []int64, n []int32, sum []int64) {
	atomic.AddInt32(&n[0], 1)
	atomic.AddInt64(&sum[0], x[i])
}

// Bytes writes to different bytes of one word.
//
//atoll:kernel
func Bytes(i int, x, out []uint8, flags []bool) {
	out[i] = x[i] + 1
	flags[i] = x[i] > 3
}

// Box has five numbers, which no single instruction copies.
type Box[F Float] struct{ A, B, C, D, E F }

//atoll:kernel
func Boxes[F Float](i int, from, to []Box[F]) {
	to[i] = from[(7*i+3)%len(from)]
	to[i].C += to[i].A
}

// Grid holds slices.
type Grid[F Float] struct {
	N      int
	Levels [2][]F
}

//atoll:kernel
func Smooth[F Float](i, j int, g *Grid[F]) {
	here := j*g.N + i
	g.Levels[1][here] = g.Levels[0][here]
	if i > 0 {
		g.Levels[1][here] += g.Levels[0][here-1]
	}
}

// Tally is changed by several indices.
type Tally struct{ N, Low, High int64 }

//atoll:kernel max
func Extremes[F Float](i int, x []F, whole []int64, t *Tally, low []F, least *atomics.Least[F]) F {
	atomics.Min(&t.Low, whole[i])
	atomics.Max(&t.High, whole[i])
	atomics.Min(&low[0], x[i])
	least.Take(x[i])
	return x[i]
}
