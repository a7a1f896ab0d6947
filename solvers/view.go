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

// View is where the numbers of a field lie in memory. The components of entity a + N[0]·(b + N[1]·c) of the space
// begin at byte Offset + a·Stride[0] + b·Stride[1] + c·Stride[2] of the array.
type View struct {
	Device    backend.Device // nil for an array in the host's memory
	Memory    []byte         // the array, as kernels address it
	Kind      backend.Kind   // of each number
	Offset    int
	N, Stride [3]int
}

// Number is a type of numbers of fields.
type Number interface{ backend.Number }

// ViewOf returns the view of numbers at a byte offset in each element of an array. The i-th entity has the i-th
// element.
func ViewOf[N backend.Number, T any](dev backend.Device, array []T, offset uintptr) View {
	var t T
	return View{Device: dev, Memory: BytesOf(array), Kind: backend.KindOf[N](), Offset: int(offset),
		N: [3]int{len(array), 1, 1}, Stride: [3]int{int(unsafe.Sizeof(t)), 0, 0}}
}

// BlockView returns the view of an array with ghosts that shows the block's own cells, x fastest.
func BlockView[N backend.Number](dev backend.Device, array []N, b *grid.Block) View {
	v := View{Device: dev, Memory: BytesOf(array), Kind: backend.KindOf[N](), N: b.N}
	v.Stride[0], v.Stride[1], v.Stride[2] = b.Strides()
	size := v.Kind.Size()
	for axis := range v.Stride {
		v.Stride[axis] *= size
	}
	v.Offset = b.Index(0, 0, 0) * size
	return v
}

// BytesOf returns the bytes of an array in the memory of any device.
func BytesOf[T any](array []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(array))), len(array)*int(unsafe.Sizeof(t)))
}

// offsetOf returns the offset of an entity's numbers.
func (v *View) offsetOf(i int) int {
	if v.N[1]*v.N[2] == 1 {
		return v.Offset + i*v.Stride[0]
	}
	a, b, c := i%v.N[0], i/v.N[0]%v.N[1], i/v.N[0]/v.N[1]
	return v.Offset + a*v.Stride[0] + b*v.Stride[1] + c*v.Stride[2]
}

// hostBytes returns the array in memory that the host can read: a copy if the device has separate memory, in buffer if
// it is large enough.
func (v *View) hostBytes(buffer []byte) ([]byte, error) {
	if _, separate := v.Device.(backend.Memory); !separate {
		return v.Memory, nil
	}
	copied := slices.Grow(buffer[:0], len(v.Memory))[:len(v.Memory)]
	return copied, backend.Download(v.Device, copied, v.Memory)
}

// decode decodes a number.
func (v *View) decode(b []byte) float64 {
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

// decodeAll decodes numbers that lie one after the other.
func (v *View) decodeAll(numbers []float64, bytes []byte) {
	if v.Kind == backend.Float64 {
		for i := range numbers {
			numbers[i] = math.Float64frombits(binary.NativeEndian.Uint64(bytes[8*i:]))
		}
		return
	}
	size := v.Kind.Size()
	for i := range numbers {
		numbers[i] = v.decode(bytes[size*i:])
	}
}

// writeBack uploads the host's copy to the array, if the device has separate memory.
func (h *hostField) writeBack() error {
	if _, separate := h.Device.(backend.Memory); !separate {
		return nil
	}
	return backend.Upload(h.Device, h.Memory, h.bytes)
}

// hostField is a field whose array the host can read.
type hostField struct {
	View
	bytes []byte
	count int // components
}

// size returns the bytes of an entity.
func (h *hostField) size() int { return h.count * h.Kind.Size() }

// float64s reports whether the array is an array of float64 with the field's numbers, entity after entity.
func (h *hostField) float64s() bool {
	return h.Kind == backend.Float64 && h.N[1]*h.N[2] == 1 && h.Stride[0] == h.size()
}

// onHost makes a field with a view readable by the host. A later call may overwrite the copy.
func (f *Field) onHost() (h hostField, err error) {
	if f.View == nil {
		return h, fmt.Errorf("field %q has no view of an array", f.Name)
	}
	h.View, h.count = f.View(), len(f.Numbers())
	if h.bytes, err = h.hostBytes(f.copied); len(h.bytes) > 0 && &h.bytes[0] != &h.Memory[0] {
		f.copied = h.bytes
	}
	return h, err
}

// bytesOf returns the bytes of an entity.
func (h *hostField) bytesOf(i int) []byte {
	at := h.offsetOf(i)
	return h.bytes[at : at+h.size()]
}

// numbers appends the numbers of an entity to dst.
func (h *hostField) numbers(dst []float64, i int) []float64 {
	b, size := h.bytesOf(i), h.Kind.Size()
	for k := range h.count {
		dst = append(dst, h.decode(b[k*size:]))
	}
	return dst
}

// read writes the numbers of the entities lo to hi-1 to dst.
func (h *hostField) read(dst []float64, lo, hi int) {
	const block = 1 << 12 // entities at a time, whose numbers stay in a core's caches
	var buffer []byte
	for ; lo < hi; lo += block {
		end := min(lo+block, hi)
		var packed []byte
		packed, buffer = h.pack(lo, end, buffer[:0])
		h.decodeAll(dst[:(end-lo)*h.count], packed)
		dst = dst[(end-lo)*h.count:]
	}
}

// pick reads the numbers of some entities only, without copying the array.
func (f *Field) pick(entities []int, values []float64) error {
	v, n := f.View(), len(f.Numbers())
	size := v.Kind.Size()
	one := slices.Grow(f.picked[:0], n*size)[:n*size]
	f.picked = one
	for e, i := range entities {
		at := v.offsetOf(i)
		if err := backend.Download(v.Device, one, v.Memory[at:at+len(one)]); err != nil {
			return err
		}
		for k := range n {
			values[e*n+k] = v.decode(one[k*size:])
		}
	}
	return nil
}

// HashedState returns the hashed fields, space by space.
func HashedState(fields []Field) ([]State, error) {
	var spaces []*Space
	fieldsOn := map[*Space][]hostField{}
	for i := range fields {
		f := &fields[i]
		if !f.Hashed {
			continue
		}
		h, err := f.onHost()
		if err != nil {
			return nil, err
		}
		if fieldsOn[f.Space] == nil {
			spaces = append(spaces, f.Space)
		}
		fieldsOn[f.Space] = append(fieldsOn[f.Space], h)
	}
	var all []State
	for _, space := range spaces {
		all = append(all, combinedState(space, fieldsOn[space]))
	}
	return all, nil
}

// combinedState combines the fields on one space, one after the other.
func combinedState(space *Space, fields []hostField) State {
	s := State{Owned: space.Owned, Key: space.Key}
	for k := range fields {
		s.Size += fields[k].size()
	}
	s.Bytes = fields[0].bytesOf
	if len(fields) > 1 {
		s.Bytes = func(i int) []byte {
			whole := make([]byte, 0, s.Size)
			for k := range fields {
				whole = append(whole, fields[k].bytesOf(i)...)
			}
			return whole
		}
	}
	return s
}
