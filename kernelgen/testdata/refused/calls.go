package refused

import (
	"math"
	"math/bits"
	"sync/atomic"
)

//atoll:kernel
func transcendental(i int, x []float64) {
	x[i] = math.Sin(x[i]) // want: math.Sin: its last bits differ
}

//atoll:kernel
func otherPackage(i int, x []int) {
	x[i] = bits.OnesCount(7) // want: bits.OnesCount belongs to the standard library
}

//atoll:kernel
func recursion(i int, x []int) {
	x[i] = down(i)
}

func down(n int) int {
	if n <= 0 {
		return 0
	}
	return down(n - 1) // want: down calls itself
}

//atoll:kernel
func atomicResult(i int, x []int64) {
	x[i] = atomic.AddInt64(&x[0], 1) // want: depends on the order of threads
}

//atoll:kernel
func swaps(i int, x []int64) {
	atomic.SwapInt64(&x[0], 1) // want: atomic.SwapInt64 belongs to the standard library
}

//atoll:kernel
func variadic(i int, x []float64) {
	x[i] = sum(1, 2)
}

func sum(v ...float64) float64 { return v[0] } // want: takes a variable number of arguments

//atoll:kernel
func passesOn(i int, x []float64) {
	x[i] = add(split(x[i])) // want: passes several results on
}

func split(v float64) (float64, float64) { return v, v }
func add(a, b float64) float64           { return a + b }

//atoll:kernel
func methodValues(i int, x []counter) {
	f := x[i].get // want: method get is used as a value // want: kernels have no function values
	_ = f
}

type counter struct{ n float64 }

func (c *counter) get() float64  { return c.n }
func (c *counter) next() float64 { c.n++; return c.n }

//atoll:kernel
func methodExpressions(i int, x []counter) {
	_ = (*counter).get(&x[i]) // want: is not called on a value
}

//atoll:kernel
func effects(i int, c *counter, x []float64) {
	x[i] = c.next() + c.next() // want: c.next writes to memory and is called inside a larger expression
}

//atoll:kernel
func effectsParallel(i int, c *counter, x []float64) {
	a, b := c.next(), x[i] // want: is called in a parallel assignment
	x[i] = a + b
}

//atoll:kernel
func effectsCompound(i int, c *counter, x []float64) {
	x[i] += c.next() // want: is called in +=
}

//atoll:kernel
func effectsLeft(i int, c *counter, x []float64) {
	x[int(c.next())] = 1 // want: is called on the left of an assignment
}

type Face struct{ n float64 }

func (f *Face) Look() float64   { return f.n }
func Face_Look(f *Face) float64 { return f.n }

//atoll:kernel
func sameName(i int, f *Face, x []float64) {
	x[i] = f.Look()
	x[i] += Face_Look(f) // want: both become Face_Look in CUDA C
}

//atoll:kernel
func effectsCase(i int, c *counter, x []float64) {
	switch {
	case c.next() > 1: // want: is called in a case
		x[i] = 1
	}
}
