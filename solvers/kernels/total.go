// Package kernels adds up a field of numbers exactly, on any device.
package kernels

//go:generate go run github.com/atoll-hpc/atoll/kernelgen/cmd/kernelgen
//atoll:machine sm_80 sm_90

import (
	"math"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
)

// Float is the type of the numbers.
type Float interface{ float32 | float64 }

// Layout is where the numbers of entities lie in an array: that of entity a + N[0]·(b + N[1]·c) at index First +
// a·Stride[0] + b·Stride[1] + c·Stride[2].
//
//atoll:constant
type Layout struct {
	First     int
	N, Stride [3]int
	Scale     float64 // factor of each number
}

// Total is a sum, which Clear sets to 0 and Add increases.
type Total struct {
	Words  [exact.Words]int64
	Broken int64 // the first entity whose number is not finite, encoded for BrokenEntity; 0 for none
}

const (
	threads = exact.Threads // that share a chunk of entities
	chunk   = 8 * threads
)

// Chunks returns the number of chunks of n entities.
func Chunks(n int) int { return (n + chunk - 1) / chunk }

// Clear clears word k of a total.
//
//atoll:kernel
func Clear(k int, to *Total) {
	to.Words[k] = 0
	if k == 0 {
		to.Broken = 0
	}
}

// Add adds the numbers of chunk t.
//
//atoll:kernel tile block=128
func Add[F Float](t int, l *Layout, x []F, to *Total, parts *[threads]exact.Part, words *[exact.Words]int64) {
	for k := range exact.Words {
		words[k] = 0
	}
	for k := range int32(threads) {
		var p exact.Part
		end := l.N[0] * l.N[1] * l.N[2]
		for n := range 8 {
			at := t*chunk + n*threads + int(k)
			if at >= end {
				break
			}
			v := l.Scale * float64(x[l.index(at)])
			p.Add(v, words[:])
			if v-v != 0 {
				atomics.Max(&to.Broken, encodeBroken(int64(at), v))
			}
		}
		parts[k] = p
	}
	for k := range int32(exact.Groups) {
		exact.MergeGroup(parts[:], k, words[:])
	}
	for range 1 {
		exact.FlushColumn(parts[:], 0, words[:])
	}
	for k := range exact.Words {
		if words[k] != 0 {
			atomic.AddInt64(&to.Words[k], words[k])
		}
	}
}

// index returns the index of an entity's number.
func (l *Layout) index(entity int) int {
	row, a := entity/l.N[0], entity%l.N[0]
	return l.First + a*l.Stride[0] + row%l.N[1]*l.Stride[1] + row/l.N[1]*l.Stride[2]
}

// firstEntity is the code of entity 0. Later entities have lower codes, so that a maximum finds the first entity.
const firstEntity = 1 << 48

// encodeBroken encodes an entity and its number v: NaN or an infinity.
func encodeBroken(entity int64, v float64) int64 {
	what := int64(0)
	if v > 0 {
		what = 1
	}
	if v < 0 {
		what = 2
	}
	return (firstEntity-entity)*4 + what
}

// BrokenEntity returns the first entity whose number is not finite, and that number: NaN or an infinity; -1 if there is
// none.
func (t *Total) BrokenEntity() (entity int, v float64) {
	if t.Broken == 0 {
		return -1, 0
	}
	entity = int(firstEntity - t.Broken/4)
	if t.Broken%4 == 0 {
		return entity, math.NaN()
	}
	return entity, math.Inf(3 - 2*int(t.Broken%4))
}
