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
	// LocalRank is the rank's number on its host. A rank uses GPU LocalRank modulo the number of GPUs.
	LocalRank int
	// Debug makes the device wait for every kernel and time it. Close prints a table to Report. ATOLL_CUDA_DEBUG=1 does
	// the same.
	Debug bool
	// Report receives the table; standard error if nil.
	Report io.Writer
}

// Device is one rank's use of a GPU.
type Device struct {
	lib        *library
	info       Info
	context    uintptr
	compute    *Stream
	copyStream *Stream

	modules         []uintptr // handles of the loaded modules
	loaded          map[*abi.Module]*Module
	loops           map[backend.Loop]*preparedLoop
	arrays          allocations // made by Alloc
	allocated       int64       // bytes allocated now
	peak            int64       // largest value of allocated
	primitiveModule *Module     // of primitives.cu, loaded on first use
	primitiveFuncs  map[primitive]*Function
	primitiveParams *parameterBlock
	scratch         scratchBuffer // memory on the device that primitives use during a call
	results         resultBuffer  // results of primitives, and their copy on the host
	staging         staging       // the events of asynchronous copies
	uploadRing      uploadRing    // pinned memory for small uploads
	snapshots       snapshotPool
	profile         *profile // nil without the debug mode
	trace           *trace   // nil except during Trace
	err             error    // the first error; all later calls return it
	lastKernel      string   // name of the kernel that was queued last
	capturing       bool     // a graph is being captured
}

var (
	_ backend.Device         = (*Device)(nil)
	_ backend.Memory         = (*Device)(nil)
	_ backend.Fitter         = (*Device)(nil)
	_ backend.Primitives     = (*Device)(nil)
	_ backend.Staging        = (*Device)(nil)
	_ backend.ReadbackDevice = (*Device)(nil)
	_ backend.MemoryAccount  = (*Device)(nil)
	_ backend.Snapshotter    = (*Device)(nil)
)

// Open opens the GPU of a rank. Without a driver or a GPU the error is one line that says so.
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
	d := &Device{lib: lib, primitiveParams: newParameterBlock(), primitiveFuncs: map[primitive]*Function{},
		loaded: map[*abi.Module]*Module{}, loops: map[backend.Loop]*preparedLoop{}}
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
	if d.copyStream, err = d.newStream(); err != nil {
		return nil, err
	}
	if err = d.results.open(d); err != nil {
		return nil, err
	}
	if err = d.staging.open(d); err != nil {
		return nil, err
	}
	if err = d.uploadRing.open(d); err != nil {
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

// Threads returns 1: a loop runs as one range, which the GPU runs in parallel.
func (d *Device) Threads() int { return 1 }

// Compute returns the stream on which kernels and copies are queued.
func (d *Device) Compute() *Stream { return d.compute }

// CopyStream returns a second stream, for copies concurrent with kernels. Only events order it with the compute stream.
func (d *Device) CopyStream() *Stream { return d.copyStream }

// Info describes the GPU.
func (d *Device) Info() Info { return d.info }

// Close waits for all queued work, prints the table of the debug mode, and frees everything that the device holds,
// including arrays of backend.Make.
func (d *Device) Close() {
	if d.context == 0 {
		return
	}
	if err := d.Sync(); err == nil && d.profile != nil {
		d.profile.print()
	}
	d.release()
}

// release frees everything that the device holds. It ignores errors, since every call of a failed GPU returns one.
func (d *Device) release() {
	d.profile.close()
	d.scratch.free(d)
	d.results.close(d)
	d.staging.close()
	d.uploadRing.close(d)
	d.snapshots.close(d)
	for _, l := range d.loops {
		l.launch.Close()
	}
	for _, a := range d.arrays {
		d.call(cuMemFree, a.address)
	}
	for _, m := range d.modules {
		d.call(cuModuleUnload, m)
	}
	d.compute.close()
	d.copyStream.close()
	d.primitiveParams.close()
	d.lib.call(cuDevicePrimaryCtxRelease, d.info.handle)
	d.context, d.err = 0, errors.New("cuda: the device is closed")
}

// call calls a function of the driver with the device's context current. The driver has a current context for each
// thread, and goroutines move between threads.
//
//go:uintptrescapes
func (d *Device) call(c call, args ...uintptr) error {
	var padded [maxArgs]uintptr
	copy(padded[:], args)
	return d.callNoAlloc(c, padded)
}

// callNoAlloc is call without allocations. No argument may be the address of a variable on the stack.
func (d *Device) callNoAlloc(c call, args [maxArgs]uintptr) error {
	runtime.LockOSThread()
	function, code := cuCtxSetCurrent, invoke(d.lib.address[cuCtxSetCurrent], [maxArgs]uintptr{d.context})
	if code == 0 {
		function, code = c, invoke(d.lib.address[c], args)
	}
	runtime.UnlockOSThread()
	if code != 0 {
		return d.lib.check(function, code)
	}
	return nil
}

// fail stores the first error and returns err.
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
	if err := d.callNoAlloc(cuStreamSynchronize, [maxArgs]uintptr{d.compute.handle}); err != nil {
		if d.lastKernel != "" {
			err = withSubject(err, "after kernel "+d.lastKernel+" or one queued before it (ATOLL_CUDA_DEBUG=1 finds out which)")
		}
		return d.fail(err)
	}
	d.uploadRing.next = 0
	return nil
}
