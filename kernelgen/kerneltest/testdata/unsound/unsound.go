// Package unsound holds kernels with races: their results depend on the order of indices or iterations.
package unsound

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/kernelgen/atomics"
)

type Float interface{ float32 | float64 }

//atoll:kernel
func Shift[F Float](i int, x []F) {
	if i+1 < len(x) {
		x[i] = x[i+1]
	}
}

//atoll:kernel
func Count(i int, n []int32) { n[0]++ }

//atoll:kernel
func Sum[F Float](i int, x, sum []F) { sum[0] += x[i] }

//atoll:kernel
func Last(i int, x []uint8, last []uint8) { last[i/2] = x[i] }

// Set writes the same value from every index.
//
//atoll:kernel
func Set(i int, flags []uint8) { flags[1] = 7 }

// Box has five numbers, which no single instruction copies.
type Box[F Float] struct{ A, B, C, D, E F }

//atoll:kernel
func Boxes[F Float](i int, from, to []Box[F]) { to[i/3] = from[i] }

// Grid holds slices.
type Grid[F Float] struct {
	N      int
	Levels [2][]F
}

//atoll:kernel
func Smooth[F Float](i, j int, g *Grid[F]) {
	if i > 0 {
		g.Levels[1][j*g.N+i] += g.Levels[1][j*g.N+i-1]
	}
}

// Tally is changed by several indices.
type Tally struct{ N, Low, High int64 }

//atoll:kernel
func Peek(i int, t *Tally, out []int64) {
	atomic.AddInt64(&t.N, 1)
	out[i] = t.N
}

//atoll:kernel
func Mixed(i int, x []int64, t *Tally) {
	atomics.Min(&t.Low, x[i])
	atomic.AddInt64(&t.Low, x[i])
}

//atoll:kernel
func Empty[F Float](i int, x []F, least *atomics.Least[F]) {
	least.Take(x[i])
	if i == 3 {
		least.Reset()
	}
}

// Nearest compares its own number with the result of an atomic minimum that other indices still change.
//
//atoll:kernel
func Nearest[F Float](i int, x []F, best []F) {
	atomics.Min(&best[0], x[i])
	if x[i] == best[0] {
		best[1] = x[i]
	}
}
