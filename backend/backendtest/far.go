package backendtest

import (
	"errors"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
)

// Far is a device with memory of its own, of so many bytes, which is the host's. It tells what it has.
type Far struct {
	backend.Device
	Size   int
	Given  map[unsafe.Pointer][]uint64
	Used   int  // now
	Most   int  // at any time
	Calls  int  // of Alloc
	Copies int  // kept now
	Copied int  // bytes of copies at any time, at most
	copied int  // bytes of copies now
	Boasts bool // it tells more than it has
	Unread int  // reports that were taken and not read, at most
	unread int
}

// NewFar is such a device beside another.
func NewFar(dev backend.Device, size int) *Far {
	return &Far{Device: dev, Size: size, Given: map[unsafe.Pointer][]uint64{}}
}

func (f *Far) MemoryInfo() (free, total uint64, err error) {
	if f.Boasts {
		return 1 << 40, 1 << 40, nil
	}
	return uint64(f.Size - f.Used), uint64(f.Size), nil
}

func (f *Far) Alloc(n int) (unsafe.Pointer, error) {
	f.Calls++
	if n > f.Size-f.Used {
		return nil, errors.New("the memory is full")
	}
	b := make([]uint64, (n+7)/8)
	p := unsafe.Pointer(&b[0])
	f.Given[p] = b
	f.Used += 8 * len(b)
	f.Most = max(f.Most, f.Used)
	return p, nil
}

func (f *Far) Free(p unsafe.Pointer) error {
	f.Used -= 8 * len(f.Given[p])
	delete(f.Given, p)
	return nil
}

func (f *Far) Move(dst, src unsafe.Pointer, n int) error {
	copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
	return nil
}

func (f *Far) Upload(dst, src unsafe.Pointer, n int) error   { return f.Move(dst, src, n) }
func (f *Far) Download(dst, src unsafe.Pointer, n int) error { return f.Move(dst, src, n) }
func (f *Far) Sync() error                                   { return nil }

func (f *Far) Pin(n int) ([]byte, error)     { return make([]byte, n), nil }
func (f *Far) Unpin([]byte) error            { return nil }
func (f *Far) Fetch(dst, src []byte) error   { copy(dst, src); return nil }
func (f *Far) Fetched() error                { return nil }
func (f *Far) Deliver(dst, src []byte) error { copy(dst, src); return nil }

// NewReport implements backend.Reporter.
func (f *Far) NewReport(n int) (backend.Report, error) {
	return &late{of: f, held: make([]byte, n)}, nil
}

// late is a report that knows whether it was read.
type late struct {
	of     *Far
	held   []byte
	unread bool
}

func (r *late) Take(src []byte) error {
	if !r.unread {
		r.of.unread++
		r.of.Unread = max(r.of.Unread, r.of.unread)
	}
	r.unread = true
	copy(r.held, src)
	return nil
}

func (r *late) Read() ([]byte, error) {
	if r.unread {
		r.of.unread--
	}
	r.unread = false
	return r.held, nil
}

func (r *late) Close() error { return nil }

// Queue is a device with memory of its own that takes many steps in one call, as a GPU does.
type Queue struct{ *Far }

// NewQueue is such a device beside another.
func NewQueue(dev backend.Device, size int) Queue { return Queue{NewFar(dev, size)} }

// Record implements backend.Recorder.
func (Queue) Record(queue func() error) (backend.Recording, error) { return again(queue), nil }

// again is a recording that does once more what was recorded.
type again func() error

func (r again) Launch() { _ = r() }
func (again) Close()    {}
