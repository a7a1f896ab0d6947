package cuda

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
)

// Options choose a device. The zero value is the first GPU.
type Options struct {
	// LocalRank is the rank's number among those of its host: ranks take the GPUs in turn.
	LocalRank int
	// Debug waits for every kernel, times it, and prints a table to Report at Close. ATOLL_CUDA_DEBUG=1 does the same.
	Debug bool
	// Report is where the table goes: standard error if nil.
	Report io.Writer
}

// Device is a GPU as one rank uses it.
type Device struct {
	lib     *library
	info    Info
	context uintptr
	compute *Stream
	copy    *Stream

	modules   []uintptr // that were compiled
	loaded    map[*abi.Module]*Module
	loops     map[backend.Loop]*prepared
	arrays    spans // what Alloc gave
	taken     int64 // bytes of the GPU's memory now, and at most
	peak      int64
	own       *Module // the primitives, loaded on first use
	named     map[primitive]*Function
	slots     *slots
	scratch   buffer
	answer    answer
	staging   staging
	ring      ring
	keeping   keeping
	profile   *profile
	trace     *trace
	err       error  // the first one
	last      string // the kernel that was queued last
	capturing bool
}

var (
	_ backend.Device     = (*Device)(nil)
	_ backend.Memory     = (*Device)(nil)
	_ backend.Fitter     = (*Device)(nil)
	_ backend.Primitives = (*Device)(nil)
	_ backend.Staging    = (*Device)(nil)
	_ backend.Reporter   = (*Device)(nil)
	_ backend.Account    = (*Device)(nil)
	_ backend.Keeper     = (*Device)(nil)
)

// Open takes the GPU of a rank. Without a driver or a GPU it says so in one line.
func Open(o Options) (_ *Device, err error) {
	lib, err := driver()
	if err != nil {
		return nil, unavailable(err)
	}
	count, err := lib.count()
	if err != nil {
		return nil, unavailable(err)
	}
	if o.LocalRank < 0 {
		return nil, fmt.Errorf("cuda: local rank %d is negative", o.LocalRank)
	}
	d := &Device{lib: lib, slots: newSlots(), named: map[primitive]*Function{},
		loaded: map[*abi.Module]*Module{}, loops: map[backend.Loop]*prepared{}}
	if d.info, err = lib.info(o.LocalRank % count); err != nil {
		return nil, fmt.Errorf("cuda: %w", err)
	}
	if err := lib.call(cuDevicePrimaryCtxRetain, uintptr(unsafe.Pointer(&d.context)), d.info.handle); err != nil {
		return nil, fmt.Errorf("cuda: %s: %w", d.info.Name, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("cuda: %s: %w", d.info.Name, err)
			d.release()
		}
	}()
	if d.compute, err = d.newStream(); err != nil {
		return nil, err
	}
	if d.copy, err = d.newStream(); err != nil {
		return nil, err
	}
	if err = d.answer.open(d); err != nil {
		return nil, err
	}
	if err = d.staging.open(d); err != nil {
		return nil, err
	}
	if err = d.ring.open(d); err != nil {
		return nil, err
	}
	if o.Debug || os.Getenv("ATOLL_CUDA_DEBUG") == "1" {
		report := o.Report
		if report == nil {
			report = os.Stderr
		}
		if d.profile, err = newProfile(d, report); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func unavailable(err error) error {
	var e *Error
	if errors.As(err, &e) && e.Code == codeNoDevice {
		return errors.New("backend cuda: the NVIDIA driver finds no GPU on this machine")
	}
	return fmt.Errorf("backend cuda: %w", err)
}

func (d *Device) Name() string { return "cuda" }

// Threads is 1: a loop is one range, whose parallelism is the GPU's own.
func (d *Device) Threads() int { return 1 }

// Compute is the stream that kernels and copies are queued on.
func (d *Device) Compute() *Stream { return d.compute }

// Copier is a second stream, for copies beside kernels: it is ordered with the first by events alone.
func (d *Device) Copier() *Stream { return d.copy }

// Info describes the GPU.
func (d *Device) Info() Info { return d.info }

// Close waits for what is queued, prints the table of the debug mode, and gives back everything that the device holds,
// arrays of backend.Make included.
func (d *Device) Close() {
	if d.context == 0 {
		return
	}
	if err := d.Sync(); err == nil && d.profile != nil {
		d.profile.print()
	}
	d.release()
}

// release gives back what the device holds. It goes on after errors: a GPU that failed refuses everything.
func (d *Device) release() {
	d.profile.close()
	d.scratch.free(d)
	d.answer.close(d)
	d.staging.close()
	d.ring.close(d)
	d.keeping.close(d)
	for _, l := range d.loops {
		l.launch.Close()
	}
	for _, a := range d.arrays {
		d.do(cuMemFree, a.at)
	}
	for _, m := range d.modules {
		d.do(cuModuleUnload, m)
	}
	d.compute.close()
	d.copy.close()
	d.slots.close()
	d.lib.call(cuDevicePrimaryCtxRelease, d.info.handle)
	d.context, d.err = 0, errors.New("cuda: the device is closed")
}

// do calls the driver with the device's context current. Goroutines move between threads, while the driver's notion of
// a current context belongs to a thread.
//
//go:uintptrescapes
func (d *Device) do(c call, args ...uintptr) error {
	var all [maxArgs]uintptr
	copy(all[:], args)
	return d.enter(c, all)
}

// enter is do without allocation: no argument may be the address of a variable on the stack.
func (d *Device) enter(c call, args [maxArgs]uintptr) error {
	runtime.LockOSThread()
	failed, code := cuCtxSetCurrent, invoke(d.lib.address[cuCtxSetCurrent], [maxArgs]uintptr{d.context})
	if code == 0 {
		failed, code = c, invoke(d.lib.address[c], args)
	}
	runtime.UnlockOSThread()
	if code != 0 {
		return d.lib.check(failed, code)
	}
	return nil
}

// fail remembers the first error.
func (d *Device) fail(err error) error {
	if d.err == nil {
		d.err = err
	}
	return err
}

// Sync waits for the compute stream, and returns the first error since Open.
func (d *Device) Sync() error {
	if d.err != nil {
		return d.err
	}
	if d.capturing {
		return d.fail(errors.New("cuda: the host cannot wait for the device while a graph is captured"))
	}
	if err := d.enter(cuStreamSynchronize, [maxArgs]uintptr{d.compute.handle}); err != nil {
		if d.last != "" {
			err = about(err, "after kernel "+d.last+" or one queued before it (ATOLL_CUDA_DEBUG=1 tells which)")
		}
		return d.fail(err)
	}
	d.ring.next = 0
	return nil
}
