package solvers

import (
	"context"
	"errors"

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
	h := &FieldCopies{owned: space.Owned, arrays: copies{}}
	for k := range fields {
		f := &fields[k]
		copied, err := f.copyOnDevice(h.arrays)
		if err == nil && copied.from.deviceCopy == nil {
			copied.values, err = f.Read(ctx)
		}
		if err != nil {
			return nil, errors.Join(err, h.Close())
		}
		h.fields = append(h.fields, copied)
	}
	return h, nil
}

// copyOnDevice copies the array of a field, or the array from which the field is computed, on the device. The copy is
// missing if there is no such array, or no memory for it on the device: then the field must be read at once.
func (f *Field) copyOnDevice(arrays copies) (h fieldCopy, err error) {
	source := f
	if f.From != nil {
		source = f.From
	} else if f.Values != nil {
		return h, nil
	}
	if source.View == nil {
		return h, nil
	}
	array := hostField{View: source.View(), count: len(source.Numbers())}
	if _, separate := array.Device.(backend.Memory); !separate {
		return h, nil
	}
	h.value = f.Value
	h.from = Saved{Name: source.Name, Size: array.size(), from: array}
	h.from.deviceCopy, err = arrays.keep(&array.View)
	return h, err
}

// entitiesPerRead is the number of entities that a goroutine copies to the host at a time.
const entitiesPerRead = 1 << 15

// Read returns the numbers of each field that [Field.Read] would have returned when CopyFields was called. Any
// goroutine may call it, but only once.
func (h *FieldCopies) Read() ([][]float64, error) {
	all := make([][]float64, len(h.fields))
	for k := range h.fields {
		f := &h.fields[k]
		all[k] = f.values
		switch {
		case f.from.deviceCopy == nil:
		case f.value != nil:
			all[k] = make([]float64, h.owned)
		default:
			all[k] = make([]float64, h.owned*f.from.from.count)
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
