package solvers

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/grid"
)

// View is where the numbers of a field lie now: those of entity a + N[0]·(b + N[1]·c) of its space from byte
// Offset + a·Stride[0] + b·Stride[1] + c·Stride[2] of an array on, one component after the other.
type View struct {
	Device    backend.Device // nil for an array of the host's
	Memory    []byte         // the array, where kernels see it
	Kind      backend.Kind   // of each number
	Offset    int
	N, Stride [3]int
}

// ViewOf is the view of numbers in each element of an array, from so many bytes of it on. The i-th entity has the i-th
// element.
func ViewOf[N backend.Number, T any](dev backend.Device, array []T, from uintptr) View {
	var t T
	return View{Device: dev, Memory: memoryOf(array), Kind: backend.KindOf[N](), Offset: int(from),
		N: [3]int{len(array), 1, 1}, Stride: [3]int{int(unsafe.Sizeof(t)), 0, 0}}
}

// BlockView is the view of the numbers of a block's own cells, x fastest, in an array with ghosts.
func BlockView[N backend.Number](dev backend.Device, array []N, b *grid.Block) View {
	v := View{Device: dev, Memory: memoryOf(array), Kind: backend.KindOf[N](), N: b.N}
	v.Stride[0], v.Stride[1], v.Stride[2] = b.Strides()
	size := v.Kind.Size()
	for axis := range v.Stride {
		v.Stride[axis] *= size
	}
	v.Offset = b.Index(0, 0, 0) * size
	return v
}

// memoryOf is the memory of an array, on whatever device.
func memoryOf[T any](array []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(array))), len(array)*int(unsafe.Sizeof(t)))
}

// at is where the numbers of an entity begin.
func (v *View) at(i int) int {
	if v.N[1]*v.N[2] == 1 {
		return v.Offset + i*v.Stride[0]
	}
	a, b, c := i%v.N[0], i/v.N[0]%v.N[1], i/v.N[0]/v.N[1]
	return v.Offset + a*v.Stride[0] + b*v.Stride[1] + c*v.Stride[2]
}

// host is the array where the host can read it: if the device has memory of its own a copy, in room if that is enough.
func (v *View) host(room []byte) ([]byte, error) {
	if _, apart := v.Device.(backend.Memory); !apart {
		return v.Memory, nil
	}
	copied := slices.Grow(room[:0], len(v.Memory))[:len(v.Memory)]
	return copied, backend.Download(v.Device, copied, v.Memory)
}

// number reads one.
func (v *View) number(b []byte) float64 {
	switch v.Kind {
	case backend.Float64:
		return math.Float64frombits(binary.NativeEndian.Uint64(b))
	case backend.Float32:
		return float64(math.Float32frombits(binary.NativeEndian.Uint32(b)))
	case backend.Int32:
		return float64(int32(binary.NativeEndian.Uint32(b)))
	case backend.Uint32:
		return float64(binary.NativeEndian.Uint32(b))
	case backend.Int64:
		return float64(int64(binary.NativeEndian.Uint64(b)))
	}
	return float64(binary.NativeEndian.Uint64(b))
}

// put takes what the host has changed of it back to the array.
func (h *readable) put() error {
	if _, apart := h.Device.(backend.Memory); !apart {
		return nil
	}
	return backend.Upload(h.Device, h.Memory, h.bytes)
}

// readable is what the host can read of a field.
type readable struct {
	View
	bytes []byte
	count int // components
}

// hold brings a field that has a view to the host. What is held of it again takes the place of a copy.
func (f *Field) hold() (h readable, err error) {
	if f.View == nil {
		return h, fmt.Errorf("field %q has no view of an array", f.Name)
	}
	h.View, h.count = f.View(), len(f.Numbers())
	if h.bytes, err = h.host(f.copied); len(h.bytes) > 0 && &h.bytes[0] != &h.Memory[0] {
		f.copied = h.bytes
	}
	return h, err
}

// of is what an entity has, as it lies in memory.
func (h *readable) of(i int) []byte {
	at := h.at(i)
	return h.bytes[at : at+h.count*h.Kind.Size()]
}

// numbers appends what an entity has.
func (h *readable) numbers(to []float64, i int) []float64 {
	b, size := h.of(i), h.Kind.Size()
	for k := range h.count {
		to = append(to, h.number(b[k*size:]))
	}
	return to
}

// read appends what the entities from lo to below hi have.
func (h *readable) read(to []float64, lo, hi int) {
	if h.Kind != backend.Float64 || h.count > 1 {
		for i := lo; i < hi; i++ {
			to = h.numbers(to, i)
		}
		return
	}
	for i := lo; i < hi; i++ {
		to = append(to, math.Float64frombits(binary.NativeEndian.Uint64(h.bytes[h.at(i):])))
	}
}

// pick reads the numbers of some entities, and no others of the array.
func (f *Field) pick(entities []int, values []float64) error {
	v, n := f.View(), len(f.Numbers())
	size := v.Kind.Size()
	one := slices.Grow(f.picked[:0], n*size)[:n*size]
	f.picked = one
	for e, i := range entities {
		at := v.at(i)
		if err := backend.Download(v.Device, one, v.Memory[at:at+len(one)]); err != nil {
			return err
		}
		for k := range n {
			values[e*n+k] = v.number(one[k*size:])
		}
	}
	return nil
}

// HashedState is what the hashed fields hold, space by space, in their order.
func HashedState(fields []Field) ([]State, error) {
	var spaces []*Space
	on := map[*Space][]readable{}
	for i := range fields {
		f := &fields[i]
		if !f.Hashed {
			continue
		}
		h, err := f.hold()
		if err != nil {
			return nil, err
		}
		if on[f.On] == nil {
			spaces = append(spaces, f.On)
		}
		on[f.On] = append(on[f.On], h)
	}
	var all []State
	for _, space := range spaces {
		all = append(all, stateOn(space, on[space]))
	}
	return all, nil
}

// stateOn is that of the fields on one space, one after the other.
func stateOn(on *Space, fields []readable) State {
	s := State{Owned: on.Owned, Key: on.Key}
	for k := range fields {
		s.Size += fields[k].count * fields[k].Kind.Size()
	}
	s.Bytes = fields[0].of
	if len(fields) > 1 {
		s.Bytes = func(i int) []byte {
			whole := make([]byte, 0, s.Size)
			for k := range fields {
				whole = append(whole, fields[k].of(i)...)
			}
			return whole
		}
	}
	return s
}
