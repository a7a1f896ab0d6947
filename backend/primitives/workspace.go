// Package primitives has the data-parallel building blocks of solvers: reductions, prefix sums, compaction, sorting,
// and moves by index. Each gives the same bits on every device and for any number of threads; what rounds or depends on
// ties has a fixed order.
//
// Slices named here live where [backend.Make] put them. On a device with memory of its own a call that returns a number
// waits for it; Gather, Scatter, Pack and Unpack are only queued, and so can be part of a captured graph.
// The for-each of this package is [backend.Device.Run].
package primitives

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
)

// Workspace is a device and memory that calls use meanwhile and keep for the next ones: a call that is repeated
// allocates nothing. It is used by one goroutine.
type Workspace struct {
	dev   backend.Device
	accel backend.Primitives // nil for a device that works in the memory of the host
	kept  []any
}

// On returns a workspace for a device. Its memory goes with it, or on a GPU with the device.
func On(d backend.Device) *Workspace {
	accel, _ := d.(backend.Primitives)
	return &Workspace{dev: d, accel: accel}
}

// keep returns the workspace's variable of a type, which is made on first use.
func keep[T any](w *Workspace) *T {
	for _, k := range w.kept {
		if v, ok := k.(*T); ok {
			return v
		}
	}
	v := new(T)
	w.kept = append(w.kept, v)
	return v
}

// Number is what can be reduced.
type Number = backend.Number

// Float is what can be summed exactly.
type Float interface{ float32 | float64 }

// Key is what can be sorted by.
type Key interface{ uint32 | uint64 }

// Signed is what runs of equal keys can be reduced to.
type Signed interface {
	int32 | int64 | float32 | float64
}

func at[T any](a []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(a)) }

func size[T any]() int {
	var t T
	return int(unsafe.Sizeof(t))
}

// checkLength refuses arrays whose elements an int32 cannot number.
func checkLength(what string, n int) error {
	if n > math.MaxInt32 {
		return fmt.Errorf("%s of %d elements; at most %d", what, n, math.MaxInt32)
	}
	return nil
}

func checkSame(what string, n, m int) error {
	if n != m {
		return fmt.Errorf("%s: arrays of %d and %d elements, which must be as long as each other", what, n, m)
	}
	return checkLength(what, n)
}
