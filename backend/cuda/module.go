package cuda

import (
	"fmt"
	"os"
	"strings"
	"unsafe"

	"github.com/atoll-hpc/atoll/kernelgen/abi"
)

// Module is the PTX of the kernels of a package. The driver compiles each kernel for the device at its first use, since
// a run uses few of them and of their variants and precisions. Where there is machine code for the device, that is
// loaded instead.
type Module struct {
	d       *Device
	name    string
	machine []byte // of all kernels; nil for none
	texts   kernelTexts
	loaded  map[string]uintptr // the driver's modules, by kernel, or "" for that of all kernels
}

// loadGenerated makes the module of a package of kernels. CUDA_FORCE_PTX_JIT=1 makes it ignore their machine code, as
// it does in the driver.
func (d *Device) loadGenerated(of *abi.Module) (*Module, error) {
	if err := of.Compiled(); err != nil {
		return nil, err
	}
	m, err := d.Load(of.Name, of.PTX)
	if err != nil || os.Getenv("CUDA_FORCE_PTX_JIT") == "1" {
		return m, err
	}
	m.machine, err = of.MachineFor(d.info.Capability[0], d.info.Capability[1])
	if err != nil {
		return nil, fmt.Errorf("machine code of module %s: %w", of.Name, err)
	}
	return m, nil
}

// Options of CUjit_option.
const (
	jitInfoLog = 3 + iota
	jitInfoLogSize
	jitErrorLog
	jitErrorLogSize
)

// Load takes PTX, which is compiled kernel by kernel: see [Module.Function]. The module lives until the device is
// closed.
func (d *Device) Load(name, ptx string) (*Module, error) {
	if d.err != nil {
		return nil, d.err
	}
	if strings.IndexByte(ptx, 0) >= 0 {
		return nil, fmt.Errorf("cuda: module %s: the PTX holds a zero byte", name)
	}
	if need, have := requiredCapability(ptx), 10*d.info.Capability[0]+d.info.Capability[1]; need > have {
		return nil, fmt.Errorf("cuda: the kernels of module %s need a GPU of compute capability %d.%d; %s has %d.%d", name,
			need/10, need%10, d.info.Name, have/10, have%10)
	}
	return &Module{d: d, name: name, texts: split(ptx), loaded: map[string]uintptr{}}, nil
}

// compile gives the driver PTX of a kernel, or of all, or machine code. An error holds the compiler's log.
func (m *Module) compile(kernel string, image []byte) (handle uintptr, err error) {
	info, failed := make([]byte, 1<<14), make([]byte, 1<<14)
	options := [...]int32{jitInfoLog, jitInfoLogSize, jitErrorLog, jitErrorLogSize}
	values := [...]uintptr{address(info), uintptr(len(info)), address(failed), uintptr(len(failed))}
	err = m.d.do(cuModuleLoadDataEx, uintptr(unsafe.Pointer(&handle)), uintptr(unsafe.Pointer(&image[0])),
		uintptr(len(options)), uintptr(unsafe.Pointer(&options)), uintptr(unsafe.Pointer(&values)))
	if err != nil {
		log, _, _ := strings.Cut(string(failed), "\x00")
		note, _, _ := strings.Cut(string(info), "\x00")
		if e, ok := err.(*Error); ok {
			e.Log = strings.TrimSpace(log + "\n" + note)
		}
		return 0, about(err, "kernel "+kernel+" of module "+m.name)
	}
	m.d.modules = append(m.d.modules, handle)
	return handle, nil
}

// requiredCapability is the compute capability that PTX asks for, 10·major + minor, or 0 if it does not say.
func requiredCapability(ptx string) int {
	_, rest, _ := strings.Cut(ptx, "\n.target sm_")
	n := 0
	for _, c := range rest {
		if c < '0' || c > '9' || n > 1000 {
			break
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// address is where a buffer on the heap begins. The caller holds the buffer as long as the address is in use.
func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// Function is a kernel of a module.
type Function struct {
	d      *Device
	handle uintptr
	name   string
	params []int // the bytes of each parameter
	shared int   // bytes that a block asks for
}

// Function finds a kernel by its symbol. At its first use its PTX is compiled, unless the driver finds the result in
// its cache on the disk; an error then holds the compiler's log.
func (m *Module) Function(symbol string) (*Function, error) {
	if m.d.err != nil {
		return nil, m.d.err
	}
	module, err := m.handleOf(symbol)
	if err != nil {
		return nil, err
	}
	_, text := m.text(symbol)
	f := &Function{d: m.d, name: symbol, params: paramSizes(text, symbol)}
	name := append([]byte(symbol), 0)
	if err := m.d.do(cuModuleGetFunction, uintptr(unsafe.Pointer(&f.handle)), module,
		uintptr(unsafe.Pointer(&name[0]))); err != nil {
		return nil, about(err, "kernel "+symbol+" of module "+m.name)
	}
	return f, nil
}

// handleOf returns the driver's handle of the module that a kernel is in, which it loads if need be.
func (m *Module) handleOf(symbol string) (uintptr, error) {
	if m.machine != nil {
		if module, known := m.loaded[""]; known {
			return module, nil
		}
		if module, err := m.compile(symbol, m.machine); err == nil {
			m.loaded[""] = module
			return module, nil
		}
		m.machine = nil // an old driver may refuse machine code of a newer format, but can compile PTX
	}
	key, text := m.text(symbol)
	module, known := m.loaded[key]
	if known {
		return module, nil
	}
	if text == "" {
		return 0, fmt.Errorf("cuda: there is no kernel %s of module %s", symbol, m.name)
	}
	module, err := m.compile(symbol, append([]byte(text), 0))
	if err == nil {
		m.loaded[key] = module
	}
	return module, err
}

// Values of CUfunction_attribute.
const (
	localSize        = 3
	numRegisters     = 4
	maxDynamicShared = 8
)

// Registers is how many registers a thread uses, and Local how many bytes of local memory: what is spilled, and arrays.
func (f *Function) Registers() (int, error) { return f.attribute(numRegisters) }
func (f *Function) Local() (int, error)     { return f.attribute(localSize) }

// share makes each block ask for so many bytes of dynamic shared memory.
func (f *Function) share(bytes int) error {
	f.shared = bytes
	return about(f.d.do(cuFuncSetAttribute, f.handle, maxDynamicShared, uintptr(bytes)), "kernel "+f.name)
}

func (f *Function) attribute(which uintptr) (int, error) {
	var v int32
	if err := f.d.do(cuFuncGetAttribute, uintptr(unsafe.Pointer(&v)), which, f.handle); err != nil {
		return 0, about(err, "kernel "+f.name)
	}
	return int(v), nil
}

// text is the PTX that a kernel is compiled from, and its key in loaded.
func (m *Module) text(symbol string) (key, text string) {
	if text, alone := m.texts.kernels[symbol]; alone { // can be compiled without the others
		return symbol, m.texts.head + text
	}
	return "", m.texts.whole
}
