package refused

import (
	"math"
	"sync/atomic"
	"unsafe"
)

// Package sync/atomic cannot add floats, whose sum would depend on the order. These kernels try to do so in other ways.

//atoll:kernel
func sumOfBits(i int, x []float64, sum []float64) {
	atomic.AddUint64((*uint64)(unsafe.Pointer(&sum[0])), uint64(x[i])) // want: a conversion from unsafe.Pointer
}

//atoll:kernel
func sumByExchange(i int, x []float64, sum []uint64) {
	old := sum[0]
	for !atomic.CompareAndSwapUint64(&sum[0], old, math.Float64bits(x[i])) { // want: atomic.CompareAndSwapUint64 belongs to
		old = sum[0]
	}
}

//atoll:kernel
func sumByLoads(i int, x []float64, sum []uint64) {
	atomic.StoreUint64(&sum[0], atomic.LoadUint64(&sum[0])+uint64(x[i])) // want: atomic.StoreUint64 belongs to
}

//atoll:kernel
func sumByMethod(i int, x []float64, sum *atomic.Uint64) { // want: type atomic.Uint64 belongs to
	sum.Add(uint64(x[i])) // want: sum.Add belongs to
}
