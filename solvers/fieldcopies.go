package solvers

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/internal/parallel"
)

// FieldCopies are copies of fields, taken at one step. If the device has separate memory and enough of it, they stay
// there, and are copied to the host by Read, while steps go on.
type FieldCopies struct {
	owned  int
	fields []fieldCopy
	arrays copies // copies on the device
}

// fieldCopy is a copy of a field: values on the host, or the copy of an array on the device.
type fieldCopy struct {
	values []float64
	from   Saved                                  // the array's copy on the device
	value  func(entity int, bytes []byte) float64 // computes the field from it; nil if it is the field itself
}

// CopyFields copies fields on a space as they are now. All ranks call it at the same steps.
func CopyFields(ctx context.Context, space *Space, fields []Field) (*FieldCopies, error) {
	h, err := CopyOnDevice(space, fields)
	for k := range fields {
		if c := &h.fields[k]; err == nil && c.from.deviceCopy == nil {
			c.values, err = fields[k].Read(ctx)
		}
	}
	if err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// deviceSource returns a copy yet to be made, of the array of a field or of that from which the field is computed.
// Without an array, because there is none on a device with separate memory, the field must be read at once.
func (f *Field) deviceSource() (h fieldCopy) {
	source := f
	if f.From != nil {
		source = f.From
	} else if f.Values != nil {
		return h
	}
	if source.View == nil {
		return h
	}
	array := hostField{View: source.View(), count: len(source.Numbers())}
	if _, separate := array.Device.(backend.Memory); separate {
		h.value = f.Value
		h.from = Saved{Name: source.Name, Size: array.size(), from: array}
	}
	return h
}

// CopyOnDevice is CopyFields without what must be read at once, so that the copies can be closed but not read. The
// device keeps their memory for later ones. Of an array it copies some numbers of each element, packed, or the whole
// array if fields need all of an element.
func CopyOnDevice(space *Space, fields []Field) (*FieldCopies, error) {
	h := &FieldCopies{owned: space.Owned, fields: make([]fieldCopy, len(fields)), arrays: copies{}}
	for k := range fields {
		h.fields[k] = fields[k].deviceSource()
	}
	needed, used := map[*byte]int{}, map[numbers]bool{} // bytes of each element of an array
	for k := range h.fields {
		if array := &h.fields[k].from.from; len(array.Memory) > 0 && !used[array.numbersOf()] {
			used[array.numbersOf()] = true
			needed[unsafe.SliceData(array.Memory)] += array.size()
		}
	}
	for k := range h.fields {
		from := &h.fields[k].from
		array := &from.from
		if len(array.Memory) == 0 || h.owned == 0 {
			continue
		}
		var err error
		if array.N[1]*array.N[2] == 1 && needed[unsafe.SliceData(array.Memory)] < array.Stride[0] {
			elements := array.Memory[array.Offset : array.offsetOf(h.owned-1)+from.Size]
			if from.deviceCopy, err = h.arrays.keep(array.Device, elements, from.Size, array.Stride[0]); err == nil {
				array.Offset, array.Stride[0] = 0, from.Size
			}
		} else {
			from.deviceCopy, err = h.arrays.keepWhole(&array.View)
		}
		if err != nil {
			return h, err
		}
	}
	return h, nil
}

// numbersOf returns which numbers of the array the field has.
func (h *hostField) numbersOf() numbers { return numbers{&h.Memory[h.Offset], h.size()} }

// entitiesPerRead is the number of entities that a goroutine copies to the host at a time.
const entitiesPerRead = 1 << 15

// Read returns the numbers of each field that [Field.Read] would have returned when CopyFields was called. array makes
// an array of n numbers, with any contents. Any goroutine may call Read, but only once.
func (h *FieldCopies) Read(array func(n int) []float64) ([][]float64, error) {
	all := make([][]float64, len(h.fields))
	for k := range h.fields {
		f := &h.fields[k]
		all[k] = f.values
		switch {
		case f.from.deviceCopy == nil:
		case f.value != nil:
			all[k] = array(h.owned)
		default:
			all[k] = array(h.owned * f.from.from.count)
		}
	}
	if len(h.arrays) == 0 {
		return all, nil
	}
	errs := make([]error, parallel.Parts(h.owned, fewValues))
	parallel.Ranges(h.owned, len(errs), func(part, lo, hi int) {
		var buffer ReadBuffer
		for ; lo < hi && errs[part] == nil; lo += entitiesPerRead {
			buffer.Reset()
			errs[part] = h.read(all, lo, min(lo+entitiesPerRead, hi), &buffer)
		}
	})
	return all, errors.Join(errs...)
}

// read copies the entities lo to hi-1 to the host.
func (h *FieldCopies) read(all [][]float64, lo, hi int, buffer *ReadBuffer) error {
	for k := range h.fields {
		f := &h.fields[k]
		if f.from.deviceCopy == nil {
			continue
		}
		if from := &f.from.from; f.value == nil && from.float64s() {
			values := all[k][lo*from.count : hi*from.count]
			if err := f.from.deviceCopy.Read(BytesOf(values), from.offsetOf(lo)); err != nil {
				return fmt.Errorf("field %q: %w", f.from.Name, err)
			}
			continue
		}
		bytes, err := f.from.Numbers(lo, hi, buffer)
		if err != nil {
			return err
		}
		if f.value != nil {
			size := f.from.Size
			for i := lo; i < hi; i++ {
				all[k][i] = f.value(i, bytes[(i-lo)*size:(i-lo+1)*size])
			}
			continue
		}
		from := &f.from.from
		from.decodeAll(all[k][lo*from.count:hi*from.count], bytes)
	}
	return nil
}

// Close frees the copies on the device. The device's goroutine calls it, after Read has returned.
func (h *FieldCopies) Close() error { return h.arrays.close() }
