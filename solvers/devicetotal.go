package solvers

import (
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/kernels"
)

// deviceTotal adds up this rank's numbers of a field on a device with separate memory.
type deviceTotal struct {
	field *Field
	scale float64 // size of each entity
	found []kernels.Total
	clear backend.Loop
	add   map[*byte]backend.Loop // by array: some fields alternate between arrays
	ObservationBuffers[observedTotal]
}

// observedTotal is the result for one state.
type observedTotal struct {
	found backend.Readback
	steps int
}

// newDeviceTotal returns nil for a field that its device cannot add up: one in the host's memory, one without a view of
// one floating-point number per entity, or one on entities of different sizes.
func newDeviceTotal(f *Field, arrays *backend.Arrays) (*deviceTotal, error) {
	if f.View == nil || f.Values != nil {
		return nil, nil
	}
	v := f.View()
	_, separate := v.Device.(backend.Memory)
	_, reads := v.Device.(backend.ReadbackDevice)
	if !separate || !reads || v.Kind != backend.Float32 && v.Kind != backend.Float64 || !v.aligned() {
		return nil, nil
	}
	t := &deviceTotal{field: f, scale: 1, add: map[*byte]backend.Loop{}}
	if size, n := f.Space.Size, f.Space.Owned; size != nil && n > 0 {
		t.scale = size(0)
		if !parallel.All(n, fewValues, func(i int) bool { return size(i) == t.scale }) {
			return nil, nil
		}
	}
	arrays.Device = v.Device
	t.found = backend.Fresh[kernels.Total](arrays, 1, "total of "+f.Name)
	if err := arrays.Err(); err != nil {
		return nil, err
	}
	t.clear = kernels.NewClearLoop(&t.found[0])
	for _, buffer := range t.All() {
		var err error
		if buffer.found, err = backend.NewReadback(v.Device, int(unsafe.Sizeof(kernels.Total{}))); err != nil {
			return nil, err
		}
		arrays.Owns(buffer.found)
	}
	return t, nil
}

// aligned reports whether the offset and strides of a view are multiples of the size of a number.
func (v *View) aligned() bool {
	size := v.Kind.Size()
	return v.Offset%size == 0 && v.Stride[0]%size == 0 && v.Stride[1]%size == 0 && v.Stride[2]%size == 0
}

// loop returns the loop that adds up the numbers of a view.
func (t *deviceTotal) loop(v *View) backend.Loop {
	array := unsafe.SliceData(v.Memory)
	if t.add[array] == nil {
		size := v.Kind.Size()
		l := &kernels.Layout{First: v.Offset / size, N: v.N, Scale: t.scale}
		for axis, stride := range v.Stride {
			l.Stride[axis] = stride / size
		}
		entities, n := v.N[0]*v.N[1]*v.N[2], len(v.Memory)/size
		if v.Kind == backend.Float32 {
			t.add[array] = kernels.NewAddLoop(entities, l, unsafe.Slice((*float32)(unsafe.Pointer(array)), n), &t.found[0])
		} else {
			t.add[array] = kernels.NewAddLoop(entities, l, unsafe.Slice((*float64)(unsafe.Pointer(array)), n), &t.found[0])
		}
	}
	return t.add[array]
}

// observe queues the addition of the present numbers.
func (t *deviceTotal) observe(to *observedTotal, steps int) error {
	v := t.field.View()
	v.Device.Run(t.clear, 0, exact.Words)
	v.Device.Run(t.loop(&v), 0, kernels.ReduceChunks(t.field.Space.Owned))
	to.steps = steps
	return to.found.Start(BytesOf(t.found))
}

// read waits for a result. entity is the first one whose number is not finite, -1 for none.
func (t *deviceTotal) read(from *observedTotal) (sum dist.Accumulator, entity int, number float64, err error) {
	bytes, err := from.found.Read()
	if err != nil {
		return sum, 0, 0, err
	}
	found := (*kernels.Total)(unsafe.Pointer(unsafe.SliceData(bytes)))
	sum.AddWords(&found.Words)
	entity, number = exact.FirstBroken(found.Broken)
	return sum, entity, number, nil
}
