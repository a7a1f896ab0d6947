// Package atomics has the atomic operations of kernels on memory that several indices change: [Min], [Max], and the
// reductions [Least] and [Most]. Their results do not depend on the order of the operations. (Kernels add integers with
// sync/atomic. There is no atomic addition of floats, since its result would depend on the order.) Kernelgen translates
// each function and method to CUDA C with the same results.
//
// A NaN wins over every number, and -0 is less than 0, as with Go's min and max.
package atomics

import (
	"math"
	"sync/atomic"
	"unsafe"
)

// Number is a type that Min and Max work on.
type Number interface {
	int32 | int64 | uint32 | uint64 | float32 | float64
}

// Min sets *p to the smaller of *p and v.
func Min[T Number](p *T, v T) {
	replace(p, v, func(old T) bool {
		return v < old || v != v && old == old || v == old && negativeZero(v) && !negativeZero(old)
	})
}

// Max sets *p to the larger of *p and v.
func Max[T Number](p *T, v T) {
	replace(p, v, func(old T) bool {
		return v > old || v != v && old == old || v == old && negativeZero(old) && !negativeZero(v)
	})
}

// negativeZero reports whether v is -0. T(1)/2 is 0 for integers, which have no -0.
func negativeZero[T Number](v T) bool {
	return v == 0 && T(1)/2 != 0 && math.Signbit(float64(v))
}

// replace stores v if wins(*p), and tries again if another goroutine changed *p in between.
func replace[T Number](p *T, v T, wins func(old T) bool) {
	if unsafe.Sizeof(v) == 4 {
		word, bits := (*uint32)(unsafe.Pointer(p)), *(*uint32)(unsafe.Pointer(&v))
		for {
			old := atomic.LoadUint32(word)
			if !wins(*(*T)(unsafe.Pointer(&old))) || atomic.CompareAndSwapUint32(word, old, bits) {
				return
			}
		}
	}
	word, bits := (*uint64)(unsafe.Pointer(p)), *(*uint64)(unsafe.Pointer(&v))
	for {
		old := atomic.LoadUint64(word)
		if !wins(*(*T)(unsafe.Pointer(&old))) || atomic.CompareAndSwapUint64(word, old, bits) {
			return
		}
	}
}
