package solvers

import (
	"context"
	"errors"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/internal/parallel"
)

// Held is what some fields held at one moment. It lies on the device where that can keep copies of arrays and has room
// for them, and is brought to the host while steps go on.
type Held struct {
	owned  int
	fields []heldField
	arrays copies // that the device keeps
}

// heldField is a field at that moment.
type heldField struct {
	values []float64                              // where it was read at once, or
	from   Saved                                  // a copy on the device, and
	value  func(entity int, bytes []byte) float64 // how the field follows from it; nil if it is the field itself
}

// Hold takes what fields of a space hold now. All ranks call it at the same moments.
func Hold(ctx context.Context, on *Space, fields []Field) (*Held, error) {
	h := &Held{owned: on.Owned, arrays: copies{}}
	for k := range fields {
		f := &fields[k]
		one, err := f.holdCopy(h.arrays)
		if err == nil && one.from.deviceCopy == nil {
			one.values, err = f.Read(ctx)
		}
		if err != nil {
			return nil, errors.Join(err, h.Close())
		}
		h.fields = append(h.fields, one)
	}
	return h, nil
}

// holdCopy is a field in a copy that the device keeps of an array; without one, where it has to be read at once.
func (f *Field) holdCopy(arrays copies) (h heldField, err error) {
	of := f
	if f.From != nil {
		of = f.From
	} else if f.Values != nil {
		return h, nil
	}
	if of.View == nil {
		return h, nil
	}
	array := hostField{View: of.View(), count: len(of.Numbers())}
	if _, apart := array.Device.(backend.Memory); !apart {
		return h, nil
	}
	h.value = f.Value
	h.from = Saved{Name: of.Name, Size: array.size(), from: array}
	h.from.deviceCopy, err = arrays.keep(&array.View)
	return h, err
}

// heldBlock is how many entities are brought to the host at a time.
const heldBlock = 1 << 15

// Read returns the numbers of the fields, each as [Field.Read] would have at that moment. Any goroutine may call it,
// once.
func (h *Held) Read() ([][]float64, error) {
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
		var room ReadBuffer
		for ; lo < hi && errs[part] == nil; lo += heldBlock {
			room.Reset()
			errs[part] = h.read(all, lo, min(lo+heldBlock, hi), &room)
		}
	})
	return all, errors.Join(errs...)
}

// read brings the entities from lo to below hi to the host.
func (h *Held) read(all [][]float64, lo, hi int, room *ReadBuffer) error {
	for k := range h.fields {
		f := &h.fields[k]
		if f.from.deviceCopy == nil {
			continue
		}
		bytes, err := f.from.Numbers(lo, hi, room)
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

// Close gives back what is held on the device: from its goroutine, after Read has returned.
func (h *Held) Close() error { return h.arrays.close() }
