// Package primitives has the data-parallel building blocks of solvers: reductions, prefix sums, compaction, sorting,
// gather and scatter. Each computes the same bits on every device and for any number of threads: operations that round
// or depend on ties have a fixed order. All functions take a [Workspace], which holds the device and its buffers.
//
// Slice arguments must come from [backend.Make]. On a device with separate memory, functions that return a number wait
// for it; Gather, Scatter, Pack and Unpack are only queued, so they can be part of a [backend.Recording].
package primitives

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
)

// Workspace is a device with the buffers that the functions of this package reuse: repeating a call allocates nothing.
// One goroutine may use it at a time.
type Workspace struct {
	dev   backend.Device
	accel backend.Primitives // nil for a device that uses the host's memory
	cache []any
}

// NewWorkspace returns a workspace for a device. Its buffers on a GPU are freed when the device is closed.
func NewWorkspace(d backend.Device) *Workspace {
	accel, _ := d.(backend.Primitives)
	return &Workspace{dev: d, accel: accel}
}

// valueOf returns the workspace's variable of type T, which it makes on first use.
func valueOf[T any](w *Workspace) *T {
	for _, cached := range w.cache {
		if v, ok := cached.(*T); ok {
			return v
		}
	}
	v := new(T)
	w.cache = append(w.cache, v)
	return v
}

// Number lists the types that can be reduced.
type Number = backend.Number

// Float lists the types that can be summed exactly.
type Float interface{ float32 | float64 }

// Key lists the types of sort keys.
type Key interface{ uint32 | uint64 }

// Signed lists the value types of ReduceByKey.
type Signed interface {
	int32 | int64 | float32 | float64
}

func addressOf[T any](a []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(a)) }

func sizeOf[T any]() int {
	var t T
	return int(unsafe.Sizeof(t))
}

// checkLength returns an error if an int32 cannot count n elements.
func checkLength(what string, n int) error {
	if n > math.MaxInt32 {
		return fmt.Errorf("%s of %d elements; at most %d", what, n, math.MaxInt32)
	}
	return nil
}

func checkEqualLengths(what string, n, m int) error {
	if n != m {
		return fmt.Errorf("%s: arrays have %d and %d elements, want equal lengths", what, n, m)
	}
	return checkLength(what, n)
}
