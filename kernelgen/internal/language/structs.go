package language

import (
	"math"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/kernelgen/atomics"
)

// Box is a grid of cells: i varies fastest.
//
//atoll:constant
type Box struct {
	Nx, Ny, Nz int
	Wrap       bool
	Shift      [2]int32
}

func (b *Box) at(i, j, k int) int { return i + b.Nx*(j+b.Ny*k) }

// Base is embedded in Item.
type Base[F Float] struct{ Size, Weight F }

func (b *Base[F]) grow(by F)      { b.Size += by * b.Weight }
func (b Base[F]) area() F         { return b.Size * b.Size }
func (b Base[F]) twice() Base[F]  { return Base[F]{Size: 2 * b.Size} }
func (b *Base[F]) scaled(s F) F   { return b.Size * s }
func larger[F Float](a, b F) F    { return max(a, b) }
func blend[F Float](a, b, t F) F  { return a + t*(b-a) }
func both[F Float](a F) (F, bool) { return a * 2, a > 0 }

// Item has an embedded struct, padding, an array and a field of struct type.
type Item[F Float] struct {
	Base[F]
	Alive bool
	_     int32
	Trace [3]F
	Best  Base[F]
}

// Cloud holds slices, so that kernels get it by value.
type Cloud[F Float] struct {
	Items []Item[F]
	Owner []int32
	Count int32
}

// Structs uses methods, embedding, pointers to parts, and slices in structs.
//
//atoll:kernel
func Structs[F Float](i int, c *Cloud[F], total *Base[F], extra Base[F], scale F, on bool, x []F, out []Item[F]) {
	it := &c.Items[i]
	local := *it
	base := &local.Base
	base.grow(scale)
	local.grow(extra.Weight)
	local.Best = local.Base.twice()
	local.Best.Weight = local.area() + extra.scaled(3) + total.Size
	for k := range local.Trace {
		local.Trace[k] = blend(x[i], F(k), scale)
	}
	trace := &local.Trace
	trace[2] += F(len(trace)) + F(len(c.Owner))
	if v, ok := both(x[i]); ok && on {
		local.Size = larger[F](v, local.Size)
	}
	local.Alive = c.Owner[i] >= 0 && c.Count > int32(i)
	if !(local.Alive || on) {
		local = Item[F]{Base: Base[F]{1, 2}, Trace: [3]F{x[i], 5}}
	}
	out[i] = local
	c.Owner[i] += 1
}

// Tally is changed by all indices, with atomic functions.
type Tally struct {
	Positive  int64
	Even      int32
	Low       int32
	High      uint64
	LowFloat  float32
	HighFloat float64
}

//atoll:kernel
func Count[F Float](i int, x []F, n []int64, t *Tally, least *atomics.Least[F]) {
	if x[i] > 0 {
		atomic.AddInt64(&t.Positive, 2)
	}
	if n[i]%2 == 0 {
		atomic.AddInt32(&t.Even, 1)
	}
	atomics.Min(&t.Low, int32(n[i]))
	atomics.Max(&t.High, uint64(n[i]))
	atomics.Min(&t.LowFloat, float32(x[i]))
	atomics.Max(&t.HighFloat, float64(x[i]))
	least.Take(x[i])
}

// Sink holds the values of two reductions.
type Sink[F Float] struct{ Least, Most F }

// Drain reads and resets the reductions of other kernels.
//
//atoll:kernel
func Drain[F Float](i int, low *atomics.Least[F], high *atomics.Most[F], out []Sink[F]) {
	out[i] = Sink[F]{low.Value(), high.Value()}
	low.Reset()
	high.Reset()
}

//atoll:kernel min block=64
func Lowest[F Float](i int, x []F) F { return x[i] }

//atoll:kernel max
func Highest[F Float](i int, x, y []F) F {
	if x[i] > y[i] {
		return x[i]
	}
	return y[i]
}

// Staged runs in stages on the CPU.
//
//atoll:kernel stages=32
func Staged[F Float](i int, x, y []F, out []F) {
	var w work[F]
	w.read(i, x, y)
	w.multiply(2)
	w.write(i, out)
}

type work[F Float] struct {
	a, b F
	used int
}

func (w *work[F]) read(i int, x, y []F) {
	w.a += x[i]
	w.b += y[i]
	w.used++
}

func (w *work[F]) multiply(n int) { w.a *= w.b * F(n+w.used) }

func (w *work[F]) write(i int, out []F) { out[i] = w.a }

// Plane has two indices, and Space three.
//
//atoll:kernel
func Plane(i, j int, b *Box, out []int64) {
	out[b.at(i, j, 0)] = int64(i*1000 + j*int(b.Shift[1]))
}

//atoll:kernel max
func Space[F Float](i, j, k int, b *Box, x []F) F {
	return x[b.at(i, j, k)] + F(k)
}

// Mirror doubles and reverses the Stretch numbers of each tile, through shared memory.
//
//atoll:kernel tile max block=64
func Mirror[F Float](t int, x, out []F, shared *[Stretch]F) F {
	first := Stretch * t
	n := min(Stretch, len(x)-first)
	best := F(math.Inf(-1))
	for k := range n {
		shared[k] = 2 * x[first+k]
	}
	for k := range n {
		if k == 0 {
			out[first] = shared[n-1]
			continue
		}
		out[first+k] = shared[n-1-k]
		best = max(best, shared[k])
	}
	return best
}

// Rounds changes pairs of neighbouring numbers of a tile, in rounds that are executed in order: each round is a loop
// distributed over the threads.
//
//atoll:kernel tile block=64
func Rounds[F Float](t int, rounds int32, x, out []F, shared *[Stretch]F) {
	first := Stretch * t
	n := min(Stretch, len(x)-first)
	for k := range n {
		shared[k] = x[first:][k]
	}
	//atoll:ordered
	for r := range rounds {
		odd := int(r % 2)
		for k := range (n - odd) / 2 {
			trade(shared[odd:n], 2*k, F(r))
		}
	}
	for k := range n {
		out[first+k] = shared[k]
	}
}

func trade[F Float](x []F, k int, round F) {
	d := (x[k+1] - x[k]) / (round + 3)
	x[k] += d
	x[k+1] -= 2 * d
}

// Stretch is the number of elements of a tile.
const Stretch = 100
