package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// linkStream is the stream of a device communicator, and its order relative to the compute stream.
type linkStream struct {
	d       *Device
	stream  *Stream
	ready   *Event // on the compute stream: stream waits for it before an operation of the communicator
	done    *Event // on stream: the compute stream waits for it in Join
	pending bool   // an operation was queued since the last Join
}

// errAborted is the error of calls after Abort.
var errAborted = errors.New("cuda: the device communicator was aborted because a rank was lost")

// DeviceID implements backend.Linker.
func (d *Device) DeviceID() string {
	host, _ := os.Hostname()
	return fmt.Sprintf("%s, bus %s", host, d.info.Bus)
}

func (l *linkStream) open(d *Device) (err error) {
	l.d = d
	if l.stream, err = d.newPriorityStream(); err != nil {
		return err
	}
	for _, e := range []**Event{&l.ready, &l.done} {
		if *e, err = d.NewEvent(); err != nil {
			return err
		}
	}
	return nil
}

// begin makes the communicator's stream wait for everything queued before on the compute stream.
func (l *linkStream) begin() error {
	if l.d.compute == l.stream {
		return nil
	}
	return errors.Join(l.d.compute.Record(l.ready), l.stream.Wait(l.ready))
}

// end marks the end of what Join waits for.
func (l *linkStream) end() error {
	l.pending = true
	return l.stream.Record(l.done)
}

func (l *linkStream) Fork(f func() error) error {
	if err := l.begin(); err != nil {
		return err
	}
	main := l.d.compute
	l.d.compute = l.stream
	err := f()
	l.d.compute = main
	return errors.Join(err, l.end())
}

// Join does nothing if nothing is pending: the event may then be of a recording, for which the compute stream cannot
// wait.
func (l *linkStream) Join() error {
	if !l.pending {
		return nil
	}
	l.pending = false
	return l.d.compute.Wait(l.done)
}

func (l *linkStream) free() {
	l.stream.close()
	for _, e := range []*Event{l.ready, l.done} {
		if e != nil {
			e.Close()
		}
	}
}

// ipcHandle is a CUipcMemHandle: the name of memory for other processes of the machine.
type ipcHandle [64]byte

// share returns the handle of memory that allocate has returned.
func (d *Device) share(p uintptr) (h ipcHandle, err error) {
	return h, d.call(cuIpcGetMemHandle, uintptr(unsafe.Pointer(&h)), p)
}

// openShared maps memory of another process, and returns its address in this one.
func (d *Device) openShared(h ipcHandle) (uintptr, error) {
	const enablePeerAccess = 1 // CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
	p := new(uintptr)
	var pins runtime.Pinner // the C function gets addresses as numbers
	pins.Pin(p)
	pins.Pin(&h)
	defer pins.Unpin()
	at := uintptr(unsafe.Pointer(p))
	// The C function takes the handle by value, whose 64 bytes no register holds: by the calling convention of amd64 they
	// are on the stack, after the arguments in six registers; by that of arm64 the caller passes their address.
	var args []uintptr
	switch runtime.GOARCH {
	case "amd64":
		args = []uintptr{at, enablePeerAccess, 0, 0, 0, 0}
		for n := 0; n < len(h); n += 8 {
			args = append(args, uintptr(binary.LittleEndian.Uint64(h[n:])))
		}
	case "arm64":
		args = []uintptr{at, uintptr(unsafe.Pointer(&h)), enablePeerAccess}
	default:
		return 0, errors.New("memory of another process cannot be opened on " + runtime.GOARCH)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.callNoAlloc(cuCtxSetCurrent, [maxArgs]uintptr{d.context}); err != nil {
		return 0, err
	}
	code, _, _ := purego.SyscallN(d.lib.address[cuIpcOpenMemHandle], args...)
	if code != 0 {
		return 0, d.lib.check(cuIpcOpenMemHandle, int32(code))
	}
	return *p, nil
}
