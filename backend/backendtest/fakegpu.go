package backendtest

import (
	"errors"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
)

// FakeGPU stands for a GPU in tests. It runs loops on another device, has a separate memory of Size bytes, which it
// takes from the host, and counts what is allocated.
type FakeGPU struct {
	backend.Device
	Size           int                         // bytes of memory
	Allocations    map[unsafe.Pointer][]uint64 // allocations by address
	Used           int                         // bytes allocated now
	PeakUsed       int                         // largest value of Used
	AllocCalls     int                         // calls of Alloc
	OpenSnapshots  int                         // open snapshots
	SnapshotBytes  int                         // bytes of open snapshots
	SnapshotPeak   int                         // largest value of SnapshotBytes
	OverstatesFree bool                        // MemoryInfo returns more free memory than there is
	MaxUnread      int                         // largest number of readbacks that were started and not yet read
	Launches       int                         // number of recordings launched
	OpenRecordings int                         // recordings made by Record and not closed
	unread         int                         // number of readbacks that are started and not yet read now
	recording      *FakeRecording              // that is being made, or nil
	guard          *guard                      // nil if the host can access the memory
}

// NewFakeGPU returns a device with size bytes of memory that runs loops on dev.
func NewFakeGPU(dev backend.Device, size int) *FakeGPU {
	return &FakeGPU{Device: dev, Size: size, Allocations: map[unsafe.Pointer][]uint64{}}
}

func (f *FakeGPU) MemoryInfo() (free, total uint64, err error) {
	if f.OverstatesFree {
		return 1 << 40, 1 << 40, nil
	}
	return uint64(f.Size - f.Used), uint64(f.Size), nil
}

// Run runs a loop, or adds it to the recording that is being made, with its present arguments.
func (f *FakeGPU) Run(l backend.Loop, lo, hi int) {
	if f.recording != nil {
		l = withPresentArguments(l)
	}
	_ = f.Queue(func() error {
		return f.Access(func() error { f.Device.Run(l, lo, hi); return nil })
	})
}

func (f *FakeGPU) Alloc(n int) (unsafe.Pointer, error) {
	if err := f.waits("allocation"); err != nil {
		return nil, err
	}
	f.AllocCalls++
	if n > f.Size-f.Used {
		return nil, errors.New("out of memory")
	}
	b, err := f.words((n + 7) / 8)
	if err != nil {
		return nil, err
	}
	p := unsafe.Pointer(&b[0])
	f.Allocations[p] = b
	f.Used += 8 * len(b)
	f.PeakUsed = max(f.PeakUsed, f.Used)
	return p, nil
}

func (f *FakeGPU) Free(p unsafe.Pointer) error {
	if err := f.waits("free"); err != nil {
		return err
	}
	f.Used -= 8 * len(f.Allocations[p])
	delete(f.Allocations, p)
	return nil
}

func (f *FakeGPU) move(dst, src unsafe.Pointer, n int) error {
	return f.copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
}

func (f *FakeGPU) copy(dst, src []byte) error {
	return f.Access(func() error { copy(dst, src); return nil })
}

func (f *FakeGPU) Move(dst, src unsafe.Pointer, n int) error {
	return f.Queue(func() error { return f.move(dst, src, n) })
}

func (f *FakeGPU) Upload(dst, src unsafe.Pointer, n int) error {
	return errors.Join(f.waits("upload"), f.move(dst, src, n))
}

func (f *FakeGPU) Download(dst, src unsafe.Pointer, n int) error {
	return errors.Join(f.waits("download"), f.move(dst, src, n))
}

func (f *FakeGPU) Sync() error { return f.waits("Sync") }

func (f *FakeGPU) Pin(n int) ([]byte, error) { return make([]byte, n), nil }
func (f *FakeGPU) Unpin([]byte) error        { return nil }
func (f *FakeGPU) WaitDownloads() error      { return f.waits("WaitDownloads") }
func (f *FakeGPU) StartDownload(dst, src []byte) error {
	return errors.Join(f.waits("StartDownload"), f.copy(dst, src))
}
func (f *FakeGPU) StartUpload(dst, src []byte) error {
	return errors.Join(f.waits("StartUpload"), f.copy(dst, src))
}

// NewReadback implements backend.ReadbackDevice.
func (f *FakeGPU) NewReadback(n int) (backend.Readback, error) {
	return &fakeReadback{gpu: f, buffer: make([]byte, n)}, nil
}

// fakeReadback is a readback that records whether it was read.
type fakeReadback struct {
	gpu    *FakeGPU
	buffer []byte
	unread bool
}

func (r *fakeReadback) Start(src []byte) error {
	if !r.unread {
		r.gpu.unread++
		r.gpu.MaxUnread = max(r.gpu.MaxUnread, r.gpu.unread)
	}
	r.unread = true
	return r.gpu.Queue(func() error { return r.gpu.copy(r.buffer, src) })
}

func (r *fakeReadback) Read() ([]byte, error) {
	if err := r.gpu.waits("Read"); err != nil {
		return nil, err
	}
	if r.unread {
		r.gpu.unread--
	}
	r.unread = false
	return r.buffer, nil
}

func (r *fakeReadback) Close() error { return nil }
