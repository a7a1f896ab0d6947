package backend

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

// fakeGPU stands for a device with separate memory. Its memory is slices of the host that Alloc made.
type fakeGPU struct {
	allocations map[unsafe.Pointer][]byte
	allocErr    error
}

func (f *fakeGPU) Name() string           { return "fake" }
func (f *fakeGPU) Threads() int           { return 1 }
func (f *fakeGPU) Run(l Loop, lo, hi int) {}
func (f *fakeGPU) Close()                 {}
func (f *fakeGPU) Sync() error            { return nil }

func (f *fakeGPU) Alloc(n int) (unsafe.Pointer, error) {
	if f.allocErr != nil {
		return nil, f.allocErr
	}
	b := make([]byte, n)
	f.allocations[unsafe.Pointer(&b[0])] = b
	return unsafe.Pointer(&b[0]), nil
}

func (f *fakeGPU) Free(p unsafe.Pointer) error {
	if f.allocations[p] == nil {
		return errors.New("not allocated")
	}
	delete(f.allocations, p)
	return nil
}

func (f *fakeGPU) move(dst, src unsafe.Pointer, n int) error {
	copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
	return nil
}

func (f *fakeGPU) Upload(dst, src unsafe.Pointer, n int) error   { return f.move(dst, src, n) }
func (f *fakeGPU) Download(dst, src unsafe.Pointer, n int) error { return f.move(dst, src, n) }
func (f *fakeGPU) Move(dst, src unsafe.Pointer, n int) error     { return f.move(dst, src, n) }

type cell struct {
	H float64
	I int32
}

func TestUploadAndDownload(t *testing.T) {
	f := &fakeGPU{allocations: map[unsafe.Pointer][]byte{}}
	a, err := Make[cell](f, 3)
	if err != nil || len(a) != 3 || len(f.allocations[unsafe.Pointer(&a[0])]) != 48 {
		t.Fatalf("got an array of %d elements, error %v; want 3 elements in 48 bytes", len(a), err)
	}
	want := []cell{{1, 2}, {3, 4}, {5, 6}}
	got := make([]cell, 2)
	b, err := Make[cell](f, 2)
	if err := errors.Join(err, Upload(f, a, want), Copy(f, b, a[1:]), Download(f, got, b)); err != nil {
		t.Fatal(err)
	}
	if got[0] != want[1] || got[1] != want[2] {
		t.Errorf("download returns %v, want %v", got, want[1:])
	}
	if err := errors.Join(Free(f, a), Free(f, b)); err != nil || len(f.allocations) != 0 {
		t.Errorf("%d arrays are still allocated after Free, error %v", len(f.allocations), err)
	}
	if Free(f, a) == nil {
		t.Error("freeing an array twice returns no error")
	}
}

func TestEmptyArraysNeedNoMemory(t *testing.T) {
	f := &fakeGPU{allocErr: errors.New("full")}
	a, err := Make[float64](f, 0)
	b, err2 := Make[struct{}](f, 5)
	if err := errors.Join(err, err2, Upload(f, a, a), Download(f, b, b), Copy(f, a, a), Free(f, a),
		Free(f, b)); err != nil {
		t.Error(err)
	}
	if _, err := Make[float64](f, 1); !errors.Is(err, f.allocErr) {
		t.Errorf("error %v", err)
	}
}

func TestInvalidArrays(t *testing.T) {
	f := &fakeGPU{allocations: map[unsafe.Pointer][]byte{}}
	for name, err := range map[string]error{
		"an array of -1 elements":          second(Make[cell](f, -1)),
		"Go pointers":                      second(Make[[]float64](f, 1)),
		"larger than the address space":    second(Make[cell](f, math.MaxInt/8)),
		"upload of 2 elements to an array": Upload(f, make([]cell, 3), make([]cell, 2)),
		"download of 2 elements":           Download(f, make([]cell, 3), make([]cell, 2)),
		"copy of 2 elements":               Copy(f, make([]cell, 3), make([]cell, 2)),
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got error %v, want one with %q", err, name)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestHoldsPointers(t *testing.T) {
	for _, c := range []struct {
		value any
		want  bool
	}{
		{1.5, false}, {[3]cell{}, false}, {[0]*int{}, false}, {struct{ A [2]cell }{}, false}, {"", true}, {[]int{}, true},
		{[1]*int{}, true}, {struct{ A struct{ B func() } }{}, true}, {map[int]int{}, true}, {unsafe.Pointer(nil), true},
		{struct{ A any }{}, true}, {make(chan int), true}, {uintptr(0), false},
	} {
		if got := holdsPointers(reflect.TypeOf(c.value)); got != c.want {
			t.Errorf("%T holds pointers: %v, want %v", c.value, got, c.want)
		}
	}
}
