package backend

import (
	"sync/atomic"
	"unsafe"
)

const (
	cacheLine    = 64   // bytes
	preloadBlock = 2048 // indices: what a kernel reads for them fits the second-level cache of a core
)

// Elements are the elements of an array that a kernel reads in the order of its indices.
type Elements struct {
	first unsafe.Pointer
	size  uintptr
	count int
}

// ElementsOf returns the elements of an array in the host's memory, which has an element for each index of a kernel.
func ElementsOf[T any](a []T) Elements {
	var one T
	return Elements{unsafe.Pointer(unsafe.SliceData(a)), unsafe.Sizeof(one), len(a)}
}

// Preload returns a loop for CPUs that loads elements into the core's caches, cache line by cache line, before it runs
// the kernel for a block of indices. Kernels read the fields of large structs one after the other for several indices
// at a time, which processors do not prefetch well: reading the lines in order first makes a step of shallow water of
// second order a quarter faster.
func Preload(l Loop, elements ...Elements) Loop { return &preloading{loop: l, elements: elements} }

type preloading struct {
	loop     Loop
	elements []Elements
	read     atomic.Uint64 // keeps the compiler from omitting the reads
}

func (l *preloading) Range(lo, hi int) {
	for ; lo < hi; lo += preloadBlock {
		end := min(lo+preloadBlock, hi)
		sum := byte(0)
		for _, e := range l.elements {
			sum += e.readLines(lo, min(end, e.count))
		}
		l.read.Store(uint64(sum))
		l.loop.Range(lo, end)
	}
}

// readLines reads a byte of each cache line of the elements [lo, hi), and returns the sum.
func (e *Elements) readLines(lo, hi int) (sum byte) {
	if lo >= hi {
		return 0
	}
	bytes := unsafe.Slice((*byte)(e.first), uintptr(e.count)*e.size)[uintptr(lo)*e.size : uintptr(hi)*e.size]
	for i := 0; i < len(bytes); i += cacheLine {
		sum += bytes[i]
	}
	return sum
}
